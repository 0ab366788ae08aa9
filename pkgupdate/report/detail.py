"""Which fields changed where upstream's version of a resource was taken as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.report.model import Item, Report

if TYPE_CHECKING:
    from pkgupdate.package.changes import FileChange


def with_details(report: Report) -> Report:
    """The report with an item for every field in place of one for a resource that was replaced.

    What was added or deleted as a whole stays one item, and so does a file that is no YAML.
    """
    changes = {change.path: change for change in report.changes}
    known: dict[str, list[Decision]] = {}
    items: list[Item] = []
    for item in report.items:
        decision = item.decision
        change = changes.get(decision.new_path or decision.file)
        if change is None or not _is_replaced(decision):
            items.append(item)
            continue
        if change.path not in known:
            known[change.path] = list(_field_decisions(change))
        found = [d for d in known[change.path] if d.resource == decision.resource]
        if decision.subject is Subject.FILE:
            found = known[change.path]
        items += [Item.of(replace(d, file=decision.file)) for d in found] or [item]
    return replace(report, items=tuple(items))


def _is_replaced(decision: Decision) -> bool:
    return (
        decision.kind is Kind.APPLIED
        and decision.rule is Rule.UPSTREAM_ONLY
        and decision.subject in (Subject.RESOURCE, Subject.FILE)
        and bool(decision.original and decision.upstream)
        and route_of(decision.file) is Route.RESOURCES
    )


def _field_decisions(change: FileChange) -> Iterator[Decision]:
    """What a merge of the new content into the old one does."""
    from pkgupdate.package.merge import merge_trees
    from pkgupdate.package.tree import MemoryTree

    if change.before is None or change.after is None:
        return
    before = MemoryTree({change.path: change.before})
    after = MemoryTree({change.path: change.after})
    merge = merge_trees(Sides(before, after, before), policy=Policy(in_detail=True))
    yield from merge.decisions
