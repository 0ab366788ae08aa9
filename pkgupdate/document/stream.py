"""A whole YAML file: split into documents by text alone, parsed only where needed, joined again.

No scalar can contain a line that begins with ``---`` or ``...`` at column 0, so cutting there
needs no parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from pkgupdate.document.document import BOM, Document

_MARKER = re.compile(r"^(---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z))*\Z")
_PRELUDE = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*")
_START_LINE = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
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

    @cached_property
    def document(self) -> Document:
        """The parsed document. Raises DocumentError with file and line."""
        return Document(self.text, name=self.name, first_line=self.first_line)

    @cached_property
    def is_empty(self) -> bool:
        """Does the part hold only comments, directives and blank lines?"""
        text = self.text.removeprefix(BOM)
        prelude = _PRELUDE.match(text)
        position = prelude.end() if prelude else 0
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

        replacements: part index to its new text, None to delete the part with its separator.
        additions: (index, text of a document): inserted after that part, -1 for the very start;
            several at one place keep their order. A ``---`` line is added where one is needed.
        order: the surviving parts in their new order.
        """
        texts = [replacements.get(i, part.text) for i, part in enumerate(self.parts)]
        added: dict[int, list[str]] = {}
        for after, text in additions:
            added.setdefault(after, []).append(self._own_line_ends(text))
        sequence = [i for i in (order or range(len(texts))) if texts[i] is not None]
        if not added and sequence == list(range(len(texts))):
            return "".join(text for text in texts if text is not None)
        header, pieces = self._pieces(texts, sequence, added)
        if not pieces:
            return ""
        return self._join(header, pieces)

    def _pieces(
        self,
        texts: list[str | None],
        sequence: list[int],
        added: dict[int, list[str]],
    ) -> tuple[str, list[str]]:
        """The header of the file and the documents in their final order, without it."""
        header, first = self._cut_header(texts[0]) if texts else ("", "")
        bodies = [first if i == 0 else text for i, text in enumerate(texts)]
        pieces = list(added.get(-1, ()))
        placed = {-1}
        for i in sequence:
            body = bodies[i]
            assert body is not None
            if i or body.strip() or not added:
                pieces.append(body)
            pieces += added.get(i, ())
            placed.add(i)
        for after in sorted(set(added) - placed):  # the part they follow is deleted
            pieces += added[after]
        return header, pieces

    def _cut_header(self, text: str | None) -> tuple[str, str | None]:
        """Comments at the top of the file belong to it, not to its first document."""
        source = self.parts[0].text if text is None else text
        bom = BOM if source.startswith(BOM) else ""
        body = source.removeprefix(BOM)
        prelude = _PRELUDE.match(body)
        end = prelude.end() if prelude else 0
        if "%" in body[:end]:  # directives belong to the document
            end = 0
        if end == len(body):
            return bom, None if text is None else body
        return bom + body[:end], None if text is None else body[end:]

    def _join(self, header: str, pieces: list[str]) -> str:
        """Put documents behind each other, each after the first with a ``---`` line."""
        marked = self._starts_with_marker()
        out = [header]
        for i, piece in enumerate(pieces):
            text = piece
            if i == 0:
                if not marked and header.strip(BOM + " \t\r\n") == "" and out == [header]:
                    text = _START_LINE.sub("", text, count=1) if _is_plain_start(text) else text
                elif not marked and _is_plain_start(text):
                    text = _START_LINE.sub("", text, count=1)
                elif marked and not _has_marker(text):
                    text = "---" + self.newline + text
            elif not _has_marker(text):
                text = "---" + self.newline + text
            if out[-1] and not out[-1].endswith("\n") and out[-1] != BOM:
                out[-1] += self.newline
            out.append(text)
        result = "".join(out)
        if self.text.endswith("\n") and not result.endswith("\n"):
            result += self.newline
        elif not self.text.endswith("\n") and self.text and self.text.strip():
            result = result.removesuffix("\n").removesuffix("\r")
        return result

    def _starts_with_marker(self) -> bool:
        body = self.text.removeprefix(BOM)
        prelude = _PRELUDE.match(body)
        return _has_marker(body[prelude.end() if prelude else 0 :])

    def _own_line_ends(self, text: str) -> str:
        lines = text.removeprefix(BOM).replace("\r\n", "\n")
        return lines if self.newline == "\n" else lines.replace("\n", self.newline)


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
    match = _PRELUDE.match(text, start, end)
    return match is not None and match.end() == end


def _has_content(text: str, start: int, end: int) -> bool:
    return _NO_CONTENT.match(text[start:end]) is None


def _has_marker(text: str) -> bool:
    return re.match(r"(?:[ \t]*(?:[#%][^\n]*)?\r?\n)*---(?=[ \t\r\n]|\Z)", text) is not None


def _is_plain_start(text: str) -> bool:
    return _START_LINE.match(text) is not None
