"""Random packages with random edits on both sides: the laws of an update, on real repositories."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hostile_repo import EXEC, FILE, KPTFILE, Entry, RawRepo, link, snapshot
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from pkgupdate.errors import PkgUpdateError
from pkgupdate.package.tree import DiskTree, FileKind
from pkgupdate.update.get import get_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, apply_plan, plan_update
from pkgupdate.upstream.address import parse_address

NAMES = st.sampled_from(
    ["a", "b.yaml", "c.json", "d", "e\n", "B.yaml", "Kptfile", ".krmignore", "f"]
)
VALUES = st.sampled_from(
    ["1", "two", "[x, y]", "{k: v}", "|\n    text\n    more", "null", "&n q", "!t z"]
)
COMMENTS = st.sampled_from(["", "# note\n", "# other\n"])


@st.composite
def resources(draw: st.DrawFn) -> bytes:
    parts = []
    for name in draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=3)):
        fields = draw(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3))
        body = "".join(f"  {key}: {value}\n" for key, value in fields.items()) or "  {}\n"
        head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"
        parts.append(draw(COMMENTS) + head + "data:\n" + body)
    return "---\n".join(parts).encode()


TEXTS = st.lists(st.sampled_from(["one", "two", "- a", "b: 1", "{{ x }}"]), max_size=4).map(
    lambda lines: "".join(f"{line}\n" for line in lines).encode()
)
FILES = st.one_of(
    resources(),
    TEXTS,
    st.sampled_from([b"\0\1", b"\xff", b"", b"a: [", b'{"k": 1}\n', b"*.yaml\n"]),
)
ENTRIES = st.one_of(
    st.builds(Entry, st.sampled_from([FILE, FILE, EXEC]), FILES),
    st.sampled_from(["a", "../b", "/etc", "d/f"]).map(link),
)
TREES: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(NAMES, ENTRIES, max_size=4),
    lambda below: st.dictionaries(NAMES, st.one_of(ENTRIES, below), max_size=3),
    max_leaves=8,
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Original, and what upstream and the user made of it."""
    original = draw(TREES)
    return original, edited(draw, original), edited(draw, original)


def edited(draw: st.DrawFn, tree: Any) -> Any:
    """A tree with some entries deleted, replaced, or added."""
    result = dict(tree)
    for name in tree:
        match draw(st.sampled_from(["keep", "keep", "delete", "replace", "inside"])):
            case "delete":
                del result[name]
            case "replace":
                result[name] = draw(st.one_of(ENTRIES, TREES))
            case "inside" if isinstance(tree[name], dict):
                result[name] = edited(draw, tree[name])
    return {**result, **draw(st.dictionaries(NAMES, ENTRIES, max_size=2))}


@contextmanager
def places() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        own = {f"PKGUPDATE_{name}_DIR": str(root / "own" / name) for name in ("CACHE", "STATE")}
        before = dict(os.environ)
        os.environ.update(own)
        try:
            yield root
        finally:
            os.environ.clear()
            os.environ.update(before)


def write(root: Path, tree: Any) -> None:
    """Make a folder hold this tree; the Kptfile at its top stays."""
    for path in root.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != "Kptfile":
            path.unlink()
    fill(root, {name: node for name, node in tree.items() if name != "Kptfile"})


def fill(root: Path, tree: Any) -> None:
    for name, node in tree.items():
        path = root / name
        if isinstance(node, dict):
            if node:
                path.mkdir()
                fill(path, node)
        elif node.mode == FILE or node.mode == EXEC:
            path.write_bytes(node.content)
            path.chmod(0o755 if node.mode == EXEC else 0o644)
        else:
            path.symlink_to(os.fsdecode(node.content))


def contents(root: Path) -> dict[str, bytes]:
    tree = DiskTree(root)
    return {path: tree.read(path) for path in tree.entries}


def lost(plan: Plan, before: dict[str, bytes]) -> list[str]:
    """Local files that the plan changes without saying anything about them."""
    told = {decision.file for decision in plan.decisions}
    told |= {decision.new_path for decision in plan.decisions}
    return [
        change.path
        for change in plan.changes
        if change.path in before
        and change.path != "Kptfile"
        and change.path not in told
        and not any(change.path.startswith(f"{path}/") for path in told)
    ]


@settings(
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(histories())
def test_the_laws_of_an_update(trees: tuple[Any, Any, Any]) -> None:
    original, upstream, local = (dict(tree, Kptfile=KPTFILE) for tree in trees)
    with places() as root:
        up = RawRepo(root / "up")
        up.commit({"pkg": original}, "v1")
        up.commit({"pkg": upstream}, "v2")
        work = root / "work"
        work.mkdir()
        dest = work / "dest"
        try:
            get_package(parse_address(f"{up.url}/pkg@v1"), dest)
        except PkgUpdateError as e:
            event(f"get: {e.code}")
            assert not snapshot(work)
            return
        write(dest, local)
        before, outside = contents(dest), snapshot(root / "up")
        options = UpdateOptions(ref="v2")
        try:
            plan = plan_update(dest, options)
            apply_plan(plan)
        except PkgUpdateError as e:
            event(f"update: {e.code}")
            assert contents(dest) == before
            return
        assert snapshot(root / "up") == outside
        assert [path.name for path in work.iterdir()] == ["dest"]
        assert lost(plan, before) == []
        after = contents(dest)
        for change in plan.changes:
            assert before.get(change.path) == (change.before.content if change.before else None)
            assert after.get(change.path) == (change.after.content if change.after else None)
        assert {p: c for p, c in after.items() if p in before and p not in touched(plan)} == {
            p: c for p, c in before.items() if p not in touched(plan)
        }
        assert plan_update(dest, options).is_empty
        kinds = {entry.kind for entry in DiskTree(dest).entries.values()}
        assert FileKind.SUBMODULE not in kinds


def touched(plan: Plan) -> set[str]:
    return {change.path for change in plan.changes}
