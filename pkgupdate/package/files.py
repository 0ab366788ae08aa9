"""Files that are no resources: text by lines, binary files whole, modes and links as values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pkgupdate.document.stream import decode
from pkgupdate.document.values import MISSING, MaybeValue, Missing
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.three_way import decide
from pkgupdate.package.kinds import Content, content_of
from pkgupdate.package.sources import Sources
from pkgupdate.package.tree import FileEntry, FileKind, FileState
from pkgupdate.package.verdicts import fingerprint, upstream_wins, withheld_by

if TYPE_CHECKING:
    from pkgupdate.merge.text import Hunk

_SECRET: Final = re.compile(r"kind[\"']?:[ \t]*[\"']?Secret\b")


@dataclass(frozen=True, slots=True)
class FileMerge:
    """What becomes of a local file: `state` None, there is none; `path`: where it lies."""

    path: str
    state: FileState | None
    decisions: list[Decision] = field(default_factory=list)


class FileMerger:
    """Merges files under one policy."""

    def __init__(self, sources: Sources, policy: Policy) -> None:
        self._sources = sources
        self._policy = policy

    def merge(self, paths: Sides[str], *, path: str = "", note: str = "") -> FileMerge:
        """Merge one file.

        paths: where each version has it (the same three times, unless it was moved).
        path: where the result goes; the local place by default.
        note: why a file that looks like YAML is merged as text; said if lines had to be merged.
        """
        file = _File(
            Sides(
                self._sources.original.entry(paths.original),
                self._sources.upstream.entry(paths.upstream),
                self._sources.local.entry(paths.local),
            ),
            paths,
            path or paths.local,
            note,
        )
        before = self._sources.local.state(paths.local)
        outcome = decide(*(entry or MISSING for entry in file.entries))
        if outcome is None or outcome.kind is Kind.KEPT:
            return FileMerge(file.path, before)
        if outcome.kind is Kind.AGREED:
            decision = _decide(file, outcome.kind, outcome.rule, file.entries.local)
            return FileMerge(file.path, before, [decision])
        collides = outcome.kind is Kind.COLLISION
        if rule := withheld_by(self._policy, "", paths.local, collides=collides):
            decision = _decide(file, Kind.WITHHELD, rule, file.entries.local)
            return FileMerge(paths.local, before, [decision])
        if outcome.kind is Kind.APPLIED:
            return self._take_upstream(file, outcome.kind, outcome.rule)
        if outcome.rule is not Rule.EDIT_EDIT:
            return self._delete_against_edit(file, outcome.rule, before)
        assert before is not None
        return self._both_edited(file, before)

    def _take_upstream(self, file: _File, kind: Kind, rule: Rule, note: str = "") -> FileMerge:
        state = self._sources.upstream.state(file.paths.upstream)
        if state and content_of(state.content) is Content.LFS_POINTER:
            pointer = "this is a Git LFS pointer; its content is not fetched"
            note = f"{note}; {pointer}" if note else pointer
        return FileMerge(file.path, state, [_decide(file, kind, rule, file.entries.upstream, note)])

    def _delete_against_edit(self, file: _File, rule: Rule, before: FileState | None) -> FileMerge:
        """One side deleted the file. What was deleted here is only reported, it is no collision."""
        if rule is Rule.DELETE_EDIT:
            kind, note = Kind.COLLISION, "upstream deleted it; it stays because it was changed here"
        else:
            kind, note = Kind.KEPT, "upstream changed it; it was deleted here and stays so"
        decision = _decide(file, kind, rule, file.entries.local, note)
        if upstream_wins(self._policy, decision.key):
            return self._take_upstream(file, Kind.COLLISION, rule, "upstream's version was taken")
        return FileMerge(file.path, before, [decision])

    def _both_edited(self, file: _File, local: FileState) -> FileMerge:
        entries = file.entries
        if any(entry and entry.kind is FileKind.LINK for entry in entries):
            return self._links(file, local)
        kind, decisions = self._mode(file)
        content = self._content(file, local, decisions)
        return FileMerge(file.path, FileState(kind, content), decisions)

    def _links(self, file: _File, local: FileState) -> FileMerge:
        """A link on one side at least. Two targets are two values; a file is not lost to one."""
        both_links = all(
            entry is not None and entry.kind is FileKind.LINK
            for entry in (file.entries.upstream, file.entries.local)
        )
        note = (
            "" if both_links else "one side has a link here, the other a file; the local one stays"
        )
        kept = _decide(file, Kind.COLLISION, Rule.LINK, file.entries.local, note)
        choice = self._policy.choices.get(kept.key)
        is_taken = upstream_wins(self._policy, kept.key) or (
            both_links and choice is None and self._policy.on_conflict is OnConflict.RULES
        )
        if is_taken:
            return self._take_upstream(file, Kind.COLLISION, Rule.LINK)
        return FileMerge(file.path, local, [kept])

    def merge_mode(self, path: str) -> tuple[FileKind, list[Decision]]:
        """The mode of a file whose content is merged elsewhere, and the decision if it changes."""
        entries = self._sources.map(lambda source: source.entry(path))
        if entries.local is None:
            return entries.upstream.kind if entries.upstream else FileKind.FILE, []
        if entries.upstream is None:
            return entries.local.kind, []
        return self._mode(_File(entries, Sides(path, path, path), path, ""))

    def _mode(self, file: _File) -> tuple[FileKind, list[Decision]]:
        kinds = file.entries.map(lambda entry: entry.kind if entry else MISSING)
        assert isinstance(kinds.local, FileKind) and isinstance(kinds.upstream, FileKind)
        outcome = decide(*kinds)
        is_plain = kinds.original is MISSING and kinds.upstream == kinds.local
        if outcome is None or is_plain:
            return kinds.local, []
        winner = outcome.winner
        if outcome.kind is Kind.COLLISION and self._policy.on_conflict is OnConflict.LOCAL:
            winner = "local"
        result = kinds.upstream if winner == "upstream" else kinds.local
        decision = Decision(
            outcome.kind,
            outcome.rule,
            Subject.MODE,
            file=file.paths.local,
            original=_mode_value(kinds.original),
            upstream=_mode_value(kinds.upstream),
            local=_mode_value(kinds.local),
            result=_mode_value(result),
        )
        return result, [decision]

    def _content(self, file: _File, local: FileState, decisions: list[Decision]) -> bytes:
        oids = file.entries.map(lambda entry: entry.oid if entry else MISSING)
        outcome = decide(*oids)
        if outcome is None or outcome.kind in (Kind.KEPT, Kind.AGREED):
            return local.content
        upstream = self._sources.upstream.read(file.paths.upstream)
        if outcome.kind is Kind.APPLIED:
            decisions.append(_decide(file, outcome.kind, outcome.rule, file.entries.upstream))
            return upstream
        has_original = file.entries.original is not None
        original = self._sources.original.read(file.paths.original) if has_original else b""
        contents = Sides(original, upstream, local.content)
        if all(content_of(content) is Content.TEXT for content in contents):
            return self._lines(file, contents, decisions)
        what = "a Git LFS pointer" if _is_pointer(contents) else "binary"
        assert file.entries.upstream is not None
        note = (
            f"the file is {what} and was changed on both sides; the local one stays"
            f" (upstream's: git show {file.entries.upstream.oid[:12]}, or --on-conflict upstream)"
        )
        decision = _decide(file, Kind.COLLISION, Rule.BINARY, file.entries.local, note)
        if upstream_wins(self._policy, decision.key):
            taken = _decide(file, Kind.COLLISION, Rule.BINARY, file.entries.upstream)
            decisions.append(taken)
            return upstream
        decisions.append(decision)
        return local.content

    def _lines(self, file: _File, contents: Sides[bytes], decisions: list[Decision]) -> bytes:
        from pkgupdate.merge.text import merge_lines

        policy = self._policy
        texts = contents.map(lambda content: decode(content) or "")
        has_markers = policy.conflict_markers and policy.on_conflict is OnConflict.RULES
        merge = merge_lines(
            *texts, on_conflict=OnConflict.LOCAL, markers="merge" if has_markers else None
        )
        hides_values = any(_SECRET.search(text) for text in texts)
        hunks = [_hunk_decision(file, hunk, hides_values, has_markers) for hunk in merge.conflicts]
        taken = set() if has_markers else {d.key for d in hunks if upstream_wins(policy, d.key)}
        text = merge.text
        for hunk, decision in reversed(list(zip(merge.conflicts, hunks, strict=True))):
            if decision.key in taken:
                text = _take_hunk(text, hunk)
        result = text.encode()
        if file.note:
            decisions.append(_decide(file, Kind.KEPT, Rule.NOT_YAML, file.entries.local, file.note))
        if not hunks:
            kind = Kind.APPLIED if result != contents.local else Kind.AGREED
            decisions.append(_decide(file, kind, Rule.TEXT, file.entries.local))
        decisions += (replace(d, result=d.upstream) if d.key in taken else d for d in hunks)
        return result


class _File(NamedTuple):
    """One file in three versions. `path`: where the result goes."""

    entries: Sides[FileEntry | None]
    paths: Sides[str]
    path: str
    note: str


def _decide(
    file: _File, kind: Kind, rule: Rule, result: FileEntry | None, note: str = ""
) -> Decision:
    def value(entry: FileEntry | None) -> MaybeValue:
        return entry.oid[:12] if entry else MISSING

    entries = file.entries
    return Decision(
        kind,
        rule,
        Subject.FILE,
        file=file.paths.local,
        original=value(entries.original),
        upstream=value(entries.upstream),
        local=value(entries.local),
        result=value(result),
        note=note,
    )


def _mode_value(kind: FileKind | Missing) -> MaybeValue:
    return kind.value if isinstance(kind, FileKind) else MISSING


def _is_pointer(contents: Sides[bytes]) -> bool:
    return any(content_of(content) is Content.LFS_POINTER for content in contents)


def _hunk_decision(file: _File, hunk: Hunk, hides_values: bool, has_markers: bool) -> Decision:
    def value(text: str) -> MaybeValue:
        if not text:
            return MISSING
        return fingerprint(text) if hides_values else text

    return Decision(
        Kind.COLLISION,
        Rule.TEXT,
        Subject.FILE,
        file=file.paths.local,
        path=(hunk.line,),
        original=value(hunk.original),
        upstream=value(hunk.upstream),
        local=value(hunk.local),
        result=value(hunk.local),
        note=f"both sides changed the text at line {hunk.line}"
        + ("; conflict markers were written" if has_markers else ""),
    )


def _take_hunk(text: str, hunk: Hunk) -> str:
    """The merged text with upstream's lines in place of the local ones."""
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    start = hunk.line - 1
    end = start + len(hunk.local.splitlines())
    new = hunk.upstream.replace("\r\n", "\n").replace("\n", newline)
    return "".join([*lines[:start], new, *lines[end:]])
