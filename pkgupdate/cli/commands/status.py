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
    MARKDOWN = "markdown"


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
    from pkgupdate.report.status import render_status

    found = _statuses(context, paths)
    text = _rendered(found, form)
    if text is None:
        text = render_status(found, style=console.style, verbose=console.is_verbose())
    console.result(text)
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
    from pkgupdate.report.status import render_outdated

    statuses = _statuses(context, paths, local=False)
    for status in statuses:
        note_interruption(status.root)
    found = [s for s in statuses if s.is_behind or s.error]
    text = _rendered(found, form)
    console.result(render_outdated(found, style=console.style) if text is None else text)
    return _exit_code(found, wanted=exit_code and any(s.is_behind for s in found))


def _statuses(
    context: typer.Context, paths: list[Path] | None, *, local: bool = True
) -> list[PackageStatus]:
    from pkgupdate.inspect.packages import find_packages
    from pkgupdate.inspect.status import package_statuses

    roots = find_packages(paths or [Path()])
    settings = update_settings(load(context, None), None, None)
    return package_statuses(roots, settings, local=local)


def _rendered(found: list[PackageStatus], form: StatusFormat) -> str | None:
    """The list in a form that both commands share; None for text, of which each has its own."""
    from pkgupdate.report.status import render_status_json, render_status_markdown

    if form is StatusFormat.JSON:
        return render_status_json(found)
    return render_status_markdown(found) if form is StatusFormat.MARKDOWN else None


def _exit_code(found: list[PackageStatus], *, wanted: bool) -> int:
    """3 if something is not known, else 1 if it is wanted; hints about errors go to stderr."""
    from pkgupdate.cli import console

    hints = dict.fromkeys(s.error.hint for s in found if s.error and s.error.hint)
    for hint in hints:
        console.note(f"hint: {hint}")
    if any(s.error for s in found):
        return _UNKNOWN
    return 1 if wanted else 0
