"""Changes of one flow collection: `{a: 1, b: 2}` and `[x, y]`."""

from __future__ import annotations

import re

from pkgupdate.document.changes import Changes
from pkgupdate.document.edits import InsertEntry
from pkgupdate.document.geometry import Geometry, SpliceError
from pkgupdate.document.nodes import Mapping
from pkgupdate.document.splices import Piece, Span, Splices
from pkgupdate.document.transplant import Planter

_SEPARATOR = re.compile(r"\s*,\s*")


class FlowEditor:
    """Edits the entries of one flow collection, with its own spacing."""

    def __init__(
        self, geometry: Geometry, planter: Planter, splices: Splices, changes: Changes, depth: int
    ) -> None:
        self.geometry = geometry
        self.planter = planter
        self.splices = splices
        self.changes = changes
        self.collection = changes.collection
        self.depth = depth

    def run(self) -> None:
        """Add the splices for values, deletes, inserts and the order."""
        if self.changes.comments:
            raise SpliceError("an entry of a flow collection has no comments of its own")
        opening = self.geometry.text[self.geometry.after_properties(self.collection)]
        if opening in "&!":
            raise SpliceError("properties of an unexpected form")
        structural = self.changes.inserts or self.changes.deletes or self.changes.reordered
        inner = self.geometry.after_properties(self.collection)
        inner += len(self.geometry.text[inner:]) - len(self.geometry.text[inner:].lstrip())
        if structural and self.geometry.text[inner] not in "{[":
            raise SpliceError("a single pair without braces")
        for index, content in self.changes.sets.items():
            new = self.planter.value(content, self.collection, index)
            self._set(index, new.flow)
        if not structural:
            return
        if not self.changes.live:
            self._refill()
        elif self.changes.reordered:
            self._rewrite()
        else:
            self._delete()
            self._insert()

    def _put(self, start: int, end: int, *pieces: Piece, extra: int = 0) -> None:
        self.splices.put(start, end, *pieces, depth=self.depth + extra)

    def _start(self, index: int) -> int:
        return self.geometry.start(self.collection, index)

    def _end(self, index: int) -> int:
        entry = self.collection.entries[index]
        if entry.key is not None and entry.value.end <= entry.value.start:
            return max(entry.key.end, entry.value.end)
        return entry.value.end

    def _set(self, index: int, text: str) -> None:
        entry = self.collection.entries[index]
        value = entry.value
        if value.end > value.start:
            anchor = f"&{value.anchor} " if value.anchor else ""
            self._put(value.start, value.end, anchor + text, extra=1)
            return
        if entry.key is None:
            raise SpliceError("an empty item of a flow list")
        try:
            lead = self.geometry.lead(self.collection, index)
        except SpliceError:
            self._put(entry.key.end, entry.key.end, ": " + text, extra=1)
        else:
            self._put(lead, lead, " " + text, extra=1)

    def _item(self, insert: InsertEntry) -> str:
        new = self.planter.entry(insert.content, insert.key, self.collection)
        return f"{new.flow_key}: {new.flow}" if isinstance(self.collection, Mapping) else new.flow

    def _separator(self) -> str:
        """What stands between two entries here."""
        text, count = self.geometry.text, len(self.collection.entries)
        if count > 1:
            between = text[self._end(0) : self._start(1)]
            if _SEPARATOR.fullmatch(between):
                return between
        elif count == 1:
            opening = text[self.collection.start : self._start(0)]
            if "\n" in opening and "#" not in opening:
                return "," + opening[opening.index("\n") - opening.count("\r") :]
        return ", "

    def _refill(self) -> None:
        """Nothing of the old content survives."""
        text = ", ".join(self._item(insert) for insert in self.changes.inserts)
        count = len(self.collection.entries)
        if count:
            self._put(self._start(0), self._end(count - 1), text)
        else:
            self._put(self.collection.end - 1, self.collection.end - 1, text)

    def _insert(self) -> None:
        separator, live = self._separator(), self.changes.live
        for anchor, inserts in self.changes.groups():
            for insert in inserts:
                if anchor >= 0:
                    self._put(self._end(anchor), self._end(anchor), separator + self._item(insert))
                else:
                    start = self._start(live[0])
                    self._put(start, start, self._item(insert) + separator)

    def _delete(self) -> None:
        last = self.changes.live[-1]
        text = self.geometry.text
        for index in sorted(self.changes.deletes):
            if index < last:
                self._put(self._start(index), self._start(index + 1))
            elif "#" in text[self._end(index - 1) : self._start(index)]:
                self._put(self._start(index), self._end(index))
            else:
                self._put(self._end(index - 1), self._end(index))

    def _rewrite(self) -> None:
        count = len(self.collection.entries)
        gaps = [self.geometry.text[self._end(i) : self._start(i + 1)] for i in range(count - 1)]
        if any("#" in gap for gap in gaps):
            raise SpliceError("comments between flow entries that change places")
        pieces: list[Piece] = []
        for number, slot in enumerate(self.changes.slots()):
            if number:
                pieces.append(gaps[number - 1] if number <= len(gaps) else self._separator())
            if isinstance(slot, InsertEntry):
                pieces.append(self._item(slot))
            else:
                pieces.append(Span(self._start(slot), self._end(slot)))
        self._put(self._start(0), self._end(count - 1), *pieces)
