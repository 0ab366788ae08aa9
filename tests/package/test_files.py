"""Files that are no resources."""

from __future__ import annotations

import pytest

from pkgupdate.errors import PackageError
from pkgupdate.merge.decisions import Kind, Rule, Subject
from pkgupdate.merge.policy import OnConflict, Policy, Target
from pkgupdate.package.tree import FileKind, FileState

from .support import Files, after, collisions, executable, link, merge, resource, said, texts

LINES = "a\nb\nc\nd\ne\n"
UP = LINES.replace("b", "B")
MINE = LINES.replace("d", "mine")
BOTH = UP.replace("d", "mine")
CLASH = LINES.replace("b", "mine")


@pytest.mark.parametrize(
    ("original", "upstream", "local", "expected", "rules"),
    [
        pytest.param(LINES, UP, LINES, UP, {Rule.UPSTREAM_ONLY}, id="upstream"),
        pytest.param(LINES, LINES, MINE, MINE, set(), id="local"),
        pytest.param(LINES, UP, UP, UP, {Rule.SAME_CHANGE}, id="same"),
        pytest.param(LINES, UP, MINE, BOTH, {Rule.TEXT}, id="lines"),
        pytest.param(LINES, None, LINES, None, {Rule.UPSTREAM_ONLY}, id="deleted"),
        pytest.param(LINES, None, MINE, MINE, {Rule.DELETE_EDIT}, id="delete-edit"),
        pytest.param(LINES, UP, None, None, {Rule.EDIT_DELETE}, id="edit-delete"),
        pytest.param(LINES, LINES, None, None, set(), id="deleted-here"),
        pytest.param(LINES, None, None, None, set(), id="both-deleted"),
        pytest.param(None, UP, None, UP, {Rule.UPSTREAM_ONLY}, id="added"),
        pytest.param(None, UP, UP, UP, {Rule.SAME_CHANGE}, id="both-added"),
        pytest.param(
            LINES,
            UP,
            MINE.replace("\n", "\r\n"),
            BOTH.replace("\n", "\r\n"),
            {Rule.TEXT},
            id="crlf",
        ),
    ],
)
def test_text_file(
    original: str | None, upstream: str | None, local: str | None, expected: str | None, rules: set
) -> None:
    sides = [{} if text is None else {"t.txt": text} for text in (original, upstream, local)]
    result = merge(*sides)
    assert texts(sides[2], result) == ({} if expected is None else {"t.txt": expected})
    assert {d.rule for d in result.decisions} - {Rule.SAME_CHANGE} == rules - {Rule.SAME_CHANGE}
    assert len(collisions(result)) == (Rule.DELETE_EDIT in rules)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(), CLASH),
        (Policy(on_conflict=OnConflict.LOCAL), CLASH),
        (Policy(on_conflict=OnConflict.UPSTREAM), UP),
        (Policy(choices={("t.txt", "", "[2]", "file"): "upstream"}), UP),
        (
            Policy(conflict_markers=True),
            "a\n<<<<<<< local\nmine\n=======\nB\n>>>>>>> upstream\nc\nd\ne\n",
        ),
        (Policy(protected=(Target("t.txt"),)), CLASH),
    ],
)
def test_colliding_lines(policy: Policy, expected: str) -> None:
    files: Files = {"t.txt": CLASH}
    result = merge({"t.txt": LINES}, {"t.txt": UP}, files, policy)
    assert texts(files, result)["t.txt"] == expected
    kind = Kind.WITHHELD if policy.protected else Kind.COLLISION
    assert [d.kind for d in result.decisions] == [kind]


def test_values_of_secrets_do_not_get_into_decisions() -> None:
    def broken(value: str) -> Files:
        return {"s.yaml": f"kind: Secret\ndata:\n  a: [{value}\n"}

    result = merge(broken("one"), broken("two"), broken("three"))
    assert collisions(result)
    assert not any(word in str(result.decisions) for word in ("one", "two", "three"))


def test_binary_files_are_not_mixed() -> None:
    sides: list[Files] = [{"x.bin": b"\0" + word} for word in (b"a", b"b", b"c")]
    assert after(sides[2], merge(*sides))["x.bin"].content == b"\0c"
    [decision] = collisions(merge(*sides))
    assert decision.rule is Rule.BINARY
    assert "git show" in decision.note
    upstream = merge(*sides, Policy(on_conflict=OnConflict.UPSTREAM))
    assert after(sides[2], upstream)["x.bin"].content == b"\0b"


