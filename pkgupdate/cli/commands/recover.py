"""`pkgupdate recover` and `pkgupdate undo`: back to a whole package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli.completion import complete_package

Package = Annotated[
    Path,
    typer.Argument(metavar="PKG", help="The package's folder.", autocompletion=complete_package),
]


def recover(package: Package = Path()) -> None:
    """Bring a package whose update was interrupted back to a whole state."""
    from pkgupdate.cli import console
    from pkgupdate.update.checks import check_package
    from pkgupdate.update.journal import Recovery, recover

    words = {
        None: "nothing to recover",
        Recovery.RESTORED: "restored: the package is as it was before the update",
        Recovery.FINISHED: "finished: all of the update was in place",
    }
    outcome = recover(package)
    if outcome is None:
        check_package(package)
    console.result(f"{package}: {words[outcome]}\n")


def undo(package: Package = Path()) -> None:
    """Take the last update of a package back."""
    from pkgupdate.cli import console
    from pkgupdate.errors import ApplyError
    from pkgupdate.report.display import count
    from pkgupdate.update.checks import check_package
    from pkgupdate.update.journal import undo
    from pkgupdate.upstream.text import printable

    try:
        paths = undo(package)
    except ApplyError:
        check_package(package)
        raise
    lines = [f"{package}: took {count(len(paths), 'file')} back"]
    console.result("\n".join([*lines, *(f"  {printable(path)}" for path in paths)]) + "\n")
