"""The same work on many items, shared out among the CPUs.

The program forks copies of itself. They know all that it knows, start at once, and send back
nothing but results; what a copy cannot do, for whatever reason, is left to the program, so that
results and errors are those of a single process. A copy ends with its work, or when the program is
gone; it writes nothing, and runs nothing of what the program does at its end.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, Self, TypeVar

T = TypeVar("T", bound=Hashable)
R = TypeVar("R")

_MOST_PROCESSES = 4
_MOST_SHARES = 256
"""Shares are named by one byte. Whoever is idle takes the next one, so that none waits long."""

_ENDINGS = {signal.SIGINT, signal.SIGTERM}

_is_copy = False


class OnlyInOriginal(Exception):
    """A copy of the program was asked for what only the program itself can do."""


def refuse_in_copy() -> None:
    """Raise OnlyInOriginal if this process is a copy, so that the item is left to the program.

    For work that reads from what the processes share, or whose traces would end with the copy.
    """
    if _is_copy:
        raise OnlyInOriginal


def processes() -> int:
    """How many processes can work at once: 1 where forking is not possible, or not safe.

    It is not safe beside other threads (which a copy lacks, but not their locks), nor on macOS,
    whose libraries do not stand it; there nothing tells which CPUs a process may use, either.
    """
    if not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity"):
        return 1
    if _is_copy or threading.active_count() > 1:
        return 1
    return min(len(os.sched_getaffinity(0)), _MOST_PROCESSES)


def shared_out(work: Callable[[T], R], items: Sequence[T], workers: int) -> dict[T, R]:
    """Do the work on the items in this process and up to `workers - 1` copies of it.

    work: gives a result that can be pickled, and has no other effect that matters.
    items: the largest first, for an even end.

    Returns the results by item. Items on which `work` raised an Exception are missing, and so are
    those of a copy that died, and all where the system has no pipes left; the caller does them as
    if nothing had happened.
    """
    number = min(len(items), _MOST_SHARES)
    done: dict[T, R] = {}
    with suppress(OSError), _tickets(number) as tickets, _Copies() as copies:

        def shares() -> Iterator[Sequence[T]]:
            while ticket := os.read(tickets, 1):
                yield items[ticket[0] :: number]

        for _ in range(min(workers, number) - 1):
            copies.start(lambda: (_results(work, share) for share in shares()))
        for share in shares():
            done |= _results(work, share)
        for results in copies.results():
            done |= results
    return done


def _results(work: Callable[[T], R], share: Sequence[T]) -> dict[T, R]:
    results = {}
    for item in share:
        with suppress(Exception):
            results[item] = work(item)
    return results


@contextmanager
def _tickets(number: int) -> Iterator[int]:
    """A pipe out of which each number below `number` can be read once, whoever reads it."""
    read, write = os.pipe()
    try:
        os.write(write, bytes(range(number)))
        os.close(write)
        yield read
    finally:
        os.close(read)


class _Copies:
    """Copies of this process at work. Those that are left at the end of the context are killed."""

    def __init__(self) -> None:
        self._pipes: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pid in list(self._pipes):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self._forget(pid)

    def start(self, job: Callable[[], Iterator[object]]) -> None:
        """Fork a copy that does the job; if the system has no room for it, there is none."""
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        read, write = os.pipe()
        try:
            # An interruption waits until the copy is known, or has the means to end in silence.
            signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
            parent = os.getpid()
            pid = os.fork()
            if pid == 0:
                _be_copy(job, parent, read, write, mask)
            self._pipes[pid] = read
        except OSError:
            os.close(read)
        finally:
            os.close(write)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def results(self) -> Iterator[Any]:
        """What the jobs yielded, until the copies have ended."""
        for pid, pipe in list(self._pipes.items()):
            with (
                open(pipe, "rb", closefd=False) as stream,
                suppress(EOFError, pickle.UnpicklingError),
            ):
                while True:
                    yield pickle.load(stream)
            self._forget(pid)

    def _forget(self, pid: int) -> None:
        os.close(self._pipes.pop(pid))
        with suppress(ChildProcessError):  # who ignores SIGCHLD has no children to wait for
            os.waitpid(pid, 0)


def _be_copy(
    job: Callable[[], Iterator[object]],
    parent: int,
    read: int,
    write: int,
    mask: set[signal.Signals] | set[int],
) -> NoReturn:
    """Do the job, then send what it yielded; never returns, and never raises."""
    global _is_copy
    try:
        _is_copy = True
        gc.disable()  # garbage may hold the program's own processes and files
        for ending in _ENDINGS:
            signal.signal(ending, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(read)  # so that writing fails once the program is gone
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        pickles = []
        for results in job():
            if os.getppid() != parent:
                break
            with suppress(Exception):
                pickles.append(pickle.dumps(results, pickle.HIGHEST_PROTOCOL))
        with open(write, "wb") as pipe:
            pipe.writelines(pickles)
    finally:
        os._exit(0)