def test_lfs_pointers_stay_pointers() -> None:
    def pointer(oid: str) -> str:
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 3\n"

    sides: list[Files] = [{"x.bin": pointer(oid * 64)} for oid in "abc"]
    [decision] = collisions(merge(*sides))
    assert "Git LFS pointer" in decision.note
    arrived = merge(sides[0], sides[1], sides[0])
    assert texts(sides[0], arrived)["x.bin"] == pointer("b" * 64)
    assert "LFS" in arrived.decisions[0].note


def test_modes_and_contents_merge_apart() -> None:
    local: Files = {"run.sh": MINE}
    result = merge({"run.sh": LINES}, {"run.sh": executable(UP)}, local)
    assert after(local, result)["run.sh"] == FileState(FileKind.EXEC, BOTH.encode())
    assert Subject.MODE in {d.subject for d in result.decisions}


def test_mode_of_a_resource_file() -> None:
    before = resource("web", "data:\n  A: a\n  B: b\n")
    local: Files = {"web.yaml": before.replace("A: a", "A: mine")}
    upstream: Files = {"web.yaml": executable(before.replace("B: b", "B: new"))}
    result = merge({"web.yaml": before}, upstream, local)
    expected = before.replace("A: a", "A: mine").replace("B: b", "B: new")
    assert after(local, result)["web.yaml"] == FileState(FileKind.EXEC, expected.encode())


@pytest.mark.parametrize(
    ("original", "upstream", "local", "expected", "collides"),
    [
        (link("a"), link("b"), link("a"), link("b"), False),
        (link("a"), link("a"), link("c"), link("c"), False),
        (link("a"), link("b"), link("c"), link("b"), True),
        (link("a"), b"text\n", link("a"), b"text\n", False),
        (b"text\n", link("a"), b"text\n", link("a"), False),
        (b"text\n", link("a"), b"mine\n", b"mine\n", True),
        (link("a"), b"text\n", link("c"), link("c"), True),
    ],
)
def test_links(original: object, upstream: object, local: object, expected: object, collides: bool):  # type: ignore[no-untyped-def]
    files: Files = {"l.yaml": local}  # type: ignore[dict-item]
    result = merge({"l.yaml": original}, {"l.yaml": upstream}, files)  # type: ignore[dict-item]
    assert after(files, result) == after({"l.yaml": expected}, merge({}, {}, {}))  # type: ignore[dict-item]
    assert bool(collisions(result)) is collides


@pytest.mark.parametrize(
    ("path", "target", "is_outside"),
    [("l", "../x", True), ("l", "/etc", True), ("d/l", "../x", False), ("d/l", "../../x", True)],
)
def test_links_out_of_the_package_are_said(path: str, target: str, is_outside: bool) -> None:
    result = merge({}, {path: link(target)}, {})
    assert after({}, result)[path] == link(target)
    notes = [d for d in result.decisions if d.kind is Kind.KEPT]
    assert bool(notes) is is_outside


def test_submodules_are_said_and_left_out() -> None:
    upstream: Files = {"vendor": FileState(FileKind.SUBMODULE, b""), "t.txt": "x\n"}
    result = merge({}, upstream, {})
    assert set(after({}, result)) == {"t.txt"}
    assert [d.file for d in result.decisions if d.rule is Rule.SUBMODULE] == ["vendor"]


def test_unsafe_names_stop_the_merge() -> None:
    with pytest.raises(PackageError):
        merge({}, {"a/../../x": "x"}, {})


@pytest.mark.parametrize("path", ["values.yaml", "data.json"])
def test_data_without_identity_merges_by_fields(path: str) -> None:
    def data(a: int, b: int) -> str:
        return f'{{"a": {a}, "b": {b}}}\n' if path.endswith("json") else f"a: {a}\nb: {b}\n"

    local: Files = {path: data(1, 3)}
    result = merge({path: data(1, 1)}, {path: data(2, 1)}, local)
    assert texts(local, result)[path] == data(2, 3)
    assert not collisions(result)


def test_json_stays_json() -> None:
    def data(flag: str, last: str) -> Files:
        return {"x.json": f'{{\n  "a": "{flag}",\n  "list": [1, 2],\n  "z": "{last}"\n}}\n'}

    local = data("1", "mine")
    result = merge(data("1", "1"), data("2", "1"), local)
    assert texts(local, result) == data("2", "mine")


