"""Any change of any tree: applied it gives the new tree, taken back the old one, to the byte."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from faults import count, kill_at, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.update.journal import Recovery, apply_changes, recover, undo

Files = dict[str, FileState]

PATHS = ["a", "a/x", "a/x/1", "a/y", "b", "b/x/y/z", "Kptfile", "c/Kptfile", "c/Kptfile/odd"]
STATES = st.one_of(
    st.builds(FileState, st.sampled_from([FileKind.FILE, FileKind.EXEC]), st.binary(max_size=9)),
    st.builds(FileState, st.just(FileKind.LINK), st.sampled_from([b"a", b"../x", b"/etc/passwd"])),
)


def is_tree(files: Files) -> bool:
    return not any(p.startswith(f"{other}/") for p in files for other in files)


TREES = st.dictionaries(st.sampled_from(PATHS), STATES, max_size=6).filter(is_tree)


def write_tree(root: Path, files: Files) -> None:
    root.mkdir()
    for path, state in files.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        if state.kind is FileKind.LINK:
            full.symlink_to(state.content.decode())
        else:
            full.write_bytes(state.content)
            full.chmod(0o755 if state.kind is FileKind.EXEC else 0o644)


def read_tree(root: Path) -> Files:
    found = {}
    for path, (mode, content) in snapshot(root).items():
        full = root / path
        if full.is_symlink():
            found[path] = FileState(FileKind.LINK, content)
        elif not full.is_dir():
            found[path] = FileState(FileKind.EXEC if mode & 0o100 else FileKind.FILE, content)
    return found


@settings(deadline=None, max_examples=150)
@given(before=TREES, after=TREES, where=st.integers(0, 10_000))
def test_apply_kill_recover_undo(before: Files, after: Files, where: int) -> None:
    changes = [
        FileChange(path, before.get(path), after.get(path))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PKGUPDATE_STATE_DIR", f"{folder}/state")
        root = Path(folder) / "pkg"
        write_tree(root, before)
        at_first = snapshot(root)
        calls = count(lambda: apply_changes(root, changes))
        assert read_tree(root) == after
        if not changes:
            return
        finished = snapshot(root)
        undo(root)
        assert snapshot(root) == at_first
        kill_at(where % len(calls), lambda: apply_changes(root, changes))
        outcome = recover(root)
        now = snapshot(root)
        assert now in (at_first, finished)
        if outcome:
            assert now == (finished if outcome is Recovery.FINISHED else at_first)
