"""The report path by path: what touches it, who owns it, and whether upstream may change it."""

from __future__ import annotations

from collections.abc import Iterator

from pkgupdate.document.values import MaybeValue, Missing
from pkgupdate.merge.decisions import Decision, Rule
from pkgupdate.merge.gates import Place, Reach, gate
from pkgupdate.merge.policy import Policy
from pkgupdate.report.detail import with_details
from pkgupdate.report.message import is_whole, place, shown
from pkgupdate.report.model import Item, Report
from pkgupdate.report.text import Style, package_line, plain, summary
from pkgupdate.upstream.text import printable

_HEAD = ("OWNER", "POLICY", "OUTCOME", "PATH")
_WIDTHS = (8, 9, 9)


def render_mutations(report: Report, policy: Policy, *, style: Style = plain) -> str:
    """One line for each path that a side changed, and below it the changes that meet there.

    Columns: owner is `upstream`, `local` or `both`, by who changed the place since the original;
    policy is `protected`, `no-scope` (the scope leaves it out), `chosen` (by a person) or
    `eligible`.
    """
    blocks = [[package_line(package, report.dry_run) for package in report.packages]]
    items = [item for item in with_details(report).items if item.changed_by]
    rows = [line for item in items for line in _mutation(item, policy, style)]
    blocks.append([style(_columns(*_HEAD), "title"), *rows] if rows else [])
    blocks.append([style(summary(report), "title")])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def standing(decision: Decision, policy: Policy) -> str:
    """What the policy says about upstream's changes at the place."""
    if decision.rule is Rule.CHOICE:
        return "chosen"
    if decision.rule is Rule.PROTECTED:  # also by the policy of a subpackage
        return "protected"
    where = Place(decision.file, decision.resource)
    closed = gate(policy, where, decision.path, is_leaf=True)
    if closed.reach is not Reach.CLOSED:
        return "eligible"
    return "protected" if closed.rule is Rule.PROTECTED else "no-scope"


def _mutation(item: Item, policy: Policy, style: Style) -> Iterator[str]:
    decision = item.decision
    owner = "both" if len(item.changed_by) > 1 else item.changed_by[0]
    columns = _columns(owner, standing(decision, policy), decision.kind, place(decision))
    yield style(columns, decision.kind)
    for side in item.changed_by:
        value = decision.upstream if side == "upstream" else decision.local
        yield f"  {side:<8}  {_change(decision, value)}"
    if decision.new_path:
        yield f"  moved to  {printable(decision.new_path)}"


def _change(decision: Decision, value: MaybeValue) -> str:
    if not is_whole(decision):
        return f"{shown(decision, decision.original)} -> {shown(decision, value)}"
    if isinstance(decision.original, Missing):
        return "added"
    return "deleted" if isinstance(value, Missing) else "changed"


def _columns(*cells: str) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=False))
    return "  ".join([*padded, cells[-1]])
