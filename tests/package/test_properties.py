"""What holds for all packages: random trees, random edits on both sides."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.package.merge import PackageMerge
from pkgupdate.package.tree import FileKind, FileState

from .support import Files, after, collisions, link, merge

KINDS = [("v1", "ConfigMap"), ("apps/v1", "Deployment"), ("example.com/v1", "Widget")]
YAML_PATHS = ["a.yaml", "b.yaml", "dir/c.yaml", "conf", "conf/d.yaml", "sub/e.yaml"]
OTHER_PATHS = ["t.txt", "dir/u.txt", "conf/v.txt", "bin", "link", "values.yaml", "data.json"]

words = st.sampled_from(["one", "two", "three", "four"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    version, kind = draw(st.sampled_from(KINDS))
    name = draw(st.sampled_from(["web", "api", "db", "job"]))
    fields = draw(st.dictionaries(st.sampled_from("abcdef"), words, min_size=1, max_size=5))
    comment = draw(st.sampled_from(["", f" # kpt-merge: /{name}", " # note"]))
    lines = [f"apiVersion: {version}", f"kind: {kind}", f"metadata:{comment}", f"  name: {name}"]
    lines += ["data:", *(f"  {key}: {value}" for key, value in fields.items())]
    return "\n".join(lines) + "\n"


yaml_files = st.lists(documents(), min_size=1, max_size=4).map("---\n".join)
text_files = st.lists(words, max_size=6).map(lambda lines: "\n".join(lines) + "\n")
odd_files = st.sampled_from(
    [
        "{{ if }}\na: 1\n",
        "a: 1\na: 2\n",
        "# only a comment\n",
        "",
        "a: [\n",
        "---\n---\n",
        "x\r\ny\r\n",
    ]
)
plain_data = st.dictionaries(st.sampled_from("abc"), words, min_size=1).map(
    lambda d: "".join(f"{k}: {v}\n" for k, v in d.items())
)
contents = (
    yaml_files
    | text_files
    | odd_files
    | plain_data
    | st.sampled_from([b"\0\1", b"\0\2", b"\xff", b'{"a": 1}', b'{"a": 2, "b": [1]}'])
    | st.sampled_from([link("a.yaml"), link("../out"), FileState(FileKind.EXEC, b"run\n")])
)
kptfiles = st.sampled_from(["sub", "other"]).map(
    lambda name: f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n"
)


def placeable(files: Files) -> Files:
    """Without files that lie below another file."""
    return {
        path: file
        for path, file in files.items()
        if not any(path.startswith(other + "/") for other in files)
    }


@st.composite
def trees(draw: st.DrawFn) -> Files:
    files: Files = draw(st.dictionaries(st.sampled_from(YAML_PATHS), yaml_files, max_size=4))
    files |= draw(st.dictionaries(st.sampled_from(OTHER_PATHS), contents, max_size=3))
    if draw(st.booleans()):
        files["sub/Kptfile"] = draw(kptfiles)
    return placeable(files)


@st.composite
def edited(draw: st.DrawFn, files: Files, marker: str = "") -> Files:
    """Some files changed in words, replaced, added, deleted or moved."""
    result = dict(files)
    for path in sorted(files):
        match draw(st.integers(0, 7)):
            case 0:
                del result[path]
            case 1:
                result[path] = draw(yaml_files if path in YAML_PATHS else contents)
            case 2 | 3:
                text = result[path]
                if isinstance(text, str) and marker:
                    result[path] = re.sub(r"\b(one|two)\b", marker, text, count=1)
                elif isinstance(text, str):
                    result[path] = text.replace(draw(words), draw(words))
            case 4:
                target = draw(st.sampled_from(YAML_PATHS + OTHER_PATHS))
                result[target] = result.pop(path)
    if draw(st.booleans()):
        result[draw(st.sampled_from(YAML_PATHS))] = draw(yaml_files)
    return placeable(result)


@st.composite
def packages(draw: st.DrawFn) -> tuple[Files, Files, Files]:
    original = draw(trees())
    return original, draw(edited(original)), draw(edited(original, "mine"))


relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@relaxed
@given(packages(), st.sampled_from(OnConflict), st.booleans())
def test_any_package_merges(
    package: tuple[Files, Files, Files], on_conflict: OnConflict, merge_comments: bool
) -> None:
    original, upstream, local = package
    policy = Policy(on_conflict=on_conflict)
    result = merge(original, upstream, local, policy, merge_comments=merge_comments)
    after(local, result)
    again = merge(original, upstream, local, policy, merge_comments=merge_comments)
    assert again.changes == result.changes
    assert [d.key for d in again.decisions] == [d.key for d in result.decisions]


@relaxed
@given(packages())
def test_no_local_edit_is_lost_in_silence(package: tuple[Files, Files, Files]) -> None:
    original, upstream, local = package
    result = merge(original, upstream, local)
    kept = b"\n".join(file.content for file in after(local, result).values())
    edits = sum("mine" in file for file in local.values() if isinstance(file, str))
    lost = edits - kept.count(b"mine")
    assert lost <= len(collisions(result))


@relaxed
@given(packages())
def test_nothing_changes_without_upstream(package: tuple[Files, Files, Files]) -> None:
    original, _, local = package
    assert merge(original, original, local).changes == []


@relaxed
@given(packages())
def test_an_untouched_package_becomes_upstreams(package: tuple[Files, Files, Files]) -> None:
    original, upstream, _ = package
    result = merge(original, upstream, original)
    assert after(original, result) == after(upstream, PackageMerge([], []))
    assert collisions(result) == []


@relaxed
@given(packages())
def test_agreed_packages_stay(package: tuple[Files, Files, Files]) -> None:
    original, upstream, _ = package
    result = merge(original, upstream, upstream)
    assert result.changes == []
    assert collisions(result) == []


@relaxed
@given(packages())
def test_a_first_merge_gives_upstream(package: tuple[Files, Files, Files]) -> None:
    _, upstream, _ = package
    result = merge({}, upstream, {})
    assert after({}, result) == after(upstream, PackageMerge([], []))
