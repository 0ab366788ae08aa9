"""The strategies that take whole files: fast-forward, force-delete-replace and copy-merge.

No local change is lost, and no change of upstream's Kptfile is left out, without a decision of the
rule `strategy`.
"""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.document.document import Document
from pkgupdate.document.stream import decode
from pkgupdate.document.values import MISSING, MaybeValue, Value
from pkgupdate.errors import DocumentError, PackageError
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange, PackageMerge, Stats
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.links import outside_links
from pkgupdate.package.sources import FilteredTree, Source
from pkgupdate.package.tree import FileKind, FileState, Tree
from pkgupdate.package.unchanged import is_file_unchanged
from pkgupdate.package.verdicts import fingerprint
from pkgupdate.update.checks import listed
from pkgupdate.update.resource_merge import MergeSettings, resource_merge

_FETCHED_FIELDS = ("apiVersion", "kind", "metadata", "upstream", "upstreamLock")


def fast_forward(sides: Sides[Tree], settings: MergeSettings) -> PackageMerge:
    """Take what upstream changed, once it is sure that nothing local is in the way.

    Local files keep their layout. What an update or a fetch writes itself does not count: the
    Kptfile's name, `upstream` and `upstreamLock`, merge comments.
    Raises PackageError `local-changes` with the files.
    """
    differing = local_changes(sides)
    if differing:
        raise PackageError(
            "local-changes",
            "the package was changed locally, so it cannot be fast-forwarded",
            why=listed(differing),
            hint="take the changes back, or update with --strategy resource-merge",
        )
    merge = resource_merge(sides.map(_all_but_kptfile), settings)
    merge.decisions += _kptfile_stays(sides)
    return merge


def force_delete_replace(sides: Sides[Tree]) -> PackageMerge:
    """Make every file upstream's, and delete all others; the root Kptfile stays."""
    paths = {*sides.upstream.entries, *sides.local.entries} - {KPTFILE}
    merge = _replace(sides, paths)
    merge.decisions += _kptfile_stays(sides)
    return merge


def copy_merge(sides: Sides[Tree], settings: MergeSettings) -> PackageMerge:
    """Copy upstream's files over the local ones, and delete what upstream deleted.

    The root Kptfile is merged.
    """
    paths = {*sides.upstream.entries, *sides.original.entries} - {KPTFILE}
    merge = _replace(sides, paths)
    kptfile = resource_merge(sides.map(_kptfile_only), settings)
    return PackageMerge(
        merge.changes + kptfile.changes, kptfile.decisions + merge.decisions, kptfile.stats
    )


def local_changes(sides: Sides[Tree]) -> list[str]:
    """The files that differ from the original by more than a fetch or an update leaves behind."""
    stats = Stats()
    sources = sides.map(lambda tree: Source(tree, stats))
    paths = sorted(sources.original.paths | sources.local.paths)
    kinds = sides.original.entries
    return [
        path
        for path in paths
        if not (path in kinds and kinds[path].kind is FileKind.SUBMODULE)
        and not is_file_unchanged(path, sources)
        and not (path == KPTFILE and _is_kptfile_unchanged(sides))
    ]


def _replace(sides: Sides[Tree], paths: Iterable[str]) -> PackageMerge:
    """Upstream's version of every path in place of the local one, as far as it is another one."""
    deletions: list[FileChange] = []
    writes: list[FileChange] = []
    decisions: list[Decision] = []
    stats = Stats()
    sources = sides.map(lambda tree: Source(tree, stats))
    for path in sorted(paths):
        entry = sides.upstream.entries.get(path)
        if entry is not None and entry.kind is FileKind.SUBMODULE:
            decisions.append(_submodule(path))
            continue
        states = _states(sides, path)
        if states.local == states.upstream:
            continue
        change = FileChange(path, states.local, states.upstream)
        (deletions if states.upstream is None else writes).append(change)
        is_lost = states.local is not None and not is_file_unchanged(path, sources)
        is_new = states.original != states.upstream
        if is_lost or (states.local is None and states.original is not None):
            note = "the strategy puts upstream's version in place of the local change"
            decisions.append(_decision(Kind.COLLISION, path, states, states.upstream, note))
        elif is_new:
            decisions.append(_decision(Kind.APPLIED, path, states, states.upstream))
    return PackageMerge(deletions + writes, decisions + outside_links(writes), stats)


def _kptfile_stays(sides: Sides[Tree]) -> list[Decision]:
    states = _states(sides, KPTFILE)
    if states.original == states.upstream:
        return []
    note = "the root Kptfile stays as it is with this strategy, but for ref and lock"
    return [_decision(Kind.WITHHELD, KPTFILE, states, states.local, note)]


def _states(sides: Sides[Tree], path: str) -> Sides[FileState | None]:
    def state(tree: Tree) -> FileState | None:
        entry = tree.entries.get(path)
        if entry is None or entry.kind is FileKind.SUBMODULE:
            return None
        return FileState(entry.kind, tree.read(path))

    return sides.map(state)


def _decision(
    kind: Kind,
    path: str,
    states: Sides[FileState | None],
    result: FileState | None,
    note: str = "",
) -> Decision:
    def value(state: FileState | None) -> MaybeValue:
        return MISSING if state is None else fingerprint(state.content)

    return Decision(
        kind,
        Rule.STRATEGY,
        Subject.FILE,
        file=path,
        original=value(states.original),
        upstream=value(states.upstream),
        local=value(states.local),
        result=value(result),
        note=note,
    )


def _submodule(path: str) -> Decision:
    return Decision(
        Kind.KEPT,
        Rule.SUBMODULE,
        Subject.FILE,
        file=path,
        note="upstream has a Git submodule here; submodules are not fetched",
    )


def _all_but_kptfile(tree: Tree) -> Tree:
    return FilteredTree(tree, lambda path: path != KPTFILE)


def _kptfile_only(tree: Tree) -> Tree:
    return FilteredTree(tree, lambda path: path == KPTFILE)


def _is_kptfile_unchanged(sides: Sides[Tree]) -> bool:
    """Is the root Kptfile the original one, but for what a fetch writes into it?"""

    def data(tree: Tree) -> Value:
        if KPTFILE not in tree.entries:
            return {}
        return _without_own_fields(tree.read(KPTFILE))

    try:
        return data(sides.original) == data(sides.local)
    except DocumentError:
        return False


def _without_own_fields(kptfile: bytes) -> Value:
    data = Document(decode(kptfile) or "").data
    if not isinstance(data, dict):
        return data
    metadata = data.get("metadata")
    own = {k: v for k, v in metadata.items() if k != "name"} if isinstance(metadata, dict) else {}
    rest = {key: value for key, value in data.items() if key not in _FETCHED_FIELDS}
    return {**rest, "metadata": own} if own else rest
