"""`pkgupdate git enable|disable|status`: the merge driver and the hooks of a repository."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pkgupdate.cli import console

if TYPE_CHECKING:
    from pkgupdate.integrations.git.setup import Scope, Status

_Local = Annotated[bool, typer.Option("--local", help="For this repository (the default).")]
_Global = Annotated[bool, typer.Option("--global", help="For all repositories of this user.")]


class Format(StrEnum):
    """Forms of the status."""

    TEXT = "text"
    JSON = "json"


def enable(
    local: _Local = False,
    globally: _Global = False,
    hooks: Annotated[
        bool, typer.Option("--hooks/--no-hooks", help="Install the hooks too.")
    ] = True,
) -> None:
    """Register the merge driver, write the attributes and install the hooks."""
    from pkgupdate.integrations.git import setup

    _show(setup.enable(_scope(local, globally), with_hooks=hooks), Format.TEXT)


def disable(local: _Local = False, globally: _Global = False) -> None:
    """Take back what `enable` did."""
    from pkgupdate.integrations.git import setup

    _show(setup.disable(_scope(local, globally)), Format.TEXT)


def status(
    local: _Local = False,
    globally: _Global = False,
    form: Annotated[Format, typer.Option("--format", help="The form of the output.")] = Format.TEXT,
) -> None:
    """Show what is set up, as Git sees it."""
    from pkgupdate.integrations.git import setup

    _show(setup.status(_scope(local, globally)), form)


def merge_driver(
    words: Annotated[list[str], typer.Argument(metavar="%O %A %B [%L] %P", show_default=False)],
) -> int:
    """Merge one file for Git, which calls this with the names of three temporary files."""
    from pkgupdate.integrations.git.driver import main

    return main(words)


def _scope(local: bool, globally: bool) -> Scope:
    if local and globally:
        raise typer.BadParameter("--local and --global exclude each other")
    return "global" if globally else "local"


def _show(status: Status, form: Format) -> None:
    if form is Format.JSON:
        console.result(json.dumps(_as_json(status), indent=2) + "\n")
        return
    driver = f"{status.driver}  ({status.driver_scope})" if status.driver else "not registered"
    there = "has our lines" if status.has_attributes else "does not have our lines"
    lines = [f"driver      {driver}", f"attributes  {status.attributes_file} {there}"]
    for pattern, ours in status.merged_by_us.items():
        lines.append(f"  {pattern:<9} {'merged by pkgupdate' if ours else 'merged by git alone'}")
    for hook in status.hooks:
        state = "installed" if hook.installed else "not installed"
        chained = ", runs the earlier hook first" if hook.chained else ""
        lines.append(f"hook        {hook.name}: {state}{chained}")
    console.result("\n".join(lines) + "\n")
    for text in status.notes:
        console.note(f"note: {text}")


def _as_json(status: Status) -> dict[str, object]:
    from pkgupdate.report.as_json import API_VERSION

    return {
        "apiVersion": API_VERSION,
        "kind": "GitStatus",
        "scope": status.scope,
        "driver": status.driver,
        "driverScope": status.driver_scope,
        "attributesFile": str(status.attributes_file),
        "hasAttributes": status.has_attributes,
        "mergedByUs": status.merged_by_us,
        "hooks": [
            {"name": h.name, "path": str(h.path), "installed": h.installed, "chained": h.chained}
            for h in status.hooks
        ],
        "notes": list(status.notes),
    }
