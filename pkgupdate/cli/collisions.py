"""What `--on-conflict fail` and `ask` do: they look at a merge before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pkgupdate.errors import Location, PkgUpdateError

if TYPE_CHECKING:
    from pkgupdate.cli.ask import HasDecisions, Outcome
    from pkgupdate.config import Config
    from pkgupdate.merge.decisions import Choice, Choices, Decision, DecisionKey


def collisions_of(outcome: HasDecisions) -> list[Decision]:
    """The decisions that are collisions."""
    from pkgupdate.merge.decisions import Kind

    return [d for d in outcome.decisions if d.kind is Kind.COLLISION]


def merge_with_answers(config: Config, merge: Callable[[Choices], Outcome]) -> Outcome:
    """Merge; with `ask`, ask about each collision and merge again with the answers.

    Raises UsageError `not-a-terminal` and PkgUpdateError `stopped` (see `ask`).
    """
    if config["on_conflict"] != "ask":
        return merge({})
    from pkgupdate.cli.ask import ask, terminal_dialog

    dialog = terminal_dialog()
    answers: dict[DecisionKey, Choice] = {}
    outcome = merge(answers)
    while unanswered := [d for d in collisions_of(outcome) if d.key not in answers]:
        answers |= ask(unanswered, dialog)
        outcome = merge(answers)
    return outcome


def is_refused(config: Config, outcome: HasDecisions) -> bool:
    """Must nothing be written, since there are collisions and they are to fail?"""
    return config["on_conflict"] == "fail" and bool(collisions_of(outcome))


def refuse_collisions(config: Config, outcome: HasDecisions) -> None:
    """Raises PkgUpdateError `collisions` if the outcome is refused."""
    if is_refused(config, outcome):
        from pkgupdate.report.display import count
        from pkgupdate.upstream.text import printable

        found = collisions_of(outcome)
        files = list(dict.fromkeys(printable(decision.file) for decision in found))
        raise PkgUpdateError(
            "collisions",
            f"{count(len(found), 'collision')}; nothing was written",
            where=Location(files[0]) if len(files) == 1 else None,
            why=f"in {', '.join(files)}" if len(files) > 1 else "",
            hint="decide them with --on-conflict upstream, local or ask",
        )
