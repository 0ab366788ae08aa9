"""The margins of a document: comments that belong to the document and to none of its entries.

The *header* stands above the first entry, parted from its own comment by a blank line or a ``---``
line: a licence, say. The *end* stands below the last entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pkgupdate.document.document import Document
from pkgupdate.document.edits import MarginPlace, SetMargin
from pkgupdate.document.fallback import edit_failed
from pkgupdate.document.geometry import Geometry, SpliceError
from pkgupdate.document.nodes import Node, is_block
from pkgupdate.document.verify import same_value

_START_LINE = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_COMMENT_LINES = re.compile(r"^[ \t]*#.*(?:\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*#.*)?\n?", re.M)


def margin(document: Document, place: MarginPlace) -> tuple[str, ...]:
    """The lines of the comment in one margin; those between its first and last may be empty."""
    first, last = _comment(document.geometry, *_range(document, place))
    return tuple(line.strip() for line in document.geometry.lines(first, last))


def is_parted(document: Document, place: MarginPlace) -> bool:
    """Does a blank line part the comment in a margin from the entries?"""
    start, end = _range(document, place)
    first, last = _comment(document.geometry, start, end)
    between = slice(start, first) if place == "end" else slice(last, end)
    return "\n" in document.geometry.text[between]


def heads_the_file(document: Document) -> bool:
    """Does the header stand above a ``---`` line, and so above all documents of the file?"""
    start, end = _range(document, "header")
    return end > start and _START_LINE.match(document.text, end) is not None


def set_margins(text: str, edits: Iterable[SetMargin]) -> str:
    """The text (without byte order mark) with these margins.

    Raises DocumentError `edit-failed`.
    """
    for edit in edits:
        document = Document(text)
        new = _set(document, edit)
        if not text.endswith("\n"):
            new = new.removesuffix(document.newline)
        if not same_value(Document(new).data, document.data):
            raise edit_failed(document, 0)
        text = new
    return text


def _set(document: Document, edit: SetMargin) -> str:
    geometry = document.geometry
    text, newline = geometry.text, geometry.newline
    start, end = _range(document, edit.place)
    first, last = _comment(geometry, start, end)
    lines = "".join(line + newline for line in edit.lines)
    is_new = first == last
    if edit.place == "end":
        if is_new and edit.is_parted:
            lines = newline + lines
        if not edit.lines:
            first = geometry.blank_lines_start(first, start)
    else:
        if is_new and not _START_LINE.match(text, end):
            lines += newline
        if not edit.lines:
            last = min(geometry.blank_lines_end(last), end)
    return text[:first] + (lines if edit.lines else "") + text[last:]


def _range(document: Document, place: MarginPlace) -> tuple[int, int]:
    """Where the comment of a margin may stand: whole lines of comments and blanks."""
    if document.root is None or document.has_odd_breaks:
        return 0, 0
    try:
        return (_end if place == "end" else _header)(document.geometry, document.root)
    except SpliceError:
        return 0, 0


def _end(geometry: Geometry, root: Node) -> tuple[int, int]:
    if is_block(root):
        start = geometry.tail(root, len(root.entries) - 1)
    else:
        start = geometry.line_end(root.end)
    return start, max(start, geometry.end_marker())


def _header(geometry: Geometry, root: Node) -> tuple[int, int]:
    """Above the ``---`` line if a comment stands there, else below it."""
    body = geometry.line_start(root.start)
    if is_block(root) and geometry.on_own_line(root, 0):
        body = geometry.head(root, 0)
    marker = _START_LINE.search(geometry.text, 0, root.start)
    if marker is None:
        return 0, body
    above = geometry.text[: marker.start()]
    if "#" in above and "%" not in above:
        return 0, marker.start()
    start = geometry.line_end(marker.start())
    return start, max(start, body)


def _comment(geometry: Geometry, start: int, end: int) -> tuple[int, int]:
    """From the first to the last comment line of a range; an empty range if there is none."""
    match = _COMMENT_LINES.search(geometry.text, start, end)
    if match:
        return match.span()
    return start, start
