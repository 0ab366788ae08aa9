"""Replacing the value of one block entry: its key, its line comment and its anchor stay."""

from __future__ import annotations

from pkgupdate.document.edits import CommentPlace
from pkgupdate.document.geometry import Geometry, is_block_scalar
from pkgupdate.document.nodes import Alias, Collection, Mapping, Sequence, is_block
from pkgupdate.document.render import indented
from pkgupdate.document.splices import Splices
from pkgupdate.document.transplant import Fragment, Planter


class ValueEditor:
    """Replaces one value in block context."""

    def __init__(
        self,
        geometry: Geometry,
        planter: Planter,
        splices: Splices,
        depth: int,
        comments: dict[tuple[int, CommentPlace], tuple[str, ...]],
    ) -> None:
        """`comments`: pending comment edits of the collection; those written here are removed."""
        self.geometry = geometry
        self.planter = planter
        self.splices = splices
        self.depth = depth
        self.comments = comments

    def _put(self, start: int, end: int, text: str) -> None:
        self.splices.put(start, end, text, depth=self.depth)

    def _join(self, lines: list[str]) -> str:
        return "".join(line + self.geometry.newline for line in lines)

    def _inline(self, lines: list[str], column: int) -> str:
        return self.geometry.newline.join([lines[0], *indented(lines[1:], column)])

    def replace(self, collection: Collection, index: int, new: Fragment) -> None:
        """Put `new` in place of the value of entry `index`."""
        geometry = self.geometry
        value = collection.entries[index].value
        lead = geometry.lead(collection, index)
        column = geometry.column(geometry.start(collection, index))
        anchor = "" if isinstance(value, Alias) or not value.anchor else f"&{value.anchor} "
        simple = not new.is_block_scalar and not is_block_scalar(value)
        if new.inline and not is_block(value) and simple:
            self._replace_inline(value.start, value.end, lead, anchor, new, column)
            return
        if new.lines and is_block(value) and not (value.tag or new.properties):
            self._replace_lines(collection, index, value, new)
            return
        self._replace_all(collection, index, anchor, new)

    def _replace_inline(
        self, start: int, end: int, lead: int, anchor: str, new: Fragment, column: int
    ) -> None:
        text = (anchor + self._inline(_without_anchor(new.inline, anchor), column)).rstrip(" ")
        if end > start and text:
            self._put(start, end, text)
        else:
            self._put(lead, max(lead, end), " " + text if text else "")

    def _replace_lines(
        self, collection: Collection, index: int, value: Collection, new: Fragment
    ) -> None:
        """A block collection for a block collection: the line of the key stays untouched."""
        geometry = self.geometry
        first = geometry.start(value, 0)
        end = geometry.tail(collection, index)
        if geometry.on_own_line(value, 0):
            start = geometry.line_end(geometry.first_line_end(collection, index))
            column = geometry.column(geometry.start(collection, index))
            indent = self._indent(collection, new)
            self._put(
                start,
                end,
                self._join(
                    self._with_foot(index, indented(new.lines, column + indent), column + indent)
                ),
            )
            return
        column = geometry.column(first)
        lines = indented(new.lines, column)
        if new.lines[0].startswith("#"):
            lead = geometry.lead(collection, index)
            self._put(lead, end, geometry.newline + self._join(lines))
        else:
            self._put(first, end, self._join(lines)[column:])

    def _replace_all(self, collection: Collection, index: int, anchor: str, new: Fragment) -> None:
        """Everything after the ``:`` or dash is written anew, with the line comment."""
        geometry = self.geometry
        value = collection.entries[index].value
        lead = geometry.lead(collection, index)
        column = geometry.column(geometry.start(collection, index))
        if is_block(value):
            end = geometry.tail(collection, index)
        else:
            end = geometry.line_end(max(value.end, lead))
        note = self._note(collection, index)
        foot: list[str] = []
        if new.is_block_scalar and (index, "foot") in self.comments:
            end = geometry.tail(collection, index)
            foot = indented(list(self.comments.pop((index, "foot"))), column + 1)
        if new.lines:
            text = self._new_lines(collection, column, anchor, note, new)
        else:
            first, *rest = _without_anchor(new.inline, anchor)
            first = (anchor + first).rstrip(" ")
            if new.is_block_scalar:
                first = first if " #" in first else first + note
            elif rest:
                rest[-1] += note
            else:
                first += note
            if new.is_block_scalar and not is_block(value):
                rest = indented(rest, self._beyond_foot(collection, index, rest))
            text = self._join([" " + first if first else "", *indented(rest, column), *foot])
        self._put(lead, end, text)

    def _new_lines(
        self,
        collection: Collection,
        column: int,
        anchor: str,
        note: str,
        new: Fragment,
    ) -> str:
        properties = " ".join(filter(None, (anchor.strip(), _drop_anchor(new.properties, anchor))))
        bare = not note and not properties and not new.lines[0].startswith("#")
        if isinstance(collection, Sequence) and bare:
            width = max(2, self.planter.style_in(collection).after_dash or 2)
            lines = indented(new.lines, width)
            lines = [lines[0][1:], *indented(lines[1:], column)]
            return self._join(lines)
        indent = column + self._indent(collection, new)
        properties = " " + properties if properties else ""
        return properties + note + self.geometry.newline + self._join(indented(new.lines, indent))

    def _beyond_foot(self, collection: Collection, index: int, lines: list[str]) -> int:
        """How much further right a block scalar must be than comments that stay below it."""
        geometry = self.geometry
        begin = geometry.content_end(collection, index)
        foot = geometry.lines(begin, geometry.tail(collection, index))
        column = geometry.column(geometry.start(collection, index))
        widest = max((len(line) - len(line.lstrip()) - column for line in foot if line), default=0)
        own = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
        return 0 if own > widest else widest - own + 2

    def _indent(self, collection: Collection, new: Fragment) -> int:
        """Columns from the entry to its new block value; never less than YAML needs."""
        if isinstance(collection, Mapping):
            is_list = new.lines and isinstance(new.data, list)
            return max(new.indent, 0 if is_list else 1)
        return max(2, self.planter.style_in(collection).after_dash or 2)

    def _note(self, collection: Collection, index: int) -> str:
        """The line comment that the new value keeps or gets, with the gap before it."""
        geometry = self.geometry
        pending = self.comments.pop((index, "line"), None)
        if pending is not None:
            return " " + pending[0] if pending else ""
        span = geometry.line_comment(collection, index)
        return " " + geometry.text[slice(*span)] if span else ""

    def _with_foot(self, index: int, lines: list[str], column: int) -> list[str]:
        foot = self.comments.pop((index, "foot"), ())
        return lines + indented(list(foot), column)


def _without_anchor(lines: list[str], anchor: str) -> list[str]:
    """Lines of a value; its own anchor gives way to the local one."""
    if not anchor or not lines[0].startswith("&"):
        return lines
    return [lines[0].partition(" ")[2], *lines[1:]]


def _drop_anchor(properties: str, anchor: str) -> str:
    if not anchor:
        return properties
    return " ".join(word for word in properties.split() if not word.startswith("&"))
