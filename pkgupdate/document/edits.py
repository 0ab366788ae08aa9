"""What can be changed in a document: the edits that decisions carry and `splice` carries out.

Edits name a collection of the *local* tree and the index of an entry in it, as parsed; several
edits of one document are independent of their order (an index never shifts). `after` of an insert
is the index of the local entry that the new one follows, -1 for the very start; inserts at the same
place keep the order in which they are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pkgupdate.document.nodes import Collection
from pkgupdate.document.values import Value

if TYPE_CHECKING:
    from pkgupdate.document.document import Document

CommentPlace: TypeAlias = Literal["head", "line", "foot"]
MarginPlace: TypeAlias = Literal["header", "end"]


@dataclass(frozen=True, slots=True, eq=False)
class FromEntry:
    """New content transplanted from entry `index` of `collection` in another document.

    Its text, comments, quotes and block styles come along, re-indented to the local style.
    """

    document: Document
    collection: Collection
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class FromRoot:
    """New content: the root node of another document."""

    document: Document


class FromData(NamedTuple):
    """New content rendered from a canonical value (a merged string, say), in the local style."""

    data: Value


Content: TypeAlias = FromEntry | FromRoot | FromData


@dataclass(frozen=True, slots=True, eq=False)
class SetValue:
    """Replace the value of entry `index` (its key, line comment and place stay)."""

    collection: Collection
    index: int
    content: Content


@dataclass(frozen=True, slots=True, eq=False)
class SetRoot:
    """Replace the root node of the document (also of one that has none)."""

    content: Content


@dataclass(frozen=True, slots=True, eq=False)
class DeleteEntry:
    """Remove entry `index` with its own head, line and foot comments, and no others."""

    collection: Collection
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class InsertEntry:
    """Insert an entry after local entry `after` (-1: first). `key` is None in a list.

    Content `FromEntry` brings key text, comments and layout of its source.
    """

    collection: Collection
    after: int
    key: Value | None
    content: Content


@dataclass(frozen=True, slots=True, eq=False)
class Reorder:
    """Put the surviving local entries in this order (indices; deleted ones left out).

    Inserted entries go with the entry that they follow. Each entry moves with its comments.
    """

    collection: Collection
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SetComment:
    """Set or (empty `lines`) remove a comment of entry `index`; `lines` begin with ``#``."""

    collection: Collection
    index: int
    place: CommentPlace
    lines: tuple[str, ...]


class SetMargin(NamedTuple):
    """Set or (empty `lines`) remove a comment that belongs to the document as a whole.

    lines: each begins with ``#`` or is empty. is_parted: a blank line parts a new comment at the
    end from the entries.
    """

    place: MarginPlace
    lines: tuple[str, ...]
    is_parted: bool = True


Edit: TypeAlias = SetValue | SetRoot | DeleteEntry | InsertEntry | Reorder | SetComment | SetMargin
