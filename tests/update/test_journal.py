"""What the journal refuses, what it keeps to itself, and taking updates back."""

from __future__ import annotations

import multiprocessing
import os
import stat
import threading
from pathlib import Path

import pytest
from faults import count, failing, kill_at, snapshot
from upstream_repo import Repo, config_map, git, kptfile, write_files

from pkgupdate.errors import ApplyError
from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.update.journal import Recovery, apply_changes, recover, undo
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import plan_update, update_package
from pkgupdate.update.state import locked, pending, state_directory


def file(text: str) -> FileState:
    return FileState(FileKind.FILE, text.encode())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    package = tmp_path / "pkg"
    write_files(package, {"a.yaml": "a: 1\n", "d/b.yaml": "b: 1\n", "Kptfile": "k: 1\n"})
    return package


def edits() -> list[FileChange]:
    return [
        FileChange("a.yaml", file("a: 1\n"), file("a: 2\n")),
        FileChange("d/b.yaml", file("b: 1\n"), None),
        FileChange("Kptfile", file("k: 1\n"), file("k: 2\n")),
    ]


def break_off(root: Path, at: str = "rename", which: int = 2) -> None:
    """Kill the update at a call of that name, when part of the files are replaced."""
    before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file()}
    calls = count(lambda: apply_changes(root, edits()))
    undo(root)
    assert before == {p: p.read_bytes() for p in root.rglob("*") if p.is_file()}
    points = [i for i, name in enumerate(calls) if name == at]
    kill_at(points[which], lambda: apply_changes(root, edits()))
    assert pending(root)


def test_nothing_to_apply_makes_no_journal(root: Path, tmp_path: Path) -> None:
    apply_changes(root, [])
    assert not (tmp_path / "state").exists()


def test_undo_takes_the_last_update_back_once(root: Path) -> None:
    before = snapshot(root)
    apply_changes(root, edits())
    assert undo(root) == ["Kptfile", "a.yaml", "d/b.yaml"]
    assert snapshot(root) == before
    with pytest.raises(ApplyError) as caught:
        undo(root)
    assert caught.value.code == "nothing-to-undo"


def test_undo_refuses_when_something_changed_since(root: Path) -> None:
    apply_changes(root, edits())
    write_files(root, {"a.yaml": "a: 3\n", "other.yaml": "not of the update\n"})
    now = snapshot(root)
    with pytest.raises(ApplyError) as caught:
        undo(root)
    assert caught.value.code == "undo-changed" and caught.value.why == "a.yaml"
    assert snapshot(root) == now


def test_the_next_update_recovers_by_itself(up: Repo, use: Repo) -> None:
    up.commit({"Kptfile": kptfile("p"), "cm.yaml": config_map("cm", A="1")}, "v1")
    first = git(up.path, "rev-parse", "HEAD")
    up.commit({"cm.yaml": config_map("cm", A="2")}, "v2")
    lock = f"{up.path}|/|v1|{first}"
    use.commit(
        {
            "p/Kptfile": kptfile("p", upstream=f"{up.path}|/|v1", lock=lock),
            "p/cm.yaml": config_map("cm", A="1"),
        }
    )
    root = use.path / "p"
    plan = plan_update(root, UpdateOptions(ref="v2"))
    kill_at(12, lambda: apply_changes(root, plan.changes))
    assert pending(root)
    with pytest.raises(ApplyError) as caught:
        plan_update(root, UpdateOptions(ref="v2"))
    assert caught.value.code == "update-pending" and "pkgupdate recover" in caught.value.hint
    with pytest.raises(ApplyError, match="did not end"):
        apply_changes(root, plan.changes)
    done = update_package(root, UpdateOptions(ref="v2"))
    assert "restored" in done.notes[0]
    assert 'A: "2"' in (root / "cm.yaml").read_text()


def test_recovery_does_not_overwrite_what_was_edited_since(root: Path) -> None:
    break_off(root)
    write_files(root, {"a.yaml": "edited after the crash\n"})
    now = snapshot(root)
    with pytest.raises(ApplyError) as caught:
        recover(root)
    assert caught.value.code == "recovery-blocked" and "a.yaml" in caught.value.why
    assert snapshot(root) == now and pending(root)
    (root / "a.yaml").rename(root / "mine")
    assert recover(root) is Recovery.RESTORED
    assert (root / "a.yaml").read_text() == "a: 1\n"


