"""Printing a report in the form that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pkgupdate.cli import console

if TYPE_CHECKING:
    from pkgupdate.cli.options import Format
    from pkgupdate.report.model import Report


def print_report(report: Report, form: Format, **extra: Any) -> None:
    """The report on stdout; `extra` members go into JSON only."""
    console.result(rendered(report, form, **extra))


def rendered(report: Report, form: Format, **extra: Any) -> str:
    """The report in this form."""
    if form == "json":
        from pkgupdate.report.as_json import render_json

        return render_json(report, **extra)
    if form == "markdown":
        from pkgupdate.report.markdown import render_markdown

        return render_markdown(report)
    if form == "diff":
        from pkgupdate.report.unified import render_diff

        return render_diff(report.changes)
    from pkgupdate.report.text import render_text

    return render_text(report, style=console.style, verbose=console.is_verbose())


def exit_code(report: Report, *, wanted: bool) -> int:
    """1 if `--exit-code` is given and there are collisions or, in a dry run, changes."""
    from pkgupdate.merge.decisions import Kind

    found = report.counts[Kind.COLLISION] or (report.dry_run and report.changes)
    return 1 if wanted and found else 0
