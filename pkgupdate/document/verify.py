"""Does a new text read back as intended, with every comment that no edit touches?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from pkgupdate.document.changes import Changes, ChangeSet
from pkgupdate.document.document import Document
from pkgupdate.document.geometry import SpliceError, is_block_scalar
from pkgupdate.document.intent import Intent
from pkgupdate.document.nodes import is_block
from pkgupdate.document.splices import merged
from pkgupdate.document.values import Value
from pkgupdate.errors import DocumentError


class Expectation:
    """What the new text of one document has to hold."""

    def __init__(self, document: Document, changes: ChangeSet, intent: Intent) -> None:
        self.document = document
        self.changes = changes
        self.intent = intent

    @cached_property
    def data(self) -> Value:
        """The value, with keys in order."""
        return self.intent.data()

    @cached_property
    def comments(self) -> Counter[str]:
        """The comments that have to be there: all that no edit removes, and the new ones."""
        kept: Counter[str] = Counter()
        comments = self.document.all_comments
        if comments:
            ranges = merged(sorted(self._edited_ranges()))
            starts = [start for start, _ in ranges]
            for position, text in comments:
                k = bisect_right(starts, position) - 1
                if k < 0 or position >= ranges[k][1]:
                    kept[text] += 1
        for changes in self.changes.by_collection.values():
            if not self.intent.is_covered(changes.collection):
                for lines in changes.comments.values():
                    kept.update(line.rstrip() for line in lines if line)
        return kept

    def holds(self, text: str) -> bool:
        """Is `text` (without byte order mark) right?"""
        try:
            new = Document(text)
        except DocumentError:
            return False
        return same_value(new.data, self.data) and self.comments <= Counter(
            comment for _, comment in new.all_comments
        )

    def _edited_ranges(self) -> Iterator[tuple[int, int]]:
        """Ranges of the old text whose comments an edit may remove."""
        root, geometry = self.document.root, self.document.geometry
        if self.changes.root is not None and root is not None:
            end = geometry.tail(root, len(root.entries) - 1) if is_block(root) else root.end
            yield root.start, end
            return
        for changes in self.changes.by_collection.values():
            try:
                ranges = list(self._ranges(changes))
            except SpliceError:
                continue
            yield from ranges

    def _ranges(self, changes: Changes) -> Iterator[tuple[int, int]]:
        geometry, collection = self.document.geometry, changes.collection
        for index in changes.deletes:
            start = geometry.start(collection, index)
            if collection.flow:
                last = index + 1 == len(collection.entries)
                yield start, collection.end if last else geometry.start(collection, index + 1)
            else:
                own = geometry.on_own_line(collection, index)
                head = geometry.owned_head(collection, index) if own else start
                yield head, geometry.tail(collection, index)
        for index in changes.sets:
            value = collection.entries[index].value
            if is_block(value):
                yield geometry.start(value, 0), geometry.tail(collection, index)
                yield (
                    geometry.line_end(geometry.first_line_end(collection, index)),
                    geometry.start(value, 0),
                )
            elif not is_block_scalar(value):
                yield value.start, value.end
        for index, place in changes.comments:
            if place == "head":
                start = geometry.start(collection, index)
                if geometry.on_own_line(collection, index):
                    yield geometry.head(collection, index), geometry.line_start(start)
            elif place == "line":
                span = geometry.line_comment(collection, index)
                if span:
                    yield span
            else:
                yield geometry.content_end(collection, index), geometry.tail(collection, index)


def same_value(one: Value, other: Value) -> bool:
    """Are two values equal, the order of map keys included?"""
    return one == other and _same_order(one, other)


def _same_order(one: Value, other: Value) -> bool:
    """For two equal values: do their maps have their keys in the same order?"""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(
            _same_order(value, other[key])
            for key, value in one.items()
            if isinstance(value, dict | list)
        )
    if isinstance(one, list) and isinstance(other, list):
        return all(map(_same_order, one, other))
    return True
