"""What a user types for a local package: ``PKG``, ``PKG@REF``, ``@REF``."""

from __future__ import annotations

from pathlib import Path

from pkgupdate.errors import UsageError


def split_target(text: str) -> tuple[Path, str | None]:
    """The package's folder and the ref, None if no ref is given.

    A folder whose own name holds an ``@`` is meant as a whole. Raises UsageError `bad-target`.
    """
    if not text:
        return Path(), None
    if "@" not in text or Path(text).is_dir():
        return Path(text), None
    folder, _, ref = text.rpartition("@")
    if not ref or ("@" in folder and not Path(folder).is_dir()):
        raise UsageError(
            "bad-target",
            f"cannot read {text!r} as a package and a ref",
            why="there is nothing after '@'" if not ref else "there is more than one '@'",
            hint="write PKG, PKG@REF or @REF",
        )
    return Path(folder), ref


def note_interruption(root: Path) -> None:
    """Say so if an update of the package at `root` broke off: its files are a mixture."""
    from pkgupdate.cli import console
    from pkgupdate.update.state import pending

    if root.is_dir() and pending(root):
        console.note(f"warning: an update of {root} broke off; run: pkgupdate recover {root}")
