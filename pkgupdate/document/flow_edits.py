"""Changes of one flow collection: `{a: 1, b: 2}` and `[x, y]`."""

from __future__ import annotations

import re

from pkgupdate.document.changes import Changes
from pkgupdate.document.edits import InsertEntry
from pkgupdate.document.geometry import Geometry, SpliceError
from pkgupdate.document.nodes import Mapping
from pkgupdate.document.splices import Piece, Span, Splices
from pkgupdate.document.transplant import Planter

_COMMA = re.compile(r"\s*,")
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
        structural = self.changes.inserts or self.changes.deletes or self.changes.reordered
        for index, content in self.changes.sets.items():
            new = self.planter.value(content, self.collection, index)
            self._set(index, _one_line(new.flow))
        if not structural:
            return
        single_pair = self.geometry.text[self._opening()] not in "{["  # `[a: 1]` holds a map
        if single_pair:
            self._put(self._start(0), self._start(0), "{")
        if not self.changes.live:
            self._refill(single_pair)
        elif self.changes.reordered:
            self._rewrite()
        else:
            self._delete()
            self._insert()
        if single_pair:
            self._put(self._end(0), self._end(0), "}")

    def _opening(self) -> int:
        """Offset of the opening bracket."""
        position = self.geometry.after_properties(self.collection)
        while self.geometry.text[position].isspace():
            position += 1
        return position

    def _put(self, start: int, end: int, *pieces: Piece, extra: int = 0) -> None:
        self.splices.put(start, end, *pieces, depth=self.depth + extra)

    def _start(self, index: int) -> int:
        return self.geometry.start(self.collection, index)

    def _end(self, index: int) -> int:
        entry = self.collection.entries[index]
        if entry.key is None or entry.value.end > entry.value.start:
            return entry.value.end
        end = max(entry.key.end, entry.value.end)  # `key: ,` has to keep a blank after the colon
        return end + 1 if self.geometry.text[end - 1 : end + 1] == ": " else end

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
        value = _one_line(new.flow)
        return f"{new.flow_key}: {value}" if isinstance(self.collection, Mapping) else value

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

    def _refill(self, single_pair: bool) -> None:
        """Nothing of the old content survives."""
        inserts = sorted(self.changes.inserts, key=lambda insert: insert.after)
        text = ", ".join(self._item(insert) for insert in inserts)
        if single_pair:
            self._put(self._start(0), self._end(0), text)
        else:
            start = self._opening() + 1
            if self.collection.entries and "#" in self.geometry.text[start : self._start(0)]:
                start = self._start(0)  # a comment above the first entry stays
            self._put(start, self.collection.end - 1, text)

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
                rest = _COMMA.match(text, self._end(index))
                self._put(self._start(index), rest.end() if rest else self._end(index))
            else:
                self._put(self._end(index - 1), self._end(index))

    def _rewrite(self) -> None:
        count = len(self.collection.entries)
        gaps = [self.geometry.text[self._end(i) : self._start(i + 1)] for i in range(count - 1)]
        pieces: list[Piece] = []
        for number, slot in enumerate(self.changes.slots()):
            if number:
                pieces.append(gaps[number - 1] if number <= len(gaps) else self._separator())
            if isinstance(slot, InsertEntry):
                pieces.append(self._item(slot))
            else:
                pieces.append(Span(self._start(slot), self._end(slot)))
        self._put(self._start(0), self._end(count - 1), *pieces)


def _one_line(text: str) -> str:
    if not text:
        raise SpliceError("content without a form for flow collections")
    return text
