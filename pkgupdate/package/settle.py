"""Packages inside a package that come or go as a whole."""

from __future__ import annotations

from typing import NamedTuple

from pkgupdate.document.values import MISSING, MaybeValue
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.sources import Sources, ancestors, below, files_of
from pkgupdate.package.subpackages import kptfile_dirs, package_name
from pkgupdate.package.unchanged import is_file_unchanged
from pkgupdate.package.verdicts import upstream_wins, withheld_by


class _Verdict(NamedTuple):
    """What becomes of the local copy of a package as a whole."""

    decision: Decision | None = None
    is_deleted: bool = False


def settle_subpackages(sources: Sources, policy: Policy) -> tuple[list[str], list[Decision]]:
    """Decide about the subpackages that one side deleted, or that both added.

    Gives the local files to delete and the decisions; the files of the packages that are settled so
    are hidden in all three sources. What is left merges file by file.
    """
    deletions: list[str] = []
    decisions: list[Decision] = []
    settled: set[str] = set()
    directories = set().union(*(kptfile_dirs(source.paths) for source in sources))
    contents = sources.map(lambda source: files_of(directories, source.paths))
    for directory in sorted(directories):
        if not settled.isdisjoint(ancestors(directory)):
            continue
        files = Sides(
            *(
                inside[directory] & source.paths
                for inside, source in zip(contents, sources, strict=True)
            )
        )
        verdict = _settle(directory, files, sources, policy)
        if verdict is None:
            continue
        settled.add(directory)
        if verdict.decision:
            decisions.append(verdict.decision)
        if verdict.is_deleted:
            deletions += files.local
    if settled:
        for source in sources:
            source.hide(lambda path: not settled.isdisjoint(ancestors(path)))
    return sorted(deletions), decisions


def _settle(
    directory: str, files: Sides[set[str]], sources: Sources, policy: Policy
) -> _Verdict | None:
    """What is decided about a package as a whole; None if its files merge one by one."""
    kptfile = f"{directory}/{KPTFILE}"
    was_package = kptfile in files.original
    if was_package and kptfile in files.local and not files.upstream:
        return _deleted_upstream(directory, files, sources, policy)
    if was_package and kptfile in files.upstream and not files.local:
        return _deleted_locally(directory, files, sources, policy)
    if not was_package and kptfile in files.upstream and kptfile in files.local:
        return _added_twice(directory, sources)
    return None


def _deleted_upstream(
    directory: str, files: Sides[set[str]], sources: Sources, policy: Policy
) -> _Verdict:
    def verdict(kind: Kind, rule: Rule, *, is_deleted: bool, note: str = "") -> _Verdict:
        present = Sides(True, False, True)
        return _Verdict(_decide(kind, rule, directory, present, not is_deleted, note), is_deleted)

    unchanged = all(is_file_unchanged(path, sources) for path in files.local)
    if withheld := withheld_by(policy, "", directory, Subject.PACKAGE, collides=not unchanged):
        return verdict(Kind.WITHHELD, withheld, is_deleted=False)
    if unchanged:
        return verdict(Kind.APPLIED, Rule.UPSTREAM_ONLY, is_deleted=True)
    if upstream_wins(policy, (directory, "", "", Subject.PACKAGE.value)):
        note = "upstream deleted this package, which was changed here"
        return verdict(Kind.COLLISION, Rule.DELETE_EDIT, is_deleted=True, note=note)
    note = "upstream deleted this package; it stays, whole, because it was changed here"
    return verdict(Kind.COLLISION, Rule.DELETE_EDIT, is_deleted=False, note=note)


def _deleted_locally(
    directory: str, files: Sides[set[str]], sources: Sources, policy: Policy
) -> _Verdict | None:
    original, upstream = sources.original, sources.upstream
    if all(original.entry(p) == upstream.entry(p) for p in files.original | files.upstream):
        return _Verdict()
    if upstream_wins(policy, (directory, "", "", Subject.PACKAGE.value)):
        original.hide(lambda path: below(path, directory))  # what upstream has is new again
        return None
    note = "upstream changed this package, which was deleted here; it stays deleted"
    present = Sides(True, True, False)
    return _Verdict(_decide(Kind.KEPT, Rule.EDIT_DELETE, directory, present, False, note))


def _added_twice(directory: str, sources: Sources) -> _Verdict | None:
    upstream = package_name(directory, sources.upstream)
    local = package_name(directory, sources.local)
    if upstream == local:
        return None
    note = (
        f"both sides added a package in {directory}: upstream's is {upstream!r}, "
        f"the local one {local!r}; the local one stays"
    )
    decision = Decision(
        Kind.COLLISION,
        Rule.EDIT_EDIT,
        Subject.PACKAGE,
        file=directory,
        upstream=upstream,
        local=local,
        result=local,
        note=note,
    )
    return _Verdict(decision)


def _decide(
    kind: Kind, rule: Rule, directory: str, present: Sides[bool], is_kept: bool, note: str = ""
) -> Decision:
    def value(is_there: bool) -> MaybeValue:
        return "package" if is_there else MISSING

    return Decision(
        kind,
        rule,
        Subject.PACKAGE,
        file=directory,
        original=value(present.original),
        upstream=value(present.upstream),
        local=value(present.local),
        result=value(is_kept),
        note=note,
    )
