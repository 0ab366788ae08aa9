"""The report for people: a line per resource, a block per collision, a summary, next steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from pkgupdate.merge.decisions import Kind, Rule
from pkgupdate.report.changes import letter
from pkgupdate.report.display import as_yaml, count, text_lines, without_common_lines
from pkgupdate.report.message import is_note, is_whole, outcome, place, shown
from pkgupdate.report.model import Item, PackageLine, Report
from pkgupdate.upstream.text import printable

Style = Callable[[str, str], str]
"""Takes a text and what it is (`title`, `winner`, `warning`, `added`, …); returns it painted."""

_COMMIT = 7
_WIDTH = 86
_LABEL = 14
_NARROWEST = 20
_NAMES = {
    Kind.APPLIED: "arrived",
    Kind.KEPT: "kept",
    Kind.AGREED: "agreed",
    Kind.COLLISION: "collided",
    Kind.WITHHELD: "withheld",
}


def plain(text: str, _what: str) -> str:
    """The style that paints nothing."""
    return text


def render_text(
    report: Report, *, style: Style = plain, verbose: bool = False, width: int = _WIDTH
) -> str:
    """The report as text that ends with a line end.

    verbose: one line for every decision, not only one for every resource. width: of the lines that
    show one value; names and paths are never cut.
    """
    blocks = [
        [package_line(p, report.dry_run) for p in report.packages],
        list((_every_decision if verbose else _by_resource)(report, style)),
        list(_collisions(report, style, width)),
        list(_listed(report, Kind.WITHHELD, "Withheld by policy", style)),
        list(_listed(report, Kind.KEPT, "Kept although upstream differs", style)),
        list(_files(report, style)),
        [style(f"note: {printable(note)}", "warning") for note in report.notes],
        [style(summary(report), "title")],
        [f"next: {step}" for step in report.next_steps],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def package_line(package: PackageLine, dry_run: bool = False) -> str:
    """``Update shop v1 -> v2 (1a2b3c4 -> 5d6e7f8, resource-merge)``."""
    before = (package.from_ref, package.from_commit[:_COMMIT])
    after = (package.to_ref, package.to_commit[:_COMMIT])
    if not package.from_commit:
        verb, (ref, commit) = "Get", after
    elif before == after:
        verb, (ref, commit) = "Keep", after
    else:
        verb = "Update"
        ref, commit = (f"{old} -> {new}" for old, new in zip(before, after, strict=True))
    would = "Would " + verb.lower() if dry_run else verb
    name = package.directory or package.name
    return printable(f"{would} {name} {ref} ({commit}, {package.strategy})")


def summary(report: Report) -> str:
    """The whole in one line."""
    if not report.changes and not report.items:
        return "Nothing to do: the package is up to date."
    changed = count(len(report.changes), "file")
    parts = [f"{report.counts[kind]} {_NAMES[kind]}" for kind in Kind if report.counts[kind]]
    would = "would change" if report.dry_run else "changed"
    return f"{changed} {would}" + (f": {', '.join(parts)}." if parts else ".")


def _by_resource(report: Report, style: Style) -> Iterator[str]:
    """One line for each resource, or file that is none; details of what is not shown below."""
    groups: dict[tuple[str, str, str], list[Item]] = {}
    for item in report.items:
        decision = item.decision
        note = decision.note if is_note(decision) else ""
        groups.setdefault((decision.file, decision.resource, note), []).append(item)
    for (file, resource, _), items in groups.items():
        counts = Counter(item.decision.kind for item in items)
        label = _label(next(iter(counts)) if len(counts) == 1 else None, style)
        name = " ".join(printable(part) for part in (file, resource) if part)
        if len(items) == 1:
            yield f"{label} {name if _is_shown_below(items[0]) else items[0].message}"
        else:
            parts = [f"{counts[kind]} {_NAMES[kind]}" for kind in Kind if counts[kind]]
            yield f"{label} {name}: {', '.join(parts)}"


def _is_shown_below(item: Item) -> bool:
    """Does the decision have a line in one of the blocks after the list of resources?"""
    decision = item.decision
    if decision.kind is Kind.KEPT:
        return decision.upstream != decision.original
    return decision.kind in (Kind.COLLISION, Kind.WITHHELD)


def _label(kind: Kind | None, style: Style) -> str:
    text = f"{_NAMES[kind] if kind else 'merged':<9}"
    return style(text, kind) if kind else text


def _every_decision(report: Report, style: Style) -> Iterator[str]:
    for item in report.items:
        yield f"{_label(item.decision.kind, style)} {item.message}"


def _collisions(report: Report, style: Style, width: int) -> Iterator[str]:
    items = report.of_kind(Kind.COLLISION)
    if items:
        yield style(f"Collisions ({len(items)}), the winner marked with >", "title")
    for item in items:
        yield from collision_block(item, style, width)


def collision_block(item: Item, style: Style = plain, width: int = _WIDTH) -> Iterator[str]:
    """The place and the three values below each other, the winner marked."""
    decision = item.decision
    yield f"  {place(decision)}: {outcome(decision, item.winner)}"
    if is_whole(decision):
        return
    if decision.rule is Rule.PIPELINE_REPLACED:  # what is lost is shown whole
        yield from (f"    {printable(line)}" for line in as_yaml(decision.local).splitlines())
        return
    sides = {"original": decision.original, "upstream": decision.upstream, "local": decision.local}
    if item.winner == "merged":
        sides["result"] = decision.result
    values = without_common_lines(list(sides.values()))
    room = max(width - _LABEL, _NARROWEST)
    for name, value in zip(sides, values, strict=True):
        wins = name in (item.winner, "result")
        head = f"  {'>' if wins else ' '} {name:<8}  "
        for line in text_lines(value, room) or [shown(decision, value, room)]:
            yield style(head + line, "winner") if wins else head + line
            head = " " * _LABEL


def _listed(report: Report, kind: Kind, title: str, style: Style) -> Iterator[str]:
    """The decisions of a kind in which upstream had a say, one line each."""
    items = [item for item in report.of_kind(kind) if _is_shown_below(item)]
    if items:
        yield style(f"{title} ({len(items)})", "title")
    for item in items:
        yield f"  {item.message}"


def _files(report: Report, style: Style) -> Iterator[str]:
    if report.changes:
        yield style("Files that would change" if report.dry_run else "Files changed", "title")
    for change in report.changes:
        yield style(f"  {letter(change)} {printable(change.path)}", letter(change))
