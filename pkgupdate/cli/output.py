"""Printing a report in the form that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pkgupdate.cli import console

if TYPE_CHECKING:
    from pkgupdate.cli.options import Format
    from pkgupdate.merge.policy import Policy
    from pkgupdate.report.model import Changelog, Report
    from pkgupdate.update.options import UpdateOptions
    from pkgupdate.update.plan import Plan


def print_report(report: Report, form: Format, policy: Policy | None = None, **extra: Any) -> None:
    """The report on stdout; `extra` members go into JSON only."""
    text = rendered(report, form, policy, **extra)
    console.result(text, paged=form in ("diff", "mutations"))


def rendered(report: Report, form: Format, policy: Policy | None = None, **extra: Any) -> str:
    """The report in this form. policy: what `mutations` tells of places."""
    if form == "json":
        from pkgupdate.report.as_json import render_json

        return render_json(report, **extra)
    if form == "markdown":
        from pkgupdate.report.markdown import render_markdown

        return render_markdown(report)
    if form == "diff":
        from pkgupdate.report.unified import painted, render_diff

        return painted(render_diff(report.changes), console.style)
    if form == "mutations":
        from pkgupdate.merge.policy import Policy
        from pkgupdate.report.mutations import render_mutations

        return render_mutations(report, policy or Policy(), style=console.style)
    from pkgupdate.report.text import render_text

    if console.is_verbose():
        from pkgupdate.report.detail import with_details

        report = with_details(report)
    return render_text(
        report, style=console.style, verbose=console.is_verbose(), width=console.width()
    )


def changelog(form: Format, plan: Plan, settings: UpdateOptions) -> Changelog:
    """Upstream's commits, for the one form that shows them: they may have to be fetched."""
    if form != "markdown":
        return {}
    from pkgupdate.integrations.git.commit import read_changelog

    return read_changelog(plan, settings)


def exit_code(report: Report, *, wanted: bool) -> int:
    """1 if `--exit-code` is given and there are collisions or, in a dry run, changes."""
    from pkgupdate.merge.decisions import Kind

    found = report.counts[Kind.COLLISION] or (report.dry_run and report.changes)
    return 1 if wanted and found else 0
