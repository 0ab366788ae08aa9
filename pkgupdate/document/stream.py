"""A whole YAML file: split into documents by text alone, parsed only where needed, joined again.

No scalar can contain a line that begins with ``---`` or ``...`` at column 0, so cutting there
needs no parser.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from pkgupdate.document.block_scalar import close_block_scalar, last_block_scalar
from pkgupdate.document.document import BOM, Document
from pkgupdate.errors import DocumentError

_MARKER = re.compile(r"^(---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z))*\Z")
_PRELUDE = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*")
_START_LINE = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_START = re.compile(_PRELUDE.pattern + r"---(?=[ \t\r\n]|\Z)")
_END_ONLY = re.compile(r"\.\.\.[ \t]*(?:#[^\n]*)?\r?\n")
_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
_DIRECTIVES = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*%")
_END_LINE = re.compile(r"^\.\.\.(?:[ \t][^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)


def decode(data: bytes) -> str | None:
    """The text of a UTF-8 file, None for a binary one (invalid UTF-8, or NUL bytes)."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


class Part:
    """One document of a stream; `text` includes its ``---`` line and a byte order mark."""

    def __init__(self, text: str, name: str, first_line: int) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line
        self.was_parsed = False

    @cached_property
    def document(self) -> Document:
        """The parsed document. Raises DocumentError with file and line."""
        self.was_parsed = True
        return Document(self.text, name=self.name, first_line=self.first_line)

    def forget_document(self) -> None:
        """Free the memory of the parsed document; asking for it parses again."""
        vars(self).pop("document", None)

    @cached_property
    def is_empty(self) -> bool:
        """Does the part hold only comments, directives and blank lines?"""
        text = self.text.removeprefix(BOM)
        position = _prelude_end(text)
        if text.startswith("---", position):
            position += 3
        end = _END_LINE.search(text, position)
        return _NO_CONTENT.match(text, position, end.start() if end else len(text)) is not None


class Stream:
    """A file as a list of documents; joining the unchanged `parts` gives the same text."""

    def __init__(self, text: str, *, name: str = "") -> None:
        self.text = text
        self.name = name
        self.newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
        self.parts: list[Part] = []
        line = 1
        for piece in _split(text):
            self.parts.append(Part(piece, name, line))
            line += piece.count("\n")

    def render(
        self,
        replacements: Mapping[int, str | None],
        additions: Iterable[tuple[int, str]] = (),
        order: Sequence[int] | None = None,
    ) -> str:
        """The text of the file after these changes; every other byte stays.

        replacements: part index to its new text, None to delete the part with its separator. A new
            text gets (or loses) the byte order mark and ``---`` line that the old one has (not).
        additions: (index, text of a document): inserted after that part, -1 for the very start;
            several at one place keep their order. A ``---`` line is added where one is needed.
        order: the surviving parts in their new order.
        """
        texts: list[str | None] = [part.text for part in self.parts]
        for i, new in replacements.items():
            texts[i] = None if new is None else self._fitted(i, new)
        added = [(after, self._own_line_ends(text)) for after, text in additions]
        everything = list(range(len(texts)))
        sequence = [i for i in (everything if order is None else order) if texts[i] is not None]
        if not added and sequence == everything:
            return "".join(text for text in texts if text is not None)
        header, texts[0] = self._cut_header(texts[0])
        pieces: list[str] = []
        behind = self._by_anchor(added, sequence)
        for i, position in enumerate([-1, *sequence]):
            text = texts[position] if i else None
            if text is not None and (text.strip() or not added):
                pieces.append(text)
            pieces += behind[position]
        return self._join(header, pieces) if pieces else ""

    def _fitted(self, index: int, new: str) -> str:
        """New text for a part, with the same byte order mark and ``---`` line as the old."""
        old = self.parts[index].text
        text = new.removeprefix(BOM)
        if _has_marker(old.removeprefix(BOM)):
            text = text if _has_marker(text) else "---" + self.newline + text
        else:
            text = _START_LINE.sub("", text, count=1)
        if index + 1 < len(self.parts):
            text = _closed(text, text, self.newline)
        return (BOM if old.startswith(BOM) else "") + text

    @staticmethod
    def _by_anchor(added: list[tuple[int, str]], surviving: list[int]) -> Mapping[int, list[str]]:
        """The added documents by the surviving part that they follow, -1: none."""
        parts = sorted(surviving)
        behind = defaultdict(list)
        for after, text in added:
            place = bisect_right(parts, after)
            behind[parts[place - 1] if place else -1].append(text)
        return behind

    def _cut_header(self, text: str | None) -> tuple[str, str | None]:
        """Comments at the top of the file belong to it, not to its first document.

        `text` is the new text of the first part, None if that is deleted.
        """
        source = self.parts[0].text if text is None else text
        bom = BOM if self.text.startswith(BOM) else ""
        body = source.removeprefix(BOM)
        end = _prelude_end(body)
        if "%" in body[:end] or end == len(body):  # directives belong to the document
            end = 0
        return bom + body[:end], None if text is None else body[end:]

    def _join(self, header: str, pieces: list[str]) -> str:
        """Put documents behind each other; every one but the first needs a ``---`` line."""
        marked = _has_marker(self.text.removeprefix(BOM))
        out, last = header, ""
        for number, piece in enumerate(pieces):
            if number:
                out = _closed(out, last, self.newline)
            ended = _is_ended(out)
            if number and not ended and _DIRECTIVES.match(piece):
                out += "..." + self.newline
            if (not ended if number else marked) and not _has_marker(piece):
                out += "---" + self.newline
            elif number == 0 and not marked and not _has_marker(header):
                piece = _START_LINE.sub("", piece, count=1)
            out += piece
            last = piece
        if self.text.endswith("\n") or not self.text.strip():
            return _closed(out, last, self.newline)
        if last.endswith("\n") and not _ends_in_block_scalar(last):
            return out.removesuffix("\n").removesuffix("\r")
        return out

    def _own_line_ends(self, text: str) -> str:
        lines = text.removeprefix(BOM).replace("\r\n", "\n")
        return lines if self.newline == "\n" else lines.replace("\n", self.newline)


