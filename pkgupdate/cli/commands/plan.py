"""`pkgupdate plan`: compute an update and store it for review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pkgupdate.cli.options import (
    ExitCodeOption,
    Format,
    FormatOption,
    load,
    target_argument,
    update_settings,
)

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Choices
    from pkgupdate.update.plan import Plan


def plan(
    context: typer.Context,
    package: Annotated[str, target_argument("The package, and the ref to update to.")] = ".",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the plan is stored.")
    ] = Path("plan.json"),
    edit: Annotated[
        bool, typer.Option("--edit", help="Change decisions one by one before storing them.")
    ] = False,
    form: FormatOption = Format.TEXT,
    exit_code: ExitCodeOption = False,
) -> int:
    """Compute an update and store it; `pkgupdate apply` carries it out after review.

    The plan holds the new content of the files: keep it as you keep the package.
    """
    from pkgupdate.cli import ask, collisions
    from pkgupdate.cli import output as out
    from pkgupdate.cli.files import write_file
    from pkgupdate.cli.plan_file import plan_text
    from pkgupdate.cli.target import split_target
    from pkgupdate.package.tree import FileKind, FileState
    from pkgupdate.report.model import report_plan
    from pkgupdate.update.plan import plan_update

    root, ref = split_target(package)
    config = load(context, root)

    def merge(choices: Choices) -> Plan:
        return plan_update(root, update_settings(config, ref, choices, in_detail=edit))

    if edit:
        found = ask.flip(merge, ask.terminal_dialog())
    else:
        found = collisions.merge_with_answers(config, merge)
    report = report_plan(
        "plan",
        found,
        dry_run=True,
        changelog=out.changelog(form, found, update_settings(config, ref, None)),
        next_steps=[f"pkgupdate apply {output}"] if found.changes else [],
    )
    if not collisions.is_refused(config, found):
        text = plan_text(root, report, output)
        write_file(output, FileState(FileKind.FILE, text.encode("utf-8")), private=True)
    out.print_report(report, form, config.policy())
    collisions.refuse_collisions(config, found)
    return out.exit_code(report, wanted=exit_code)
