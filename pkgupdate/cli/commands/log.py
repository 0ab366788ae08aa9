"""`pkgupdate log`: upstream's commits since the package was fetched."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from pkgupdate.cli.options import load, target_argument, update_settings


class LogFormat(StrEnum):
    """Forms of the log."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def log(
    context: typer.Context,
    package: Annotated[
        str, target_argument("The package, and the upstream ref where the log ends.")
    ] = ".",
    oneline: Annotated[
        bool, typer.Option("--oneline", help="One line for each commit (text only).")
    ] = False,
    form: Annotated[
        LogFormat, typer.Option("--format", help="The form of the log.")
    ] = LogFormat.TEXT,
) -> None:
    """List upstream's commits that touch the package, since it was fetched, newest first.

    Without REF, the log ends at the newest version, as `pkgupdate status` names it.
    """
    from pkgupdate.cli import console
    from pkgupdate.cli.target import note_interruption, split_target
    from pkgupdate.inspect.log import package_log
    from pkgupdate.report.log import render_log, render_log_json, render_log_markdown

    root, ref = split_target(package)
    note_interruption(root)
    found = package_log(root, ref, update_settings(load(context, root), ref, None))
    if form is LogFormat.JSON:
        console.result(render_log_json(found))
    elif form is LogFormat.MARKDOWN:
        console.result(render_log_markdown(found))
    else:
        text = render_log(found, oneline=oneline, style=console.style)
        console.result(text, paged=True)