def _prelude_end(text: str) -> int:
    """End of the comments, directives and blank lines at the start of a text."""
    match = _PRELUDE.match(text)
    return match.end() if match else 0


def _closed(text: str, last_part: str, newline: str) -> str:
    """`text`, which ends with `last_part`, with a newline at the end and no value changed."""
    if not text or text.endswith("\n") or text == BOM:
        return text
    if _ends_in_block_scalar(last_part):
        closed = close_block_scalar(Document(last_part))
        return text.removesuffix(last_part) + closed + newline
    return text + newline


def _is_ended(text: str) -> bool:
    """Is a ``...`` line the last thing in the text, comments and blank lines left out?"""
    end = len(text)
    while end:
        start = text.rfind("\n", 0, end - 1) + 1
        if not _NOTHING.fullmatch(text, start, end):
            return _END_ONLY.fullmatch(text, start, end) is not None
        end = start
    return False


def _ends_in_block_scalar(text: str) -> bool:
    try:
        return last_block_scalar(Document(text)) is not None
    except DocumentError:
        return False


def _split(text: str) -> list[str]:
    """Cut before each ``---`` that starts a further document, and after ``...`` before more."""
    cuts: list[int] = []
    start = 1 if text.startswith(BOM) else 0
    ended = -1  # end of the last `...` line, if no document has begun since
    for match in _MARKER.finditer(text, start):
        position = match.start()
        if ended >= 0:
            if _has_content(text, ended, position):
                cuts.append(ended)
                start = ended
                ended = -1
            elif match[1] == "---":
                cuts.append(ended)
                start, ended = position, -1
                continue
        if match[1] == "...":
            line_end = text.find("\n", position)
            ended = len(text) if line_end < 0 else line_end + 1
        elif position > start and not _only_prelude(text, start, position):
            cuts.append(position)
            start = position
    if ended >= 0 and _has_content(text, ended, len(text)):
        cuts.append(ended)
    edges = [0, *cuts, len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def _only_prelude(text: str, start: int, end: int) -> bool:
    return _PRELUDE.fullmatch(text, start, end) is not None


def _has_content(text: str, start: int, end: int) -> bool:
    return _NO_CONTENT.match(text[start:end]) is None


def _has_marker(text: str) -> bool:
    """Does the text begin with a ``---`` line, perhaps after comments and directives?"""
    return _START.match(text) is not None