def test_templates_merge_by_lines() -> None:
    template = "{{ if .x }}\nkind: A\n{{ end }}\nreplicas: 1\nx: 1\nimage: a\n"
    local: Files = {"t.yaml": template.replace("image: a", "image: mine")}
    upstream: Files = {"t.yaml": template.replace("replicas: 1", "replicas: 2")}
    result = merge({"t.yaml": template}, upstream, local)
    expected = template.replace("image: a", "image: mine").replace("replicas: 1", "replicas: 2")
    assert texts(local, result) == {"t.yaml": expected}
    assert Rule.NOT_YAML in {d.rule for d in result.decisions}


def test_repeated_keys_are_named_with_their_line() -> None:
    text = resource("bad", "data:\n  A: a\n  B: b\n  X: x\n  Y: y\n  A: again\n")
    local: Files = {"bad.yaml": text.replace("X: x", "X: mine"), "ok.yaml": resource("ok")}
    upstream: Files = {"bad.yaml": text.replace("B: b", "B: new"), "ok.yaml": resource("ok", "")}
    original: Files = {"bad.yaml": text, "ok.yaml": resource("ok")}
    result = merge(original, upstream, local)
    merged = text.replace("X: x", "X: mine").replace("B: b", "B: new")
    assert texts(local, result) == {"bad.yaml": merged, "ok.yaml": resource("ok", "")}
    assert any("'A'" in said(d) and "line 10" in said(d) for d in result.decisions)


LONG = "".join(f"line {i}\n" for i in range(20))


def test_file_moved_by_upstream_takes_local_edits_along() -> None:
    local: Files = {"old.txt": LONG.replace("line 3\n", "mine\n")}
    result = merge({"old.txt": LONG}, {"docs/new.txt": LONG.replace("line 9", "new")}, local)
    expected = LONG.replace("line 3\n", "mine\n").replace("line 9", "new")
    assert texts(local, result) == {"docs/new.txt": expected}
    [moved] = [d for d in result.decisions if d.rule is Rule.MOVED]
    assert moved.new_path == "docs/new.txt"


def test_file_moved_here_gets_upstreams_edits() -> None:
    local: Files = {"mine.txt": LONG}
    result = merge({"old.txt": LONG}, {"old.txt": LONG.replace("line 9", "new")}, local)
    assert texts(local, result) == {"mine.txt": LONG.replace("line 9", "new")}


def test_file_that_may_have_gone_to_two_places_is_left_alone() -> None:
    local: Files = {"old.txt": LONG + "mine\n"}
    result = merge({"old.txt": LONG}, {"a.txt": LONG, "b.txt": LONG}, local)
    assert texts(local, result) == {"old.txt": LONG + "mine\n", "a.txt": LONG, "b.txt": LONG}
    assert Rule.AMBIGUOUS in {d.rule for d in result.decisions}


@pytest.mark.parametrize(
    ("original", "upstream", "local", "expected"),
    [
        pytest.param({"c": "x"}, {"c/a": "1"}, {"c": "x"}, {"c/a"}, id="file-to-directory"),
        pytest.param({"c/a": "1"}, {"c": "x"}, {"c/a": "1"}, {"c"}, id="directory-to-file"),
        pytest.param(
            {"c": "x"}, {"c/a": "1", "d": "new"}, {"c": "y"}, {"c", "d"}, id="edited-file"
        ),
        pytest.param(
            {"c/a": "1"}, {"c": "x", "d": "new"}, {"c/a": "2"}, {"c/a", "d"}, id="edited-directory"
        ),
        pytest.param({}, {"c": "x"}, {"c/mine": "1"}, {"c/mine"}, id="directory-here"),
        pytest.param({}, {"c/a.yaml": "a: 1\n"}, {"c": link("/")}, {"c"}, id="link-here"),
        pytest.param(
            {},
            {"c/a": "1", "d/a": "1", "e": "x"},
            {"c": "", "d": "", "e/a": ""},
            {"c", "d", "e/a"},
            id="several-here",
        ),
    ],
)
def test_file_and_directory_of_one_name(
    original: Files, upstream: Files, local: Files, expected: set[str]
) -> None:
    result = merge(original, upstream, local)
    assert set(after(local, result)) == expected
    left_out = not set(upstream) <= expected
    assert any("left out" in d.note for d in collisions(result)) is left_out
    removals = [change.after is None for change in result.changes]
    assert removals == sorted(removals, reverse=True)
