"""What a policy lets upstream change, and the verdict on one unit.

Precedence: a person's choice > protected paths > scope > `on_conflict` > the merge rules.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from pkgupdate.document.values import MaybeValue
from pkgupdate.merge.decisions import Choice, FreeValue, Kind, Rule, Subject
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.merge.three_way import Outcome, Winner
from pkgupdate.paths import Path, format_path


class Place(NamedTuple):
    """Where decisions lie: the file, and the resource in it (`''` for what is no resource)."""

    file: str
    resource: str = ""


class Reach(Enum):
    """How far upstream's changes may go at a place."""

    OPEN = "everything at and below the place"
    PARTLY = "some of what is below it"
    CLOSED = "nothing"


class Gate(NamedTuple):
    """`rule` says what closes the place (None: it is never merged, and not worth a word)."""

    reach: Reach
    rule: Rule | None = None


OPEN = Gate(Reach.OPEN)


class Verdict(NamedTuple):
    """An outcome after the policy has spoken."""

    kind: Kind
    rule: Rule
    winner: Winner | FreeValue

    def result(self, upstream: MaybeValue, local: MaybeValue) -> MaybeValue:
        """The value that stands in the end."""
        if isinstance(self.winner, FreeValue):
            return self.winner.value
        return upstream if self.winner == "upstream" else local


def gate(policy: Policy, place: Place, path: Path, *, is_leaf: bool = False) -> Gate:
    """May upstream's change at `path` be taken? `is_leaf`: nothing lies below the path."""
    where = (place.resource, place.file, path)
    if policy.protected and policy.is_protected(*where):
        return Gate(Reach.CLOSED, Rule.PROTECTED)
    if policy.scope and not policy.in_scope(*where):
        if is_leaf or not policy.scope_below(*where):
            return Gate(Reach.CLOSED, Rule.SCOPE)
        return Gate(Reach.PARTLY, Rule.SCOPE)
    if policy.protected and not is_leaf and policy.protects_below(*where):
        return Gate(Reach.PARTLY, Rule.PROTECTED)
    return OPEN


def judge(
    outcome: Outcome,
    policy: Policy,
    place: Place,
    path: Path = (),
    subject: Subject = Subject.VALUE,
    at: Gate | None = None,
) -> Verdict:
    """Who wins a unit at last. `at`: the gate, where the caller knows it already."""
    choice = choice_for(policy, place, path, subject)
    if choice is not None:
        return Verdict(_chosen_kind(outcome.kind, choice), Rule.CHOICE, choice)
    if outcome.kind in (Kind.APPLIED, Kind.COLLISION) and (policy.protected or policy.scope or at):
        barrier = at or gate(policy, place, path, is_leaf=True)
        if barrier.reach is Reach.CLOSED and barrier.rule is not None:
            return Verdict(Kind.WITHHELD, barrier.rule, "local")
    return Verdict(outcome.kind, outcome.rule, winner(outcome, policy))


def _chosen_kind(kind: Kind, choice: Choice) -> Kind:
    """What became of a unit that one side changed, after a person chose the other side."""
    if kind is Kind.APPLIED and choice == "local":
        return Kind.WITHHELD
    return Kind.APPLIED if kind is Kind.KEPT and choice == "upstream" else kind


def winner(outcome: Outcome, policy: Policy) -> Winner:
    """Who wins by the rules and by how collisions end."""
    if outcome.kind is not Kind.COLLISION:
        return outcome.winner
    if policy.on_conflict is not OnConflict.RULES:
        return "upstream" if policy.on_conflict is OnConflict.UPSTREAM else "local"
    return "upstream" if policy.kpt_compat else outcome.winner


def choice_for(policy: Policy, place: Place, path: Path, subject: Subject) -> Choice | None:
    """What a person chose for this place."""
    if not policy.choices:
        return None
    return policy.choices.get((place.file, place.resource, format_path(path), subject.value))
