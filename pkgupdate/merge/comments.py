"""Comments: merged like values, place by place (head, line, foot), apart from the values.

So are those at the head and the end of a document that no entry owns: a licence, say.

An entry that is added brings its comments, one that is deleted takes them along; neither is a
decision of its own. Where both sides edited a comment, local's stays, except a setter marker
(``kpt-set:``), which upstream's functions rely on. The merge comment is local's alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Lines
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from pkgupdate.document.comments import NO_COMMENTS, Comments
from pkgupdate.document.edits import CommentPlace, Edit, MarginPlace, SetComment, SetMargin
from pkgupdate.document.margins import heads_the_file, is_parted, margin
from pkgupdate.document.nodes import Entry, Mapping, Node, Sequence
from pkgupdate.document.values import MISSING, MaybeValue, Missing
from pkgupdate.merge.decisions import FreeValue, Kind, Rule, Subject
from pkgupdate.merge.gates import Verdict, judge
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Slot, SlotSides
from pkgupdate.merge.three_way import decide
from pkgupdate.paths import Path

if TYPE_CHECKING:
    from pkgupdate.document.document import Document
    from pkgupdate.merge.merger import Merger

EntryId: TypeAlias = tuple[int, int]
"""An entry of a tree: the identity of its collection, and its index there."""

_MERGE_COMMENT: Final = "kpt-merge:"
_LINE_BELOW: Final = re.compile(r"[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*([^\n#]*)")
_PLACES: tuple[tuple[CommentPlace, Subject], ...] = (
    ("head", Subject.COMMENT_HEAD),
    ("line", Subject.COMMENT_LINE),
    ("foot", Subject.COMMENT_FOOT),
)
_MARGINS: tuple[tuple[MarginPlace, Subject], ...] = (
    ("header", Subject.COMMENT_HEAD),
    ("end", Subject.COMMENT_FOOT),
)


def near_changes(documents: Sides[Document | None]) -> set[EntryId]:
    """The entries, of all sides, that may own a comment which not all sides have alike."""
    found = documents.map(_found)
    marks = found.map(lambda comments: [mark for _, mark in comments])
    if marks.original == marks.upstream == marks.local:
        return set()
    counts = marks.map(Counter)
    common = counts.original & counts.upstream & counts.local
    spare = {mark for count in counts for mark in count - common}
    near: set[EntryId] = set()
    for document, comments in zip(documents, found, strict=True):
        if document is not None and document.root is not None:
            for offset, mark in comments:
                if mark in spare or not spare:
                    near.update(_possible_owners(document.root, offset))
    return near


def merge_comments(merger: Merger, sides: SlotSides, path: Path) -> None:
    """Merge the comments of an entry that upstream and local both have."""
    _, upstream, local = sides
    if isinstance(upstream, Missing) or isinstance(local, Missing) or local.collection is None:
        return
    if not any(
        isinstance(slot, Slot) and (id(slot.collection), slot.position) in merger.near_comments
        for slot in sides
    ):
        return
    comments = sides.map(_comments)
    if comments.original == comments.upstream == comments.local:
        return
    collection, position = local.collection, local.position
    for place, subject in _PLACES:
        lines = Sides(*(_lines(entry, place) for entry in comments))
        edit = partial(SetComment, collection, position, place)
        _merge_one(merger, lines, path, subject, edit)


def merge_margins(merger: Merger, documents: Sides[Document | None]) -> None:
    """Merge the comments at the head and at the end of a document, which no entry owns."""
    _, upstream, local = documents
    if not merger.near_comments or upstream is None or local is None or local.root is None:
        return
    present = [document for document in documents if document is not None]
    moved = any(d.first_line > 1 for d in present) and any(map(heads_the_file, present))
    for place, subject in _MARGINS:
        if moved and place == "header":
            continue  # a header of the whole file, in which the document is not the first one
        lines = Sides(*(margin(d, place) if d is not None else () for d in documents))
        edit = partial(SetMargin, place, is_parted=is_parted(upstream, place))
        _merge_one(merger, lines, (), subject, edit)


def taken_along(merger: Merger, original: Slot | Missing, local: Slot) -> str:
    """A note on the comments made here that go with the local entry; empty if there are none."""
    if not merger.near_comments:
        return ""
    lost = Counter(_comments_around(local)) - Counter(_comments_around(original))
    count = lost.total()
    if not count:
        return ""
    return "a local comment goes with it" if count == 1 else f"{count} local comments go with it"


def _comments_around(slot: Slot | Missing) -> Iterator[str]:
    """The comments of an entry, and those inside its value."""
    if isinstance(slot, Missing) or slot.collection is None:
        return
    own = _comments(slot)
    yield from (*own.head, *_lines(own, "line"), *own.foot)
    if isinstance(slot.node, Mapping | Sequence):
        start = slot.document.geometry.start(slot.collection, slot.position)
        for at, text in slot.document.all_comments:
            is_inside = start <= at < slot.node.end
            if is_inside and text != own.line and _MERGE_COMMENT not in text:
                yield text


def _merge_one(
    merger: Merger,
    lines: Sides[tuple[str, ...]],
    path: Path,
    subject: Subject,
    edit: Callable[[tuple[str, ...]], Edit],
) -> None:
    outcome = decide(*lines)
    if outcome is None or any(_MERGE_COMMENT in line for side in lines for line in side):
        return
    if outcome.kind is Kind.COLLISION:
        is_setter = any("kpt-set:" in line for line in (*lines.upstream, *lines.original))
        outcome = outcome._replace(
            kind=Kind.APPLIED if is_setter else Kind.KEPT,
            winner="upstream" if is_setter else "local",
        )
    if outcome.kind is not Kind.AGREED:
        outcome = outcome._replace(rule=Rule.COMMENT)
    verdict = judge(outcome, merger.policy, merger.place, path, subject)
    result = _chosen(verdict, lines)
    edits = (edit(result),) if result != lines.local else ()
    merger.add(verdict, path, lines.map(_value), _value(result), edits, subject=subject)


def _chosen(verdict: Verdict, lines: Sides[tuple[str, ...]]) -> tuple[str, ...]:
    if isinstance(verdict.winner, FreeValue):
        value = verdict.winner.value
        return tuple(map(str, value)) if isinstance(value, list) else ()
    return lines.upstream if verdict.winner == "upstream" else lines.local


def _found(document: Document | None) -> list[tuple[int, tuple[str, str]]]:
    """The comments of a document but merge comments, each with the key beside or below it."""
    if document is None or "#" not in document.text:
        return []
    return [
        (at, (text, _key_near(document.text, at)))
        for at, text in document.all_comments
        if _MERGE_COMMENT not in text
    ]


def _key_near(text: str, offset: int) -> str:
    beside = text[text.rfind("\n", 0, offset) + 1 : offset].strip()
    if not beside:
        below = _LINE_BELOW.match(text, offset)
        beside = below[1] if below else ""
    return beside.partition(":")[0]


def _possible_owners(root: Node, offset: int) -> Iterator[EntryId]:
    """The entries around a place in the text, on every level: the last before it, the next one."""
    node = root
    while isinstance(node, Mapping | Sequence) and node.entries:
        after = bisect_right(node.entries, offset, key=_start)
        yield from ((id(node), i) for i in (after - 1, after))
        if after == 0:
            return
        node = node.entries[after - 1].value


def _start(entry: Entry) -> int:
    return (entry.key or entry.value).start


def _comments(slot: Slot | Missing) -> Comments:
    if isinstance(slot, Missing) or slot.collection is None:
        return NO_COMMENTS
    return slot.document.comments(slot.collection, slot.position)


def _lines(comments: Comments, place: CommentPlace) -> tuple[str, ...]:
    if place == "line":
        return (comments.line,) if comments.line else ()
    return comments.head if place == "head" else comments.foot


def _value(lines: Lines[str]) -> MaybeValue:
    return list(lines) if lines else MISSING
