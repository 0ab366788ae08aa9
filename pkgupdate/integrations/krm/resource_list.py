"""The `ResourceList` of the KRM functions specification: read, and written again without loss.

Every item keeps its own text, taken from the list by its span, so that comments and layout of items
survive and an item that nothing touches leaves with the bytes with which it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pkgupdate.document.document import BOM, Document
from pkgupdate.document.geometry import SpliceError
from pkgupdate.document.nodes import Mapping as MapNode
from pkgupdate.document.nodes import Node, Sequence, is_block
from pkgupdate.document.render import block_lines, dedented, flow_text, indented
from pkgupdate.document.stream import Part, Stream
from pkgupdate.document.values import Typed, Value
from pkgupdate.errors import DocumentError, Location

API_VERSION: Final = "config.kubernetes.io/v1"
KIND: Final = "ResourceList"
NAME: Final = "ResourceList"
"""What messages call the text that came in."""

_GROUP = "config.kubernetes.io/"
_INDENT = 2
_MARKER = re.compile(r"^---[ \t]*(?:\n|(?=#)|\Z)", re.MULTILINE)
_END = re.compile(r"^\.\.\.[ \t]*\n?", re.MULTILINE)
_MARKS = re.compile(r"[*\t\r]")
"""What may make an item mean something else once it stands for itself, as an alias does."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One item.

    text: a YAML document at the left margin, with a line end. data: its value. listed: the item as
    it goes out again if nothing touches it, byte for byte as it came where that is possible.
    """

    text: str
    data: Value
    listed: str


@dataclass(slots=True)
class ResourceList:
    """A list as it was read.

    function_config: the value, None if there is none. others: the text of further fields by name;
    they are written again as they came.
    """

    api_version: str = API_VERSION
    items: list[Item] = field(default_factory=list)
    function_config: Value | None = None
    others: dict[str, str] = field(default_factory=dict)


def read_resource_list(text: str) -> ResourceList:
    """Read a list, in YAML or JSON.

    Raises DocumentError: `yaml-syntax` and other faults of YAML, `not-a-resource-list`.
    """
    document = Document(text.replace("\r\n", "\n"), name=NAME)
    root = document.root
    data = document.data
    if not isinstance(root, MapNode) or not isinstance(data, dict):
        raise _no_list("it is not a map")
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if kind != KIND:
        raise _no_list(f"its kind is {kind!r}" if isinstance(kind, str) else "it has no kind")
    if not isinstance(api_version, str) or not api_version.startswith(_GROUP):
        raise _no_list(f"its apiVersion does not begin with {_GROUP}")
    found = ResourceList(api_version)
    for name, value in data.items():
        node = root.get(name)
        if not isinstance(name, str) or node is None or name in ("apiVersion", "kind", "results"):
            continue
        if name == "items":
            found.items = list(_items(document, node))
            continue
        if name == "functionConfig" and isinstance(value, dict):
            found.function_config = value
        found.others[name] = _text_of(document, node)
    return found


def write_resource_list(
    source: ResourceList, items: Iterable[str], results: Iterable[Mapping[str, Any]]
) -> str:
    """The list with these items, as `Item.listed` and `as_list_item` give them, and results."""
    texts, found = list(items), list(results)
    parts = [f"apiVersion: {source.api_version}\nkind: {KIND}\n"]
    parts.append("items:\n" if texts else "items: []\n")
    parts += texts
    for name, text in source.others.items():
        lines = indented(text.rstrip("\n").split("\n"), _INDENT)
        parts.append(f"{name}:\n" + "".join(line + "\n" for line in lines))
    if found:
        parts.append("results:\n")
        parts += ["- " + json.dumps(result, ensure_ascii=False) + "\n" for result in found]
    return "".join(parts)


def as_list_item(text: str) -> str:
    """The text of a document as an item of a block list at the left margin."""
    lines = indented(text.removesuffix("\n").split("\n"), _INDENT)
    return "-" + lines[0][1:] + "".join("\n" + line for line in lines[1:]) + "\n"


def data_text(value: Value) -> str:
    """The text of a document with this value; without comments, but always right."""
    if isinstance(value, dict | list) and value:
        return "".join(line + "\n" for line in block_lines(value))
    return flow_text(value) + "\n"


def plain_documents(content: str, name: str) -> list[str]:
    """The documents of a file that are more than comments, as they can stand in a list.

    That is without `---`, `...`, directives and byte order mark, with plain line ends. Raises
    DocumentError for what is no YAML.
    """
    parts = [part for part in Stream(content, name=name).parts if not part.is_empty]
    return [_plain(part) for part in parts]


def _plain(part: Part) -> str:
    text = part.text.removeprefix(BOM).replace("\r\n", "\n")
    text = _END.sub("", _MARKER.sub("", text, count=1)).removesuffix("\n") + "\n"
    data = part.document.data
    return text if reads_as(text, data) else data_text(data)


def _items(document: Document, node: Node) -> Iterator[Item]:
    if not isinstance(node, Sequence):
        if isinstance(node.data, Typed) and node.data.value is None:
            return
        raise _no_list("`items` is not a list", document.line_of(node.start))
    texts = _flow_texts(document, node) if node.flow else _block_texts(document, node)
    for index, (entry, (text, listed)) in enumerate(zip(node.entries, texts, strict=True)):
        value = entry.value
        if not isinstance(value.data, dict):
            raise _no_list(f"item {index} is not a map", document.line_of(value.start))
        if not text or not (listed or reads_as(text, value.data)):
            text = data_text(value.data)  # an alias, say, that leads out of the item
        yield Item(text, value.data, listed or as_list_item(text))


def _flow_texts(document: Document, items: Sequence) -> Iterator[tuple[str, str]]:
    for entry in items.entries:
        yield document.text[entry.value.start : entry.value.end] + "\n", ""


def _block_texts(document: Document, items: Sequence) -> Iterator[tuple[str, str]]:
    """Each item as a document and as it is in the list; empty where its text cannot tell it."""
    geometry, count = document.geometry, len(items.entries)
    try:
        dashes = [geometry.start(items, index) for index in range(count)]
        ends = [geometry.line_start(dash) for dash in dashes[1:]]
        ends.append(geometry.tail(items, count - 1))
    except SpliceError:
        yield from [("", "")] * count
        return
    for entry, dash, end in zip(items.entries, dashes, ends, strict=True):
        margin, width = geometry.column(dash), geometry.column(entry.value.start)
        source = geometry.text[dash:end].removesuffix("\n") + "\n"
        lines = (" " * (margin + 1) + source[1:]).split("\n")
        is_kept = margin == 0 and width == _INDENT and not _MARKS.search(source)
        yield "\n".join(dedented(lines, width)), source if is_kept else ""


def _text_of(document: Document, node: Node) -> str:
    """The text of a field's value at the left margin."""
    geometry = document.geometry
    if is_block(node):
        try:
            start, end = geometry.head(node, 0), geometry.tail(node, len(node.entries) - 1)
        except SpliceError:
            return data_text(node.data)
        lines = geometry.text[start:end].removesuffix("\n").split("\n")
        text = "\n".join(dedented(lines, geometry.column(node.start))) + "\n"
    else:
        text = geometry.text[node.start : node.end] + "\n"
    return text if reads_as(text, node.data) else data_text(node.data)


def reads_as(text: str, data: Value) -> bool:
    """Is the text YAML with this value?"""
    try:
        return Document(text).data == data
    except DocumentError:
        return False


def _no_list(why: str, line: int = 0) -> DocumentError:
    return DocumentError(
        "not-a-resource-list",
        "the input is no ResourceList",
        where=Location(NAME, line),
        why=why,
        hint="pipe in what `kpt fn source PKG` prints, or let `kpt fn eval` start the function",
    )
