"""Kptfiles: whether a nested one is there afterwards, and the merge of each."""

from __future__ import annotations

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.values import MISSING
from pkgupdate.errors import DocumentError, Location
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.documents import Place
from pkgupdate.merge.pipeline import merge_kptfiles
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.files import FileMerge, FileMerger
from pkgupdate.package.sources import Source, Sources
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.package.unchanged import is_file_unchanged
from pkgupdate.package.verdicts import deletion_withheld_by, merges_finely


def merge_kptfile(
    path: str, sources: Sources, files: FileMerger, policy: Policy, *, is_root: bool
) -> FileMerge:
    """Merge the Kptfile at `path`.

    The one of the root package always stays; nested ones come and go as files do, only that layout
    and comments are no change (each fetch by kpt writes them anew). One that cannot be read stays
    and is reported.
    """
    entries = sources.map(lambda source: source.entry(path))
    local = sources.local.state(path)
    if entries.original == entries.upstream or (is_root and entries.upstream is None):
        return FileMerge(path, local)
    is_link = any(entry and entry.kind is FileKind.LINK for entry in entries)
    if is_link or entries.upstream == entries.local:
        return files.merge(Sides(path, path, path))
    if entries.upstream is None and local and is_file_unchanged(path, sources):
        if rule := deletion_withheld_by(policy, "", path):
            return FileMerge(path, local, [_decide(path, Kind.WITHHELD, rule)])
        return FileMerge(path, None, [_decide(path, Kind.APPLIED, Rule.UPSTREAM_ONLY)])
    is_taken_whole = (
        entries.local == entries.original and not is_root and not merges_finely(policy, "", path)
    )
    if is_taken_whole or entries.upstream is None or local is None:
        return files.merge(Sides(path, path, path))
    try:
        documents = sources.map(lambda source: _document(source, path))
        decisions = merge_kptfiles(documents, Place(path, ""), policy, is_root=is_root)
        edits = [edit for decision in decisions for edit in decision.edits]
        assert documents.local is not None
        content = apply_edits(documents.local, edits).encode() if edits else local.content
    except DocumentError as e:
        note = f"the Kptfile cannot be merged and stays as it is: {e.what} {e.where} {e.why}"
        return FileMerge(path, local, [_decide(path, Kind.COLLISION, Rule.NOT_YAML, note)])
    return FileMerge(path, FileState(local.kind, content), decisions)


def _document(source: Source, path: str) -> Document | None:
    if source.entry(path) is None:
        return None
    stream = source.stream(path)
    if stream is None:
        raise DocumentError("yaml-syntax", "the Kptfile is no text", where=Location(path))
    return Document(stream.text, name=path)


def _decide(path: str, kind: Kind, rule: Rule, note: str = "") -> Decision:
    is_kept = kind is not Kind.APPLIED
    return Decision(
        kind,
        rule,
        Subject.FILE,
        file=path,
        original="Kptfile",
        local="Kptfile",
        result="Kptfile" if is_kept else MISSING,
        note=note,
    )
