"""Changes of one block collection as splices of whole lines."""

from __future__ import annotations

from pkgupdate.document.changes import Changes
from pkgupdate.document.edits import InsertEntry
from pkgupdate.document.geometry import Geometry
from pkgupdate.document.nodes import Collection, Mapping
from pkgupdate.document.render import indented
from pkgupdate.document.splices import Piece, Span, Splices, merged
from pkgupdate.document.transplant import Fragment, Planter


class BlockEditor:
    """Deletes, inserts and reorders the entries of one non-empty block collection."""

    def __init__(
        self, geometry: Geometry, planter: Planter, splices: Splices, changes: Changes, depth: int
    ) -> None:
        self.geometry = geometry
        self.planter = planter
        self.splices = splices
        self.changes = changes
        self.collection = changes.collection
        self.depth = depth
        self.column = geometry.column(geometry.start(self.collection, 0))
        self.compact = not geometry.on_own_line(self.collection, 0)

    def run(self) -> None:
        """Add the splices for deletes, inserts and the order."""
        if self.changes.reordered or (self.compact and self._first_changes()):
            self._rewrite()
            return
        self._delete()
        self._insert()

    def beside_dash(self) -> set[int]:
        """Entries that leave or come to the place beside a dash; their heads move with `run`."""
        if not self.compact or not (self.changes.reordered or self._first_changes()):
            return set()
        first = self.changes.slots()[:1]
        return {slot for slot in first if isinstance(slot, int)}

    def _first_changes(self) -> bool:
        """Does something else come to stand beside the dash of a compact collection?"""
        slots = self.changes.slots()
        return not slots or slots[0] != 0

    def _join(self, lines: list[str]) -> str:
        return "".join(line + self.geometry.newline for line in lines)

    def _fragment(self, insert: InsertEntry) -> Fragment:
        return self.planter.entry(insert.content, insert.key, self.collection)

    def _new_text(self, inserts: list[InsertEntry], blank_after: bool = False) -> str:
        """The lines of new entries; `blank_after`: they stand before all local ones."""
        lines: list[str] = []
        for number, insert in enumerate(inserts):
            fragment = self._fragment(insert)
            if fragment.blank_before and (not blank_after or number):
                lines.append("")
            lines += indented(fragment.entry, self.column)
            if blank_after and number == len(inserts) - 1 and fragment.blank_after:
                lines.append("")
        return self._join(lines)

    def _insert(self) -> None:
        geometry, collection = self.geometry, self.collection
        live = self.changes.live
        for anchor, inserts in self.changes.groups():
            if not inserts:
                continue
            if anchor >= 0:
                position = geometry.tail(collection, anchor)
                text = self._new_text(inserts)
            else:
                position = geometry.owned_head(collection, live[0] if live else 0)
                text = self._new_text(inserts, blank_after=bool(live))
            self.splices.put(position, position, text, depth=self.depth)

    def _delete(self) -> None:
        """Delete entries with their own comments, so that no two gaps of blank lines remain."""
        geometry, collection, text = self.geometry, self.collection, self.geometry.text
        live = self.changes.live
        first = live[0] if live else len(collection.entries)
        ranges: list[tuple[int, int]] = []
        for index in sorted(self.changes.deletes):
            start = geometry.owned_head(collection, index)
            end = geometry.tail(collection, index)
            after = geometry.blank_lines_end(end)
            lowest = geometry.tail(collection, index - 1) if index else 0
            before = geometry.blank_lines_start(start, lowest)
            opens = index < first and collection is not geometry.root
            if after >= len(text) or text.startswith("...", after):
                ranges.append((before if live and index >= first else start, start))
            elif before < start or start == 0 or opens:
                ranges.append((end, after))
            ranges.append((start, end))
        # Gap and entry stay apart: an outer collection may insert something just between them.
        for start, end in merged(sorted(ranges)):
            self.splices.put(start, end, depth=self.depth)

    def _rewrite(self) -> None:
        """Write all entries anew, as moved spans, with the gaps between them where they were."""
        geometry, collection = self.geometry, self.collection
        count = len(collection.entries)
        start = (
            geometry.start(collection, 0) if self.compact else geometry.owned_head(collection, 0)
        )
        end = geometry.tail(collection, count - 1)
        gaps, last_gap = self._gaps()
        pieces: list[Piece] = []
        above: list[str] = []
        keeps = False  # does the entry before end in a scalar that would swallow blank lines?
        for number, slot in enumerate(self.changes.slots()):
            beside_dash = self.compact and number == 0
            if isinstance(slot, InsertEntry):
                fragment = self._fragment(slot)
                lines = fragment.entry
                if beside_dash:
                    above += lines[: fragment.heads]
                    lines = lines[fragment.heads :]
                elif fragment.blank_before and number:
                    pieces.append(geometry.newline)
                text = self._join(indented(lines, self.column))
                pieces.append(text[self.column :] if beside_dash else text)
            else:
                gap = gaps.pop(0)
                if beside_dash:
                    above += [
                        x.strip()
                        for piece in gap
                        if isinstance(piece, str)
                        for x in piece.splitlines()
                    ]
                else:
                    pieces += self._without_blanks(gap) if keeps else gap
                pieces += self._moved(slot, beside_dash, above)
                keeps = geometry.keeps_blank_lines(collection.entries[slot].value)
        pieces += [piece for gap in gaps for piece in gap] + last_gap
        self.splices.put(start, end, *pieces, depth=self.depth)
        if above:
            line = geometry.line_start(start)
            pad = len(geometry.text[line:start]) - len(geometry.text[line:start].lstrip(" "))
            self.splices.put(
                line, line, self._join(indented(above, pad)), depth=self.depth, leads=True
            )

    def _moved(self, index: int, beside_dash: bool, above: list[str]) -> list[Piece]:
        geometry, collection = self.geometry, self.collection
        start, tail = geometry.start(collection, index), geometry.tail(collection, index)
        if beside_dash:
            lines = self.changes.comments.get((index, "head"))
            if index and lines is None:
                head = geometry.lines(geometry.head(collection, index), geometry.line_start(start))
                lines = tuple(line.strip() for line in head)
            above += lines or ()
            return [Span(start, tail)]
        if self.compact and index == 0:
            return [" " * self.column, Span(start, tail)]
        return [Span(geometry.owned_head(collection, index), tail)]

    def _without_blanks(self, gap: list[Piece]) -> list[Piece]:
        texts = [p if isinstance(p, str) else self.geometry.text[p.start : p.end] for p in gap]
        return [self._join([x for text in texts for x in text.splitlines() if x.strip()])]

    def _gaps(self) -> tuple[list[list[Piece]], list[Piece]]:
        """What lies between entries: one gap before each survivor, and what is left at the end.

        Comments of gaps around deleted entries stay; their blank lines go.
        """
        geometry, collection = self.geometry, self.collection
        gaps: list[list[Piece]] = []
        pending: list[Piece] = []
        for index in range(len(collection.entries)):
            begin = geometry.tail(collection, index - 1) if index else 0
            finish = geometry.head(collection, index) if index else 0
            if index in self.changes.deletes or not gaps:
                comments = [x for x in geometry.lines(begin, finish) if x.strip()]
                if comments:
                    pending.append(self._join(comments))
                if index in self.changes.deletes:
                    continue
                gap: list[Piece] = []
            else:
                gap = [Span(begin, finish)] if finish > begin else []
            gaps.append(pending + gap)
            pending = []
        return gaps, pending


def empty_text(collection: Collection) -> str:
    """How an empty collection of this kind is written."""
    return "{}" if isinstance(collection, Mapping) else "[]"
