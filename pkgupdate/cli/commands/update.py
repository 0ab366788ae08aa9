"""`pkgupdate update`: merge upstream's changes into a package."""

from __future__ import annotations

from contextlib import nullcontext
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
from pkgupdate.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from pkgupdate.merge.decisions import Choices
    from pkgupdate.update.plan import Plan


def update(
    context: typer.Context,
    package: Annotated[str, target_argument("The package, and the ref to update to.")] = ".",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen and write nothing.")
    ] = False,
    commit: Annotated[
        bool, typer.Option("--commit", help="Commit what the update changed, and nothing else.")
    ] = False,
    form: FormatOption = Format.TEXT,
    exit_code: ExitCodeOption = False,
) -> int:
    """Merge upstream's changes into a package and keep your own.

    Without @REF, the ref in the package's Kptfile is taken again.
    """
    from pkgupdate.cli import collisions, console, output
    from pkgupdate.cli.target import split_target
    from pkgupdate.preload import preload
    from pkgupdate.update.plan import apply_plan, exclusive, plan_update

    root, ref = split_target(package)
    config = load(context, root)
    preload("pkgupdate.report.model", "pkgupdate.report.text")
    settings = update_settings(config, ref, None)

    def merge(choices: Choices) -> Plan:
        console.progress(f"updating {root}")
        return plan_update(root, update_settings(config, ref, choices))

    if commit:
        from pkgupdate.integrations.git.process import top_level

        top_level(root)
        if settings.policy.conflict_markers:
            raise UsageError(
                "usage",
                "--commit could commit conflict markers",
                hint="leave one of --commit and --conflict-markers out",
            )
    notes: list[str] = []
    with nullcontext(notes) if dry_run else exclusive(root) as notes:
        plan = collisions.merge_with_answers(config, merge)
        writes = not dry_run and not collisions.is_refused(config, plan)
        if writes:
            apply_plan(plan)
            if commit and plan.changes:
                from pkgupdate.integrations.git.commit import commit_update, read_changelog

                changelog = read_changelog(plan, settings)
                plan.notes.append(f"committed as {commit_update(root, plan, changelog)[:12]}")
    plan.notes[:0] = notes
    steps = next_steps(root, committed=commit) if writes and plan.changes else ()
    from pkgupdate.report.model import report_plan

    report = report_plan(
        "update",
        plan,
        dry_run=not writes,
        next_steps=steps,
        changelog=output.changelog(form, plan, settings),
    )
    output.print_report(report, form, config.policy())
    collisions.refuse_collisions(config, plan)
    return output.exit_code(report, wanted=exit_code)


def next_steps(root: Path, *, committed: bool = False) -> tuple[str, ...]:
    """What to do after an update that changed something."""
    look = "git show" if committed else "git diff"
    return (f"{look} -- {root}", f"pkgupdate undo {root}   (takes the update back)")