def test_a_broken_journal_is_said(root: Path) -> None:
    break_off(root)
    journal = state_directory(root) / "pending"
    data = journal.read_bytes()
    journal.write_bytes(data[:-3] + b"xyz")
    with pytest.raises(ApplyError) as caught:
        recover(root)
    assert caught.value.code == "journal-broken"
    journal.write_bytes(data)
    assert recover(root) is Recovery.RESTORED


def test_nobody_else_can_read_the_journal(root: Path, tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        break_off(root)
    finally:
        os.umask(previous)
    entries = [tmp_path / "state", *(tmp_path / "state").rglob("*")]
    assert len(entries) >= 4
    for entry in entries:
        assert not stat.S_IMODE(entry.stat().st_mode) & 0o077, entry


def test_links_are_never_followed(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write_files(outside, {"x.yaml": "theirs\n"})
    (root / "d/b.yaml").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to(outside)
    (root / "link.yaml").symlink_to(outside / "x.yaml")
    for change in (
        FileChange("d/new.yaml", None, file("n\n")),
        FileChange("d/x.yaml", file("theirs\n"), file("ours\n")),
        FileChange("d/x.yaml", file("theirs\n"), None),
        FileChange("link.yaml", file("theirs\n"), file("ours\n")),
    ):
        with pytest.raises(ApplyError):
            apply_changes(root, [change])
        assert [p.name for p in outside.iterdir()] == ["x.yaml"]
        assert (outside / "x.yaml").read_text() == "theirs\n"
        assert not pending(root)
    target = FileState(FileKind.LINK, str(outside / "x.yaml").encode())
    apply_changes(root, [FileChange("link.yaml", target, file("ours\n"))])
    assert (outside / "x.yaml").read_text() == "theirs\n"
    assert not (root / "link.yaml").is_symlink()


def test_mode_and_owner_are_kept(root: Path) -> None:
    (root / "a.yaml").chmod(0o640)
    if os.geteuid() == 0:
        os.chown(root / "a.yaml", 1234, 2345)
    apply_changes(root, edits())
    status = (root / "a.yaml").stat()
    assert stat.S_IMODE(status.st_mode) == 0o640
    if os.geteuid() == 0:
        assert (status.st_uid, status.st_gid) == (1234, 2345)


def test_a_missing_or_new_file_is_a_changed_one(root: Path) -> None:
    (root / "a.yaml").unlink()
    with pytest.raises(ApplyError) as caught:
        apply_changes(root, edits())
    assert (caught.value.code, caught.value.where.file) == ("file-changed", "a.yaml")
    with pytest.raises(ApplyError) as caught:
        apply_changes(root, [FileChange("Kptfile", None, file("k: 3\n"))])
    assert caught.value.code == "file-changed"


def test_a_file_saved_while_others_are_replaced_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pkgupdate.update import files

    rename = files.rename

    def save_meanwhile(old: str, new: str, dir_fd: int) -> None:
        rename(old, new, dir_fd)
        if new == "a.yaml":
            write_files(root, {"Kptfile": "saved: meanwhile\n"})

    monkeypatch.setattr(files, "rename", save_meanwhile)
    with pytest.raises(ApplyError) as caught:
        apply_changes(root, edits())
    assert (caught.value.code, caught.value.where.file) == ("file-changed", "Kptfile")
    assert (root / "Kptfile").read_text() == "saved: meanwhile\n"
    assert (root / "a.yaml").read_text() == "a: 1\n"
    assert (root / "d/b.yaml").read_text() == "b: 1\n"
    assert not pending(root)


def test_interrupt_puts_the_package_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pkgupdate.update import files

    before = snapshot(root)
    rename = files.rename

    def interrupted(old: str, new: str, dir_fd: int) -> None:
        if new == "Kptfile" and (root / "a.yaml").read_text() == "a: 2\n":
            monkeypatch.setattr(files, "rename", rename)
            raise KeyboardInterrupt
        rename(old, new, dir_fd)

    monkeypatch.setattr(files, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        apply_changes(root, edits())
    assert snapshot(root) == before and not pending(root)


def test_interrupted_twice_it_says_how_to_go_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pkgupdate.update import files

    before = snapshot(root)
    unlink = files.unlink

    def interrupted(name: str, dir_fd: int) -> None:
        if pending(root):
            raise KeyboardInterrupt
        unlink(name, dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(files, "unlink", interrupted)
        with pytest.raises(KeyboardInterrupt, match="run: pkgupdate recover"):
            apply_changes(root, edits())
    assert pending(root)
    assert recover(root) is Recovery.RESTORED
    assert snapshot(root) == before


def test_state_folder_that_cannot_be_written(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "not-a-folder").write_text("")
    monkeypatch.setenv("PKGUPDATE_STATE_DIR", str(tmp_path / "not-a-folder"))
    before = snapshot(root)
    with pytest.raises(ApplyError) as caught:
        apply_changes(root, edits())
    assert caught.value.code == "state-unusable" and snapshot(root) == before


def test_second_update_waits_then_says_so(root: Path) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(root):
            entered.set()
            leave.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    assert entered.wait(10)
    try:
        with pytest.raises(ApplyError) as caught, locked(root, timeout=0.2):
            pass
        assert caught.value.code == "package-locked"
    finally:
        leave.set()
        holder.join()
    with locked(root, timeout=0.2), locked(root, timeout=0.2):
        pass


def _update(root: Path, ref: str, results: multiprocessing.Queue[str]) -> None:
    try:
        plan = update_package(root, UpdateOptions(ref=ref, allow_dirty=True))
        results.put("nothing" if plan.is_empty else "done")
    except Exception as e:
        results.put(repr(e))


def run_at_once(arguments: list[tuple[Path, str]]) -> list[str]:
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[str] = context.Queue()  # type: ignore[assignment]
    processes = [context.Process(target=_update, args=(*a, results)) for a in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    return sorted(results.get(timeout=5) for _ in processes)


def packages(up: Repo, use: Repo, *names: str) -> list[Path]:
    first = up.commit({"Kptfile": kptfile("p"), "cm.yaml": config_map("cm", A="1")}, "v1")
    up.commit({"cm.yaml": config_map("cm", A="2")}, "v2")
    lock = f"{up.path}|/|v1|{first}"
    for name in names:
        use.write(
            {
                f"{name}/Kptfile": kptfile(name, upstream=f"{up.path}|/|v1", lock=lock),
                f"{name}/cm.yaml": config_map("cm", A="1"),
            }
        )
    return [use.path / name for name in names]


def test_two_updates_of_one_package_at_once(up: Repo, use: Repo) -> None:
    (root,) = packages(up, use, "p")
    assert run_at_once([(root, "v2"), (root, "v2")]) == ["done", "nothing"]
    assert 'A: "2"' in (root / "cm.yaml").read_text()


def test_packages_that_share_a_cache_at_once(up: Repo, use: Repo) -> None:
    roots = packages(up, use, "p", "q", "r")
    assert run_at_once([(root, "v2") for root in roots]) == ["done"] * 3
    for root in roots:
        assert 'A: "2"' in (root / "cm.yaml").read_text()


def test_failure_names_the_file(root: Path) -> None:
    calls = count(lambda: apply_changes(root, edits()))
    undo(root)
    last = max(i for i, name in enumerate(calls[:-2]) if name == "rename")
    with pytest.raises(ApplyError) as caught, failing(last, 28):
        apply_changes(root, edits())
    assert caught.value.code == "apply-failed" and caught.value.where.file == "Kptfile"
    assert caught.value.why == "No space left on device"


def test_names_that_the_system_refuses(root: Path, tmp_path: Path) -> None:
    before = snapshot(root)
    with pytest.raises(ApplyError) as caught:
        apply_changes(root, [*edits(), FileChange("x" * 300, None, file("x"))])
    assert caught.value.code == "apply-failed" and caught.value.why == "File name too long"
    assert snapshot(root) == before and not pending(root)
    with pytest.raises(ApplyError) as caught:
        apply_changes(tmp_path / "nowhere", edits())
    assert caught.value.code == "apply-failed"
