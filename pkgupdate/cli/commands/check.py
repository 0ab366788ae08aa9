"""`pkgupdate check`: is a package whole?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli import console


class Format(StrEnum):
    """The form of the findings."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders, or files whose packages are checked.", metavar="[PATH]..."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="The form of the output.")] = Format.TEXT,
) -> None:
    """Look for conflict markers, broken YAML, duplicates and locks that do not fit; exit 1."""
    from pkgupdate.cli.target import note_interruption
    from pkgupdate.integrations.git import findings
    from pkgupdate.integrations.git.check_paths import check_paths

    for path in paths or [Path()]:
        note_interruption(path)
    found = check_paths(paths or [Path()])
    write = {
        Format.TEXT: findings.as_text,
        Format.JSON: findings.as_json,
        Format.GITHUB: findings.as_github,
        Format.SARIF: findings.as_sarif,
    }[form]
    console.result(write(found))
    if found:
        raise typer.Exit(1)
