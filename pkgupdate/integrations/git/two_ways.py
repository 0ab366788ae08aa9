"""A merge in which neither side is upstream: done twice, once with each side winning.

The rules of a package's update let one side win where both changed the same thing. Between two
branches nobody has said who should; so the merge is done for each winner, and what the results do
not share is left to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from pkgupdate.document.document import BOM, Document
from pkgupdate.errors import DocumentError
from pkgupdate.integrations.git import lock_unit
from pkgupdate.merge.decisions import Choice, Decision, DecisionKey, Kind, Rule, Subject
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.three_way import Winner

_ARGUABLE = (Subject.ORDER, Subject.COMMENT_HEAD, Subject.COMMENT_LINE, Subject.COMMENT_FOOT)
_BY_LINES = (Rule.NOT_YAML, Rule.BINARY, Rule.LINK)


class NotStructural(Exception):
    """The texts cannot be merged as data; the message says why."""


@dataclass(frozen=True, slots=True)
class TwoWays:
    """The merged text, with all collisions decided for theirs (upstream) and for ours (local).

    decisions: those of the merge that ours wins. spans: ranges of our lines in which all
    differences belong together.
    """

    upstream: str
    local: str
    decisions: list[Decision] = field(default_factory=list)
    spans: Sequence[tuple[int, int]] = ()

    @property
    def is_clean(self) -> bool:
        """Did nothing collide?"""
        return self.upstream == self.local

    @property
    def collisions(self) -> list[Decision]:
        """What is worth showing where the results differ."""
        return [d for d in self.decisions if d.kind is Kind.COLLISION or is_arguable(d)]


Result = TypeVar("Result")
Merge: TypeAlias = "Callable[[Policy], tuple[Result, list[Decision]]]"


def merge_file(
    texts: Sides[str],
    path: str,
    *,
    is_ancestor: lock_unit.IsAncestor = lock_unit.known_ancestor,
) -> TwoWays:
    """Merge three versions of one file; an empty original means that both sides added it.

    Raises NotStructural.
    """
    from pkgupdate.package.kinds import KPTFILE

    name = path.rpartition("/")[2]
    try:
        if name == KPTFILE:
            return _merge_kptfile(texts, path, is_ancestor)
        return TwoWays(*merge_twice(lambda policy: _merge_resources(texts, path, policy)))
    except DocumentError as error:
        raise NotStructural(f"{error.what} {error.where}".strip()) from error


def merge_twice(
    merge: Merge[Result], *, surely_differ: bool = False
) -> tuple[Result, Result, list[Decision]]:
    """Do a merge with each side winning: upstream's result, local's, and the decisions of that.

    What no rule calls a collision although both sides changed it (comments, order) goes with the
    winner as well. surely_differ: the results differ in more than collisions show.
    """
    local, decisions = merge(policy_for("local"))
    arguable = [d.key for d in decisions if is_arguable(d)]
    has_collisions = any(d.kind is Kind.COLLISION or _is_loss(d) for d in decisions)
    if not (arguable or has_collisions or surely_differ):
        return local, local, decisions
    if arguable:
        local, _ = merge(policy_for("local", arguable))
    upstream, _ = merge(policy_for("upstream", arguable))
    return upstream, local, decisions


def policy_for(winner: Winner, arguable: Sequence[DecisionKey] = ()) -> Policy:
    """The policy under which one side wins all there is to win."""
    choices: dict[DecisionKey, Choice] = dict.fromkeys(arguable, winner)
    return Policy(on_conflict=OnConflict(winner), pipeline_fallback="align", choices=choices)


def is_arguable(decision: Decision) -> bool:
    """Did both sides change a comment or an order in different ways?"""
    original, upstream, local = decision.original, decision.upstream, decision.local
    changed = original != upstream and original != local and upstream != local
    return decision.subject in _ARGUABLE and changed


def _is_loss(decision: Decision) -> bool:
    """Is it a local deletion of what the other side edited? The rules call that no collision."""
    return decision.rule in (Rule.EDIT_DELETE, Rule.DELETE_EDIT)


def _merge_resources(texts: Sides[str], path: str, policy: Policy) -> tuple[str, list[Decision]]:
    from pkgupdate.package.merge import merge_trees
    from pkgupdate.package.tree import MemoryTree, Tree

    original = {path: texts.original.encode()} if texts.original else {}
    trees: Sides[Tree] = Sides(
        MemoryTree(original),
        MemoryTree({path: texts.upstream.encode()}),
        MemoryTree({path: texts.local.encode()}),
    )
    merged = merge_trees(trees, policy=policy, is_root=False)
    for decision in merged.decisions:
        if decision.rule in _BY_LINES or (
            decision.rule is Rule.TEXT and decision.subject is Subject.FILE
        ):
            raise NotStructural(decision.note or "it is not YAML")
    for change in merged.changes:
        if change.path == path:
            return (change.after.content.decode() if change.after else ""), merged.decisions
    return texts.local, merged.decisions


def _merge_kptfile(texts: Sides[str], path: str, is_ancestor: lock_unit.IsAncestor) -> TwoWays:
    """The lock is settled first, then the rest is merged around it."""
    documents = texts.map(lambda text: Document(text, name=path))
    winner = lock_unit.settle(documents, is_ancestor)
    if winner is not None:
        return _merge_around(documents, winner, winner)
    merged = _merge_around(documents, "upstream", "local")
    return TwoWays(
        merged.upstream,
        merged.local,
        merged.decisions,
        lock_unit.line_spans(Document(merged.local, name=path)),
    )


def _merge_around(documents: Sides[Document], if_upstream: Winner, if_local: Winner) -> TwoWays:
    """Merge both ways, with the lock of these sides."""
    from pkgupdate.document.apply import apply_edits
    from pkgupdate.merge.documents import Place
    from pkgupdate.merge.pipeline import merge_kptfiles

    def merge(policy: Policy) -> tuple[str, list[Decision]]:
        winner = if_upstream if policy.on_conflict is OnConflict.UPSTREAM else if_local
        source = documents.upstream if winner == "upstream" else documents.local
        sides = documents.map(lambda d: Document(lock_unit.with_unit_of(d, source), name=d.name))
        original = sides.original if documents.original.root is not None else None
        decisions = merge_kptfiles(
            Sides(original, sides.upstream, sides.local),
            Place(documents.local.name),
            policy,
            is_root=False,
        )
        edits = [edit for decision in decisions for edit in decision.edits]
        bom = BOM if documents.local.bom else ""
        text = apply_edits(sides.local, edits) if edits else sides.local.text
        return bom + text.removeprefix(BOM), decisions

    return TwoWays(*merge_twice(merge, surely_differ=if_upstream != if_local))
