"""`pkgupdate merge`: three files or three folders, without Git."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pkgupdate.cli.options import ExitCodeOption, Format, FormatOption, load

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Choices
    from pkgupdate.package.changes import PackageMerge

_ABSENT = "; left out, it is taken as empty"


def merge(
    context: typer.Context,
    original: Annotated[
        Path | None, typer.Option(help="The file or folder as it was fetched" + _ABSENT + ".")
    ] = None,
    upstream: Annotated[
        Path | None, typer.Option(help="What upstream has now" + _ABSENT + ".")
    ] = None,
    local: Annotated[Path | None, typer.Option(help="What you have now" + _ABSENT + ".")] = None,
    output: Annotated[
        str | None,
        typer.Option(
            help="Where the result goes; may be the local one, `-` for stdout (files only). "
            "Without it nothing is written.",
        ),
    ] = None,
    merge_comments: Annotated[
        bool, typer.Option("--merge-comments", help="Add `# kpt-merge:` to new resources.")
    ] = False,
    form: FormatOption = Format.TEXT,
    exit_code: ExitCodeOption = False,
) -> int:
    """Merge three files or folders, without Git.

    The result is the local version with upstream's changes since the original.
    """
    from pkgupdate.cli import collisions, console
    from pkgupdate.cli.output import exit_code as code
    from pkgupdate.cli.output import print_report, rendered
    from pkgupdate.cli.three_sides import ThreeSides
    from pkgupdate.package.merge import merge_trees
    from pkgupdate.report.model import make_report

    sides = ThreeSides(original, upstream, local, output)
    config = load(context, local if local and local.is_dir() else None)

    def run(choices: Choices) -> PackageMerge:
        return merge_trees(
            sides.trees,
            policy=config.policy(choices),
            schema_entries=config.schema,
            merge_comments=merge_comments,
        )

    merged = collisions.merge_with_answers(config, run)
    refused = collisions.is_refused(config, merged)
    report = make_report(
        "merge",
        merged.decisions,
        merged.changes,
        notes=sides.notes,
        dry_run=refused or output is None,
    )
    if not refused:
        sides.write(merged)
    if output != "-" or refused:
        print_report(report, form, config.policy())
    elif form is Format.JSON:
        print_report(report, form, output=sides.result_text(merged))
    else:
        console.result(sides.result_text(merged))
        console.note(rendered(report, form, config.policy()).rstrip("\n"))
    collisions.refuse_collisions(config, merged)
    return code(report, wanted=exit_code)
