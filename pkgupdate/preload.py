"""Importing modules while Git works, so that their loading takes no time of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

_wanted: list[str] = []


def preload(*modules: str) -> None:
    """Name modules that will be needed, in this order, and before those named earlier."""
    _wanted[:] = dict.fromkeys((*modules, *_wanted))


def import_until(is_over: Callable[[], bool]) -> None:
    """Import what was named, module by module, until a wait is over.

    In the thread that waits: another one would compete with it for the interpreter. A module that
    cannot be imported says so where it is needed.
    """
    while _wanted and not is_over():
        with suppress(ImportError, IndexError):  # another thread may have taken the last one
            import_module(_wanted.pop(0))
