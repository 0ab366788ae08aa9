"""An update that is killed, or refused by the system, at any step leaves a whole package."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faults import count, failing, kill_at, snapshot

from pkgupdate.errors import ApplyError
from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.update.journal import Recovery, apply_changes, recover, undo
from pkgupdate.update.state import pending

Recorder = Callable[[str, object], None]
Snapshot = dict[str, tuple[int, bytes]]


def file(content: bytes | str, kind: FileKind = FileKind.FILE) -> FileState:
    return FileState(kind, content.encode() if isinstance(content, str) else content)


def the_changes(root: Path) -> list[FileChange]:
    """What an update of the package built by `build` may do: of everything something."""

    def now(path: str) -> FileState:
        full = root / path
        if full.is_symlink():
            return file(str(full.readlink()), FileKind.LINK)
        kind = FileKind.EXEC if full.stat().st_mode & 0o100 else FileKind.FILE
        return file(full.read_bytes(), kind)

    edited = [f"app/r{i:02}.yaml" for i in range(14)] + ["one/a.yaml", "two/deep/b.yaml"]
    changes = [FileChange(p, now(p), file(now(p).content + b"more: true\n")) for p in edited]
    changes += [
        FileChange("Kptfile", now("Kptfile"), file("kind: Kptfile\nref: v2\n")),
        FileChange("one/Kptfile", now("one/Kptfile"), file("kind: Kptfile\nsub: v2\n")),
        FileChange("two/Kptfile", now("two/Kptfile"), file("kind: Kptfile\nsub: v3\n")),
        FileChange("secret.yaml", now("secret.yaml"), file("new: secret\n")),
        FileChange("run.sh", now("run.sh"), file("#!/bin/sh\necho 2\n", FileKind.EXEC)),
        FileChange("plain.sh", now("plain.sh"), file(now("plain.sh").content, FileKind.EXEC)),
        FileChange("link", now("link"), file("two/Kptfile", FileKind.LINK)),
        FileChange("gone/x.yaml", now("gone/x.yaml"), None),
        FileChange("gone/deep/y.yaml", now("gone/deep/y.yaml"), None),
        FileChange("was-file", now("was-file"), None),
        FileChange("was-file/now.yaml", None, file("now: dir\n")),
        FileChange("was-dir/f.yaml", now("was-dir/f.yaml"), None),
        FileChange("was-dir", None, file("now a file\n")),
        FileChange("new/dir/n.yaml", None, file("n: 1\n")),
        FileChange("new/tool", None, file("#!/bin/sh\n", FileKind.EXEC)),
        FileChange("big.bin", now("big.bin"), file(bytes(range(256)) * 200)),
        FileChange("mixed/old.yaml", now("mixed/old.yaml"), None),
        FileChange("mixed/new.yaml", None, file("m: 2\n")),
    ]
    return changes


def build(root: Path) -> None:
    """A package of 40 files with two subpackages."""
    for i in range(21):
        write(root / f"app/r{i:02}.yaml", f"kind: ConfigMap\nnumber: {i}\n")
    for name in ("Kptfile", "one/Kptfile", "two/Kptfile"):
        write(root / name, f"kind: Kptfile\nname: {name}\n")
    for name in ("one/a.yaml", "one/b.yaml", "two/deep/b.yaml", "gone/x.yaml", "gone/deep/y.yaml"):
        write(root / name, f"name: {name}\n")
    for name in ("was-file", "was-dir/f.yaml", "mixed/old.yaml", "README.md", ".krmignore"):
        write(root / name, f"{name}\n")
    write(root / "secret.yaml", "old: secret\n", 0o600)
    write(root / "run.sh", "#!/bin/sh\necho 1\n", 0o755)
    write(root / "plain.sh", "#!/bin/sh\n", 0o640)
    (root / "big.bin").write_bytes(b"\0\1\2" * 9000)
    write(root / "notes/todo.txt", "mine\n")
    (root / "link").symlink_to("one/Kptfile")
    (root / "gone/deep").chmod(0o750)
    (root / "mixed").chmod(0o711)
    (root / "empty").mkdir()


def write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


class Bench:
    """A package to break, its two whole states, and fresh copies of it."""

    def __init__(self, place: Path) -> None:
        self.pristine, self.root = place / "pristine", place / "package"
        build(self.pristine)
        self.changes = the_changes(self.pristine)
        self.before = snapshot(self.pristine)
        self.renew()
        self.calls = count(self.apply)
        self.after = snapshot(self.root)
        assert self.before != self.after

    def apply(self) -> None:
        apply_changes(self.root, self.changes)

    def renew(self) -> None:
        if not self.root.exists() or snapshot(self.root) != self.before:
            shutil.rmtree(self.root, ignore_errors=True)
            shutil.copytree(self.pristine, self.root, symlinks=True)

    def check(self, what: str) -> Snapshot:
        now = snapshot(self.root)
        assert now in (self.before, self.after), what
        assert not pending(self.root)
        return now


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    memory = Path("/dev/shm")  # many thousand small writes: in memory where the system has that
    place = memory if os.access(memory, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=place, prefix="pkgupdate-test-") as folder:
        monkeypatch.setenv("PKGUPDATE_STATE_DIR", f"{folder}/state")
        yield Bench(Path(folder))


def test_the_package_has_40_files_and_both_states_are_as_meant(bench: Bench) -> None:
    files = [p for p in bench.pristine.rglob("*") if not p.is_dir() or p.is_symlink()]
    assert len(files) == 40
    assert oct(bench.after["secret.yaml"][0]) == oct(0o100600)
    assert oct(bench.after["plain.sh"][0]) == oct(0o100750)
    assert oct(bench.after["mixed"][0]) == oct(0o40711)
    assert bench.after["link"][1] == b"two/Kptfile"
    assert "gone" not in bench.after
    assert "empty" in bench.after


@pytest.mark.parametrize("half", [False, True], ids=["before-the-call", "half-written"])
def test_killed_at_every_call(bench: Bench, half: bool, record_property: Recorder) -> None:
    points = [i for i, name in enumerate(bench.calls) if not half or name == "write"]
    outcomes = {"nothing to recover": 0, Recovery.RESTORED: 0, Recovery.FINISHED: 0}
    for point in points:
        bench.renew()
        kill_at(point, bench.apply, half=half)
        outcome = recover(bench.root)
        now = bench.check(f"killed at call {point} ({bench.calls[point]})")
        outcomes[outcome or "nothing to recover"] += 1
        if outcome:
            assert (now == bench.after) == (outcome is Recovery.FINISHED)
    counts = ", ".join(f"{word}: {count}" for word, count in outcomes.items())
    when = "half-way through" if half else "before"
    record_property("figure", f"SIGKILL {when} the call: {len(points)} points tried ({counts})")
    assert half or (outcomes[Recovery.FINISHED] and outcomes["nothing to recover"])


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO], ids=errno.errorcode.get)
def test_refused_at_every_call(bench: Bench, number: int, record_property: Recorder) -> None:
    failed = 0
    for point, name in enumerate(bench.calls):
        bench.renew()
        try:
            with failing(point, number):
                bench.apply()
        except ApplyError as e:
            failed += 1
            assert bench.check(f"{name} at {point}") == bench.before
            assert e.code == "apply-failed" and e.why
        else:
            assert bench.check(f"{name} at {point}") == bench.after
    tried = f"{len(bench.calls)} points tried ({failed} updates failed)"
    record_property("figure", f"{errno.errorcode[number]}: {tried}")
    assert failed > len(bench.calls) - 5


def test_disk_stays_full_until_somebody_makes_room(bench: Bench, record_property: Recorder) -> None:
    later = 0
    for point, name in enumerate(bench.calls):
        bench.renew()
        try:
            with failing(point, errno.ENOSPC, lasting=True):
                bench.apply()
        except ApplyError as e:
            if e.code == "rollback-failed":
                later += 1
                assert "pkgupdate recover" in e.hint
                recover(bench.root)
            bench.check(f"{name} at {point}")
    record_property(
        "figure", f"disk full for good: {len(bench.calls)} points tried, {later} recovered later"
    )
    assert later


def test_killed_again_while_recovering(bench: Bench, record_property: Recorder) -> None:
    def broken(point: int) -> None:
        bench.renew()
        kill_at(point, bench.apply)

    def again(broken_at: int, calls: list[str]) -> int:
        for point in range(len(calls)):
            broken(broken_at)
            kill_at(point, lambda: recover(bench.root))
            recover(bench.root)
            bench.check(f"killed at {broken_at}, then at {point} while recovering")
        return len(calls)

    tried = 0
    for broken_at in range(90, len(bench.calls), 47):
        broken(broken_at)
        tried += again(broken_at, count(lambda: recover(bench.root)))
    broken(len(bench.calls) - 1)
    record_property("figure", f"SIGKILL during recovery: {tried} pairs of points tried")
    assert tried


def undo_states(bench: Bench) -> Callable[[], object]:
    bench.renew()
    bench.apply()
    return lambda: undo(bench.root)


def test_undo_is_exact_and_survives_a_kill_at_every_call(
    bench: Bench, record_property: Recorder
) -> None:
    calls = count(undo_states(bench))
    assert snapshot(bench.root) == bench.before
    for point in range(len(calls)):
        kill_at(point, undo_states(bench))
        recover(bench.root)
        bench.check(f"undo killed at {point}")
    record_property("figure", f"SIGKILL during undo: {len(calls)} points tried")
