"""Importing modules in the background, while the program waits for Git."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from threading import Thread


def preload(*modules: str) -> None:
    """Import modules in a thread of its own; who needs one sooner waits for it as for any import.

    A module that cannot be imported says so where it is needed.
    """
    Thread(target=_import, args=(modules,), daemon=True).start()


def _import(modules: tuple[str, ...]) -> None:
    for module in modules:
        with suppress(ImportError):
            import_module(module)
