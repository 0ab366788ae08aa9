"""What every report shows, whatever its form: one model, already free of secrets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pkgupdate.merge.decisions import Decision, Kind
from pkgupdate.report.message import message, winner_of
from pkgupdate.report.redact import redact_decision
from pkgupdate.upstream.text import redact

if TYPE_CHECKING:
    from pkgupdate.package.changes import FileChange
    from pkgupdate.update.plan import Plan
    from pkgupdate.upstream.history import Commit


Changelog: TypeAlias = "Mapping[str, Sequence[Commit]]"
"""Upstream's commits, newest first, by the directory of the package."""


class PackageLine(NamedTuple):
    """One package of the report.

    directory: relative to the root package, empty for that one.
    from_ref, from_commit: what was last fetched (empty: never fetched).
    """

    directory: str
    name: str
    repo: str
    upstream_directory: str
    strategy: str
    from_ref: str
    from_commit: str
    to_ref: str
    to_commit: str


class Item(NamedTuple):
    """One decision as it is reported.

    decision: with nothing secret in it. winner: see `winner_of`.
    changed_by: which of `upstream` and `local` differ from the original here.
    """

    decision: Decision
    winner: str
    changed_by: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """One line for people."""
        return message(self.decision, self.winner)

    @classmethod
    def of(cls, decision: Decision) -> Item:
        """The item of a decision that may still hold secrets."""
        sides = {"upstream": decision.upstream, "local": decision.local}
        changed_by = tuple(name for name, side in sides.items() if side != decision.original)
        return cls(redact_decision(decision), winner_of(decision), changed_by)


@dataclass(frozen=True, slots=True)
class Report:
    """What a command did, or (with `dry_run`) would do.

    command: the name of the command (`update`, `merge`, …).
    items: the decisions; file paths are relative to the root package.
    changes: the files that change. Their contents may be secret; only `unified` shows them, masked.
    next_steps: commands or sentences for the reader.
    changelog: upstream's commits, where somebody asked for them.
    """

    command: str
    packages: tuple[PackageLine, ...] = ()
    items: tuple[Item, ...] = ()
    changes: tuple[FileChange, ...] = ()
    notes: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    dry_run: bool = False
    changelog: Changelog = field(default_factory=dict)
    counts: Counter[Kind] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Count the decisions of each kind."""
        object.__setattr__(self, "counts", Counter(i.decision.kind for i in self.items))

    def of_kind(self, kind: Kind) -> list[Item]:
        """The items of one kind, in the order of the merge."""
        return [item for item in self.items if item.decision.kind is kind]


def make_report(
    command: str,
    decisions: Iterable[Decision],
    changes: Iterable[FileChange],
    *,
    packages: Sequence[PackageLine] = (),
    notes: Iterable[str] = (),
    next_steps: Sequence[str] = (),
    dry_run: bool = False,
    changelog: Changelog | None = None,
) -> Report:
    """A report with everything secret taken out of its decisions and notes."""
    return Report(
        command,
        tuple(p._replace(repo=redact(p.repo)) for p in packages),
        tuple(Item.of(decision) for decision in decisions),
        tuple(changes),
        tuple(redact(note) for note in notes),
        tuple(next_steps),
        dry_run,
        changelog or {},
    )


def report_plan(
    command: str,
    plan: Plan,
    *,
    next_steps: Sequence[str] = (),
    dry_run: bool = False,
    changelog: Changelog | None = None,
) -> Report:
    """The report of an update, its decisions placed relative to the root package."""
    packages = [
        PackageLine(
            package.directory,
            package.name,
            package.repo,
            package.upstream_directory,
            package.strategy,
            package.from_ref,
            package.from_commit,
            package.to_ref,
            package.to_commit,
        )
        for package in plan.packages
    ]
    return make_report(
        command,
        plan.decisions,
        plan.changes,
        packages=packages,
        notes=plan.notes,
        next_steps=next_steps,
        dry_run=dry_run,
        changelog=changelog,
    )
