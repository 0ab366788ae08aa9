"""`pkgupdate apply`: carry out a stored plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli.completion import complete_package
from pkgupdate.cli.options import Format, FormatOption


def apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The file that `plan` wrote.")],
    package: Annotated[
        Path | None,
        typer.Argument(
            metavar="PKG",
            help="The package, if it is elsewhere now.",
            autocompletion=complete_package,
        ),
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Carry out a stored plan, exactly; refused if the package changed since it was made."""
    from pkgupdate.cli.commands.update import next_steps
    from pkgupdate.cli.output import print_report
    from pkgupdate.cli.plan_file import read_plan
    from pkgupdate.report.model import make_report
    from pkgupdate.update.journal import apply_changes

    stored = read_plan(plan, package)
    apply_changes(stored.folder, stored.changes)
    steps = next_steps(stored.folder) if stored.changes else ()
    print_report(make_report("apply", (), stored.changes, next_steps=steps), form)
