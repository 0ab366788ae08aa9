"""`pkgupdate status` and `outdated`: where packages stand."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pkgupdate.cli.completion import complete_package
from pkgupdate.cli.options import load, update_settings

if TYPE_CHECKING:
    from pkgupdate.inspect.status import PackageStatus

_UNKNOWN = 3


class StatusFormat(StrEnum):
    """Forms of the list."""

    TEXT = "text"
    JSON = "json"


_Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH...",
        help="Packages, or folders to look for packages in.",
        autocompletion=complete_package,
    ),
]
_Form = Annotated[StatusFormat, typer.Option("--format", help="The form of the list.")]


def status(
    context: typer.Context,
    paths: _Paths = None,
    form: _Form = StatusFormat.TEXT,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 if a package is behind or changed.")
    ] = False,
) -> int:
    """Show where packages stand: ref, commit, the newest there is, local changes.

    Exits 3 if something could not be found out for a package; the others are still shown. With -v,
    each local change is listed.
    """
    from pkgupdate.cli import console
    from pkgupdate.report.status import render_status, render_status_json

    found = _statuses(context, paths)
    if form is StatusFormat.JSON:
        console.result(render_status_json(found))
    else:
        console.result(render_status(found, style=console.style, verbose=console.is_verbose()))
    return _exit_code(found, wanted=exit_code and any(s.is_behind or s.is_changed for s in found))


def outdated(
    context: typer.Context,
    paths: _Paths = None,
    form: _Form = StatusFormat.TEXT,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 if a package is behind.")
    ] = False,
) -> int:
    """List the packages that are behind: upstream has newer commits in their directory."""
    from pkgupdate.cli import console
    from pkgupdate.cli.target import note_interruption
    from pkgupdate.report.status import render_outdated, render_status_json

    statuses = _statuses(context, paths, local=False)
    for status in statuses:
        note_interruption(status.root)
    found = [s for s in statuses if s.is_behind or s.error]
    if form is StatusFormat.JSON:
        console.result(render_status_json(found))
    else:
        console.result(render_outdated(found, style=console.style))
    return _exit_code(found, wanted=exit_code and any(s.is_behind for s in found))


def _statuses(
    context: typer.Context, paths: list[Path] | None, *, local: bool = True
) -> list[PackageStatus]:
    from pkgupdate.inspect.packages import find_packages
    from pkgupdate.inspect.status import package_statuses

    roots = find_packages(paths or [Path()])
    settings = update_settings(load(context, None), None, None)
    return package_statuses(roots, settings, local=local)


def _exit_code(found: list[PackageStatus], *, wanted: bool) -> int:
    """3 if something is not known, else 1 if it is wanted; hints about errors go to stderr."""
    from pkgupdate.cli import console

    hints = dict.fromkeys(s.error.hint for s in found if s.error and s.error.hint)
    for hint in hints:
        console.note(f"hint: {hint}")
    if any(s.error for s in found):
        return _UNKNOWN
    return 1 if wanted else 0
