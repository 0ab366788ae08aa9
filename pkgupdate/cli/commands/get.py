"""`pkgupdate get`: fetch a package for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli.options import Format, FormatOption, load, update_settings


def get(
    context: typer.Context,
    address: Annotated[
        str, typer.Argument(metavar="REPO.git/DIR@REF", help="Where the package is.")
    ],
    dest: Annotated[
        Path | None, typer.Argument(metavar="DEST", help="The new folder, or one to make it in.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Fetch a package from its upstream into a new folder."""
    from pkgupdate.cli import console, output
    from pkgupdate.report.model import report_plan
    from pkgupdate.update.get import get_package
    from pkgupdate.upstream.address import parse_address

    source = parse_address(address)
    settings = update_settings(load(context, None), None, None)
    console.progress(f"fetching {source.redacted()}")
    plan = get_package(source, dest, settings)
    steps = [f"pkgupdate update {_shown(plan.root)}@REF   (when upstream has moved on)"]
    output.print_report(report_plan("get", plan, next_steps=steps), form)


def _shown(root: Path) -> str:
    """The folder as a person would name it from here."""
    here = Path.cwd()
    return str(root.relative_to(here) if root.is_relative_to(here) else root)
