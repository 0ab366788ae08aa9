"""Kills the process, or fails a system call, at a chosen call of `pkgupdate.update.files`."""

from __future__ import annotations

import inspect
import os
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pkgupdate.update import files

PRIMITIVES = [
    name
    for name, function in inspect.getmembers(files, inspect.isfunction)
    if function.__module__ == files.__name__
]


@dataclass
class Counter:
    """The calls seen so far, by name."""

    calls: list[str] = field(default_factory=list)


Action = Callable[[str, tuple[object, ...]], None]


@contextmanager
def watched(action: Callable[[int, str, tuple[object, ...]], None]) -> Iterator[Counter]:
    """Call `action(number, name, arguments)` before every call. Nothing is really synced: a killed
    process loses no data that the system already has."""
    counter = Counter()
    originals = {name: getattr(files, name) for name in PRIMITIVES}

    def wrap(name: str) -> Callable[..., object]:
        def call(*args: object) -> object:
            number = len(counter.calls)
            counter.calls.append(name)
            action(number, name, args)
            return None if name == "fsync" else originals[name](*args)

        return call

    for name in PRIMITIVES:
        setattr(files, name, wrap(name))
    try:
        yield counter
    finally:
        for name, function in originals.items():
            setattr(files, name, function)


def count(run: Callable[[], object]) -> list[str]:
    """The names of all calls that `run` makes."""
    with watched(lambda number, name, args: None) as counter:
        run()
    return counter.calls


def kill_at(point: int, run: Callable[[], object], *, half: bool = False) -> None:
    """Run in a child process that SIGKILLs itself at call `point`.

    half: a write at that point gets half of its bytes onto the disk first.
    """

    def action(number: int, name: str, args: tuple[object, ...]) -> None:
        if number == point:
            if half and name == "write":
                fd, data = args
                assert isinstance(fd, int) and isinstance(data, bytes)
                os.write(fd, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    pid = os.fork()
    if pid == 0:
        try:
            with watched(action):
                run()
        finally:
            os._exit(0)
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status), f"the run ended before call {point}"


@contextmanager
def failing(point: int, number: int, *, lasting: bool = False) -> Iterator[None]:
    """Raise OSError(number) at call `point` (lasting: and at every later call that needs room)."""

    def action(at: int, name: str, args: tuple[object, ...]) -> None:
        needs_room = name in ("create", "write", "mkdir", "symlink")
        if at == point or (lasting and at > point and needs_room):
            raise OSError(number, os.strerror(number))

    with watched(action):
        yield


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every directory, file and link below `root`: mode and content."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in sorted(root.rglob("*")):
        mode = path.lstat().st_mode
        name = path.relative_to(root).as_posix()
        if stat.S_ISLNK(mode):
            found[name] = (stat.S_IFLNK, os.fsencode(path.readlink()))
        else:
            found[name] = (mode, b"" if stat.S_ISDIR(mode) else path.read_bytes())
    return found
