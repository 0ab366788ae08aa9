"""`pkgupdate hook run NAME`: what the installed hooks call."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from pkgupdate.cli import console


class Hook(StrEnum):
    """The hooks of Git that we take part in."""

    PRE_MERGE_COMMIT = "pre-merge-commit"
    PRE_COMMIT = "pre-commit"


def run(
    hook: Annotated[Hook, typer.Argument(help="The hook that runs.", metavar="NAME")],
    fix: Annotated[
        bool, typer.Option("--fix", help="Merge half merged packages again, and stage them.")
    ] = False,
) -> None:
    """Check the packages that the merge touches; exit 1 stops the commit."""
    from pkgupdate.integrations.git.findings import as_text
    from pkgupdate.integrations.git.hook_run import run_hook

    outcome = run_hook(fix=fix)
    for package in outcome.fixed:
        console.note(f"merged again: {package or '.'}")
    for package in outcome.updated:
        console.note(f"updated: {package or '.'}")
    if outcome.findings:
        console.result(as_text(outcome.findings))
        console.note(
            f"{hook.value}: the merge leaves a package half merged; correct it and commit, or"
            " run `pkgupdate hook run pre-commit --fix`"
        )
        raise typer.Exit(1)
    if (outcome.updated or outcome.fixed) and hook is Hook.PRE_MERGE_COMMIT:
        # Git has made the tree of the merge already and would leave the staged files out of it.
        console.note("the result is staged: `git commit` completes the merge with it")
        raise typer.Exit(1)
