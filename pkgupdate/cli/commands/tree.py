"""`pkgupdate tree`: the resources of a package by file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli.completion import complete_package


class TreeFormat(StrEnum):
    """Forms of the tree."""

    TEXT = "text"
    JSON = "json"


def tree(
    package: Annotated[
        Path,
        typer.Argument(
            metavar="PKG", help="The package, or any folder.", autocompletion=complete_package
        ),
    ] = Path(),
    form: Annotated[
        TreeFormat, typer.Option("--format", help="The form of the tree.")
    ] = TreeFormat.TEXT,
) -> None:
    """List the resources of a package by file, subpackages included."""
    from pkgupdate.cli import console
    from pkgupdate.cli.target import note_interruption
    from pkgupdate.inspect.resource_tree import resource_tree
    from pkgupdate.report.resource_tree import render_tree, render_tree_json

    note_interruption(package)
    found = resource_tree(package)
    if form is TreeFormat.JSON:
        console.result(render_tree_json(found))
    else:
        console.result(render_tree(found, style=console.style))
