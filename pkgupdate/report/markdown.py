"""The report for a pull request: warnings first, then what arrived, details folded away."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from pkgupdate.merge.decisions import Kind
from pkgupdate.report.changes import action
from pkgupdate.report.detail import with_details
from pkgupdate.report.display import count, without_common_lines
from pkgupdate.report.links import commit_page, comparison_page
from pkgupdate.report.message import outcome, place, shown
from pkgupdate.report.model import Item, PackageLine, Report
from pkgupdate.report.text import package_line, summary
from pkgupdate.upstream.text import printable


def render_markdown(report: Report) -> str:
    """The report as GitHub-flavoured Markdown."""
    report = with_details(report)
    kept = report.of_kind(Kind.KEPT)
    differing = [item for item in kept if "upstream" in item.changed_by]
    kept = [item for item in kept if item not in differing]
    blocks = [
        [f"## {_title(report)}"],
        [summary(report)],
        list(_packages(report.packages)),
        list(_collisions(report.of_kind(Kind.COLLISION))),
        [f"> **Note:** {escape(note)}" for note in report.notes],
        list(_table("Withheld by policy", report.of_kind(Kind.WITHHELD))),
        list(_table("Kept although upstream differs", differing)),
        list(_table("What arrived", report.of_kind(Kind.APPLIED))),
        list(_changelog(report)),
        list(_folded("Kept local changes", kept)),
        list(_folded("Same change on both sides", report.of_kind(Kind.AGREED))),
        list(_files(report)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _title(report: Report) -> str:
    if report.packages:
        return escape(package_line(report.packages[0], report.dry_run))
    return "Merge"


def _packages(packages: tuple[PackageLine, ...]) -> Iterator[str]:
    for package in packages[1:]:
        yield f"- {escape(package_line(package))}"


def _collisions(items: list[Item]) -> Iterator[str]:
    if not items:
        return
    yield f"### ⚠ {count(len(items), 'collision')}"
    yield ""
    yield "| where | original | upstream | local | outcome |"
    yield "|---|---|---|---|---|"
    for item in items:
        d = item.decision
        sides = without_common_lines([d.original, d.upstream, d.local])
        values = [code(shown(d, value)) for value in sides]
        cells = [code(place(d)), *values, escape(outcome(d, item.winner))]
        yield f"| {' | '.join(cells)} |"


def _table(title: str, items: list[Item]) -> Iterator[str]:
    if not items:
        return
    yield f"### {title}"
    yield ""
    yield "| where | what |"
    yield "|---|---|"
    for item in items:
        yield f"| {code(place(item.decision))} | {escape(outcome(item.decision, item.winner))} |"


def _folded(title: str, items: list[Item]) -> Iterator[str]:
    if not items:
        return
    yield "<details>"
    yield f"<summary>{title} ({len(items)})</summary>"
    yield ""
    for item in items:
        yield f"- {code(place(item.decision))}: {escape(outcome(item.decision, item.winner))}"
    yield ""
    yield "</details>"


def _changelog(report: Report) -> Iterator[str]:
    """Upstream's commits of each package, with links where its host is known."""
    for package in report.packages:
        commits = report.changelog.get(package.directory, ())
        if not commits:
            continue
        old, new = package.from_commit, package.to_commit
        name = html.escape(printable(package.directory or package.name))
        span = f"{escape(package.from_ref)}…{escape(package.to_ref)}"
        yield "<details>"
        yield f"<summary>Upstream's changes to {name} ({count(len(commits), 'commit')})</summary>"
        yield ""
        if page := comparison_page(package.repo, old, new):
            yield f"[{span}]({page})"
            yield ""
        for commit in commits:
            page = commit_page(package.repo, commit.commit)
            short = f"`{commit.commit[:7]}`"
            link = f"[{short}]({page})" if page else short
            yield f"- {link} {escape(commit.subject)} ({escape(commit.author)}, {commit.date[:10]})"
        yield ""
        yield "</details>"


def _files(report: Report) -> Iterator[str]:
    if not report.changes:
        return
    yield "<details>"
    yield f"<summary>Files ({len(report.changes)})</summary>"
    yield ""
    for change in report.changes:
        yield f"- {action(change)} {code(printable(change.path))}"
    yield ""
    yield "</details>"


def code(text: str) -> str:
    """Inline code that also stands in a table cell."""
    fence = "``" if "`" in text else "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return fence + pad + text.replace("|", "\\|") + pad + fence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table; cells are Markdown already."""
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def escape(text: str) -> str:
    """Text with nothing that Markdown, HTML or a mention would act on."""
    for char in "\\`*_[]<>|#":
        text = text.replace(char, "\\" + char)
    return printable(text).replace("@", "@\u200b")
