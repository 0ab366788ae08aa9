"""What is lent to items while they are merged: what kpt dropped or rewrote when it listed them.

kpt writes every item in its own layout, and drops most comments around the first and the last line
of a document. Without a loan, an item would look as if someone had edited it. A loan is taken back
afterwards where the merge left it as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from pkgupdate.document.document import Document
from pkgupdate.document.merge_comment import read_merge_comment
from pkgupdate.document.stream import Part
from pkgupdate.errors import DocumentError
from pkgupdate.integrations.krm.annotations import annotations_of
from pkgupdate.package.unchanged import is_unchanged

_MARKER = re.compile(r"^---[ \t]*\n", re.MULTILINE)


class Loan(Protocol):
    """What an item was lent."""

    def take_back(self, text: str) -> str:
        """The merged text without what was lent, as far as the merge did not change it."""


@dataclass(frozen=True, slots=True)
class FetchedText:
    """The whole document as it was fetched, in place of the item's `own` text."""

    fetched: str
    own: str

    def take_back(self, text: str) -> str:
        """The item's own text, unless the document was changed."""
        return self.own if text == self.fetched else text


@dataclass(frozen=True, slots=True)
class OuterComments:
    """head, foot: what stands before and after a document for the merge, and what stood there."""

    head: str
    own_head: str
    foot: str
    own_foot: str

    def take_back(self, text: str) -> str:
        """The text with the item's own comments around it."""
        if text.startswith(self.head):
            text = self.own_head + text[len(self.head) :]
        if self.foot and text.endswith(self.foot):
            text = text[: -len(self.foot)] + self.own_foot
        return text


def counts_as_fetched(fetched: str, item: str) -> bool:
    """Does the item, with its loan, differ from the fetched document in layout alone?"""
    if read_merge_comment(fetched) != read_merge_comment(item):
        return False
    original, local = Part(fetched, "", 1), Part(item, "", 1)
    return is_unchanged(original, local) and (
        annotations_of(original.document.data) == annotations_of(local.document.data)
    )


def lend_comments(fetched: str, item: str) -> tuple[str, OuterComments] | None:
    """The item's text with the outer comments of the document as it was fetched.

    None if it has lost none, or has others.
    """
    original, local = _split(fetched), _split(item)
    if original is None or local is None:
        return None
    (head, _, foot), (own_head, body, own_foot) = original, local
    head = head if "#" in head and _holds(head, own_head) else own_head
    foot = foot if "#" in foot and _holds(foot, own_foot) else own_foot
    if (head, foot) == (own_head, own_foot):
        return None
    before, now = _comments(fetched), _comments(item)
    text = head + body + foot
    if any(count > max(before[line], now[line]) for line, count in _comments(text).items()):
        return None  # kpt moved one into the document
    return text, OuterComments(head, own_head, foot, own_foot)


def _split(text: str) -> tuple[str, str, str] | None:
    """The lines before, of and after the content of a document."""
    try:
        document = Document(text)
    except DocumentError:
        return None
    root, geometry = document.root, document.geometry
    if root is None or document.bom or "\r" in text:
        return None
    start, end = geometry.line_start(root.start), geometry.line_end(root.end - 1)
    head, foot = text[:start], text[end:]
    if text[start : root.start].strip() or "%" in head or geometry.keeps_blank_lines(root):
        return None
    return _MARKER.sub("", head, count=1), text[start:end], foot if foot.strip() else ""


def _holds(outer: str, inner: str) -> bool:
    return not _lines(inner) - _lines(outer)


def _lines(text: str) -> Counter[str]:
    found = (" ".join(line.strip().lstrip("#").split()) for line in text.splitlines())
    return Counter(line for line in found if line)


def _comments(text: str) -> Counter[str]:
    found = (" ".join(c.lstrip("#").split()) for _, c in Document(text).all_comments)
    return Counter(line for line in found if line)
