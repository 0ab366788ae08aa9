"""What a policy says about files, resources and packages as wholes."""

from __future__ import annotations

from pkgupdate.merge.decisions import DecisionKey, Rule, Subject
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.package.tree import blob_id


def withheld_by(
    policy: Policy,
    resource: str,
    file: str,
    subject: Subject | None = None,
    *,
    collides: bool = False,
) -> Rule | None:
    """The rule that keeps upstream's change to the whole thing out, None if none does.

    A person's choice goes before all rules. subject: a resource, if one is named, else a file,
    unless said otherwise. collides: local changed it too, so that a choice for the local side
    decides a collision and withholds nothing.
    """
    what = subject or (Subject.RESOURCE if resource else Subject.FILE)
    choice = policy.choices.get((file, resource, "", what.value))
    if choice is not None:
        return Rule.CHOICE if choice == "local" and not collides else None
    if policy.is_protected(resource, file, ()):
        return Rule.PROTECTED
    return None if policy.in_scope(resource, file, ()) else Rule.SCOPE


def deletion_withheld_by(
    policy: Policy, resource: str, file: str, *, collides: bool = False
) -> Rule | None:
    """The same for upstream's deletion, which would take protected parts along."""
    what = Subject.RESOURCE if resource else Subject.FILE
    is_chosen = (file, resource, "", what.value) in policy.choices
    if not is_chosen and policy.protects_below(resource, file, ()):
        return Rule.PROTECTED
    return withheld_by(policy, resource, file, collides=collides)


def merges_finely(policy: Policy, resource: str, file: str) -> bool:
    """Does the policy speak of parts of the thing, so that it cannot be taken whole?"""
    return (
        policy.in_detail
        or policy.protects_below(resource, file, ())
        or not policy.in_scope(resource, file, ())
    )


def upstream_wins(policy: Policy, key: DecisionKey) -> bool:
    """Who wins a collision about a whole thing, where the local side does by default?"""
    choice = policy.choices.get(key)
    if choice is not None:
        return choice == "upstream"
    return policy.on_conflict is OnConflict.UPSTREAM


def fingerprint(content: str | bytes) -> str:
    """What stands for a whole file or resource in a decision: never its content."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    return blob_id(data)[:12]
