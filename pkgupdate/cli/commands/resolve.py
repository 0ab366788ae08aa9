"""`pkgupdate resolve`: decide the conflicts that a merge left in the work tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli import console


def resolve(
    directory: Annotated[
        Path, typer.Argument(help="Where to look.", metavar="[DIR]", file_okay=False, exists=True)
    ] = Path(),
) -> None:
    """Show each conflict, ask for a side or a value, then write and stage the files."""
    from pkgupdate.cli.ask import ask, terminal_dialog
    from pkgupdate.integrations.git.resolve import open_files, settle

    files = open_files(directory)
    if not files:
        console.note("nothing to resolve")
        return
    collisions = [decision for file in files for decision in file.collisions()]
    broken = settle(files, ask(collisions, terminal_dialog()), directory)
    for file in files:
        state = "cannot be read as YAML yet, not staged" if file.path in broken else "resolved"
        console.result(f"{file.path}: {state}\n")
    if broken:
        raise typer.Exit(1)
