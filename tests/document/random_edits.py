"""Random edits of documents, for property tests: nine kinds, with content from other documents."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from pkgupdate.document.document import Document
from pkgupdate.document.edits import (
    Content,
    DeleteEntry,
    Edit,
    FromData,
    FromEntry,
    InsertEntry,
    Reorder,
    SetComment,
    SetValue,
)
from pkgupdate.document.nodes import Collection, Mapping, Node, Sequence, key_data
from pkgupdate.document.values import Typed, Value, from_plain

PLAIN = [
    "text", "two words", "yes", "", "12", "1e3", "~", "a: b", "- x", "# no", " lead", "trail ",
    "line one\nline two\n", "cut\noff", "keep\n\n\n", "tab\there", "é🚀日本", "it's \"q\"", "null",
    "{a}", "[x]", "x,y", "  indented\nfirst\n", "a\n\nb\n", "---", "...", "12:30:45", "2024-01-31",
    True, False, None, 0, -3, 1.5, [], {}, ["a", "b"], {"k": "v"}, [{"name": "x", "v": [1, 2]}],
    {"a": {"b": {"c": ["d"]}}, "e": []}, [["x"], {"y": None}],
]  # fmt: skip

Maker = Callable[[Random, Document, list[Document]], list[Edit]]


def collections(node: Node | None) -> list[Collection]:
    """All collections of a tree (keys left out)."""
    found: list[Collection] = []
    pending = [] if node is None else [node]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping | Sequence):
            found.append(node)
            pending.extend(entry.value for entry in node.entries)
    return found


def _pick(
    rng: Random, document: Document, kind: type = object, least: int = 1
) -> Collection | None:
    fitting = [
        c for c in collections(document.root) if isinstance(c, kind) and len(c.entries) >= least
    ]
    return rng.choice(fitting) if fitting else None


def _donor(rng: Random, donors: list[Document], kind: type) -> FromEntry | None:
    for _ in range(5):
        document = rng.choice(donors)
        collection = _pick(rng, document, kind)
        if collection is not None:
            index = rng.randrange(len(collection.entries))
            return FromEntry(document, collection, index)
    return None


def _content(rng: Random, donors: list[Document]) -> Content:
    donor = _donor(rng, donors, object) if rng.random() < 0.6 else None
    return donor or FromData(from_plain(rng.choice(PLAIN)))


def has_unwritable_keys(value: Value) -> bool:
    """Does a map repeat a key, or have a collection as one? No writer can render those anew."""
    if isinstance(value, dict):
        return any(
            (isinstance(k, Typed) and k.tag in ("dup", "complex")) or has_unwritable_keys(v)
            for k, v in value.items()
        )
    return isinstance(value, list) and any(map(has_unwritable_keys, value))


def set_scalar(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    """A scalar gets another scalar."""
    collection = _pick(rng, document)
    if collection is None:
        return []
    index = rng.randrange(len(collection.entries))
    content = _content(rng, donors)
    return [SetValue(collection, index, content)]


def delete(rng: Random, document: Document, donors: list[Document], kind: type) -> list[Edit]:
    """One entry of a map or list goes."""
    collection = _pick(rng, document, kind)
    if collection is None:
        return []
    return [DeleteEntry(collection, rng.randrange(len(collection.entries)))]


def delete_key(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    return delete(rng, document, donors, Mapping)


def delete_item(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    return delete(rng, document, donors, Sequence)


def delete_all(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    """A collection becomes empty."""
    collection = _pick(rng, document)
    if collection is None:
        return []
    return [DeleteEntry(collection, i) for i in range(len(collection.entries))]


def insert_key(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    collection = _pick(rng, document, Mapping, 0)
    if collection is None:
        return []
    keys = {key_data(entry) for entry in collection.entries}
    donor = _donor(rng, donors, Mapping) if rng.random() < 0.7 else None
    after = rng.randrange(-1, len(collection.entries))
    if donor is not None:
        key = key_data(donor.collection.entries[donor.index])
        if key not in keys and not (isinstance(key, Typed) and key.tag in ("complex", "dup")):
            return [InsertEntry(collection, after, key, donor)]
    key = rng.choice(["new", "odd key", "yes", "a.b/c", "12"])
    if key in keys:
        return []
    return [InsertEntry(collection, after, key, _content(rng, donors))]


def insert_item(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    collection = _pick(rng, document, Sequence, 0)
    if collection is None:
        return []
    after = rng.randrange(-1, len(collection.entries))
    donor = _donor(rng, donors, Sequence) if rng.random() < 0.7 else None
    return [InsertEntry(collection, after, None, donor or _content(rng, donors))]


def reorder(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    collection = _pick(rng, document, object, 2)
    if collection is None:
        return []
    order = list(range(len(collection.entries)))
    rng.shuffle(order)
    return [Reorder(collection, tuple(order))]


def comment(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    """A comment of a block entry is set, changed or removed."""
    blocks = [c for c in collections(document.root) if not c.flow and c.entries]
    if not blocks:
        return []
    collection = rng.choice(blocks)
    index = rng.randrange(len(collection.entries))
    place = rng.choice(["head", "line", "foot"])
    lines: tuple[str, ...] = ()
    if rng.random() < 0.7:
        lines = ("# new comment",) if place == "line" else ("# one", "#two", "# kpt-set: ${x}")
    return [SetComment(collection, index, place, lines)]


def set_to_same_place(rng: Random, document: Document, donors: list[Document]) -> list[Edit]:
    """An entry of a list or map replaces the value of a like one elsewhere."""
    collection = _pick(rng, document)
    donor = _donor(rng, donors, Mapping)
    if collection is None or donor is None:
        return []
    return [SetValue(collection, rng.randrange(len(collection.entries)), donor)]


KINDS: dict[str, Maker] = {
    "set-value": set_scalar,
    "set-subtree": set_to_same_place,
    "delete-key": delete_key,
    "delete-item": delete_item,
    "delete-all": delete_all,
    "insert-key": insert_key,
    "insert-item": insert_item,
    "reorder": reorder,
    "comment": comment,
}


def several(rng: Random, document: Document, donors: list[Document], count: int) -> list[Edit]:
    """Edits of any kind at once; at most one order, value and comment per place, keys distinct."""
    edits: list[Edit] = []
    taken: set[tuple[object, ...]] = set()
    for _ in range(count):
        for edit in KINDS[rng.choice(list(KINDS))](rng, document, donors):
            if isinstance(edit, InsertEntry):
                place: tuple[object, ...] = (id(edit.collection), "key", edit.key)
                if edit.key is None:
                    place = (id(edit),)
            elif isinstance(edit, Reorder):
                place = (id(edit.collection), "order")
            elif isinstance(edit, SetComment):
                place = (id(edit.collection), edit.index, edit.place)
            else:
                assert isinstance(edit, SetValue | DeleteEntry)
                place = (id(edit.collection), edit.index)
            if place not in taken:
                taken.add(place)
                edits.append(edit)
    return edits


def mutations(text: str) -> list[str]:
    """The text in other clothes: line ends, byte order mark, no final newline, indents, remarks."""
    body = text.removeprefix("\ufeff")
    variants = [text]
    if "\r\n" not in body:
        variants.append(body.replace("\n", "\r\n"))
    variants.append("\ufeff" + body)
    if body.endswith("\n"):
        variants.append(body.rstrip("\r\n"))
    lines = body.split("\n")
    variants.append("\n".join("  " * (len(x) - len(x.lstrip(" "))) + x.lstrip(" ") for x in lines))
    remarks = []
    for number, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip(" "))]
        if number % 3 == 1 and line.strip():
            remarks.append(f"{indent}# remark {number}")
        if number % 5 == 2:
            remarks.append("")
        remarks.append(line)
    variants.append("\n".join(remarks))
    return variants
