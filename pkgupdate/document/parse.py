"""Text to node trees, from the event stream of libyaml (PyYAML's C parser).

libyaml is the scanner that Go's yaml.v3, and so kpt, was ported from. Where PyYAML was built
without it, ruamel.yaml's pure parser gives the same events (many times slower).
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from pkgupdate.document.limits import MAX_DEPTH, MAX_EXPANDED_NODES, MAX_TEXT_BYTES
from pkgupdate.document.nodes import (
    Alias,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    key_data,
    map_data,
    tagged,
)
from pkgupdate.document.values import Typed, Value, resolve_plain
from pkgupdate.errors import DocumentError, Location

_STR_TAGS = ("!", "tag:yaml.org,2002:str")

_SCALAR, _MAP, _SEQ, _MAP_END, _SEQ_END, _ALIAS = range(6)
_EVENT_NAMES = (
    "ScalarEvent",
    "MappingStartEvent",
    "SequenceStartEvent",
    "MappingEndEvent",
    "SequenceEndEvent",
    "AliasEvent",
)


_Parser: TypeAlias = tuple[Callable[[str], Callable[[], Any]], dict[type, int], type[Exception]]
"""What gives a get-next-event function for a text, the event classes by code, the error class."""


@cache
def _parser() -> _Parser:
    try:
        from yaml import YAMLError, events
        from yaml._yaml import CParser
    except ImportError:
        return _pure_parser()
    codes = {getattr(events, name): code for code, name in enumerate(_EVENT_NAMES)}
    return (lambda text: CParser(text).get_event), codes, YAMLError


def _pure_parser() -> _Parser:
    from ruamel.yaml import YAML, events
    from ruamel.yaml.error import YAMLError

    def source(text: str) -> Callable[[], Any]:
        iterator = iter(YAML(typ="safe", pure=True).parse(text))
        return lambda: next(iterator, None)

    codes = {getattr(events, name): code for code, name in enumerate(_EVENT_NAMES)}
    return source, codes, YAMLError


@dataclass(slots=True)
class Tree:
    """What the parser found in one text.

    roots: the root node of every document that has one.
    anchored, aliases: nodes with an anchor, and aliases, in source order.
    hashes: spans of scalars that contain ``#``; every other ``#`` after a gap starts a comment.
    repeated: map entries whose key the map has already.
    """

    roots: list[Node] = field(default_factory=list)
    anchored: list[Node] = field(default_factory=list)
    aliases: list[Alias] = field(default_factory=list)
    hashes: list[tuple[int, int]] = field(default_factory=list)
    repeated: list[Entry] = field(default_factory=list)


def parse_tree(text: str) -> Tree:
    """Parse `text` (no byte order mark).

    Raises DocumentError: `yaml-syntax` (with line), `yaml-alias` (unknown or recursive alias),
    `yaml-too-deep`, `yaml-too-large`.
    """
    if len(text) > MAX_TEXT_BYTES:
        raise DocumentError(
            "yaml-too-large",
            f"a YAML text of {len(text)} characters is over the limit of {MAX_TEXT_BYTES}",
            hint="split the file, or list it in .krmignore to treat it as plain text",
        )
    enabled = gc.isenabled()
    gc.disable()  # the trees have no cycles; collections cost up to 4 times the parse on 1 MB
    try:
        return _Builder(text).build()
    finally:
        if enabled:
            gc.enable()


class _Builder:
    """Builds the trees of one text; `_loop` is one loop because it is the hot path."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.anchors: dict[str, Node | None] = {}
        self.sizes: dict[str, tuple[int, int]] = {}
        self.opened: list[int] = []
        self.left = MAX_EXPANDED_NODES
        self.expanded = 0
        self.tree = Tree()

    def build(self) -> Tree:
        source, codes, error = _parser()
        try:
            get = source(self.text)
        except UnicodeError as e:
            raise DocumentError("yaml-syntax", "the text is not valid Unicode", why=str(e)) from e
        except Exception as e:
            raise _syntax_error(e) from e
        try:
            return self._loop(get, codes)
        except error as e:
            raise _syntax_error(e) from e

    def _loop(self, get: Callable[[], Any], codes: dict[type, int]) -> Tree:
        anchors, tree, code_of = self.anchors, self.tree, codes.get
        # The open collection (none at the top), its data so far, a key that waits for its value,
        # and what was left when it was opened; those around it are on the stack.
        current: Mapping | Sequence | None = None
        data: Any = None
        key: Node | None = None
        opened_with = 0
        stack: list[tuple[Mapping | Sequence | None, Any, Node | None, int]] = []
        left = self.left
        while True:
            event = get()
            code = code_of(type(event))
            if code is None:
                if event is None:
                    return tree
                if type(event).__name__ == "DocumentStartEvent":
                    anchors.clear()
                    self.sizes.clear()
                continue
            left -= 1
            if left < 0:
                raise _limit_error(event, "yaml-too-large", "too many values, aliases expanded")
            node: Node
            if code == _SCALAR:
                start, end = event.start_mark.index, event.end_mark.index
                if end <= start or event.style or event.tag is not None or event.anchor is not None:
                    node = self._scalar(event, start, end)
                else:
                    value = event.value
                    node = Scalar(start, end, value, "", "", "", resolve_plain(value))
                    if "#" in value:
                        tree.hashes.append((start, end))
            elif code in (_MAP, _SEQ):
                if len(stack) >= MAX_DEPTH:
                    raise _limit_error(event, "yaml-too-deep", f"more than {MAX_DEPTH} levels")
                stack.append((current, data, key, opened_with))
                key, opened_with = None, left
                start, end = event.start_mark.index, event.end_mark.index
                flow, tag, anchor = bool(event.flow_style), event.tag or "", event.anchor or ""
                if code == _MAP:
                    current, data = Mapping(start, end, flow, str(tag), anchor), {}
                else:
                    current, data = Sequence(start, end, flow, str(tag), anchor), []
                if anchor:
                    anchors[anchor] = None  # open: an alias to it now is recursive
                    self.opened.append(self.expanded)
                    tree.anchored.append(current)
                continue
            elif code == _ALIAS:
                self.left = left
                node = self._alias(event)
                left = self.left
            else:
                assert current is not None
                node = current
                entries = node.entries
                if node.flow:
                    node.end = event.end_mark.index
                elif entries:
                    node.end = entries[-1].value.end
                if len(data) < len(entries):
                    data = self._data_with_repeats(entries)
                node.data = tagged(node.tag, data) if node.tag else data
                if node.anchor:
                    anchors[node.anchor] = node
                    expanded = self.expanded - self.opened.pop()
                    size = node.end - node.start + expanded
                    self.sizes[node.anchor] = opened_with - left + 1, size
                current, data, key, opened_with = stack.pop()
            if key is not None:
                assert current is not None
                entry = Entry(key, node)
                current.entries.append(entry)
                name = key.data
                data[name if type(name) is str else key_data(entry)] = node.data
                key = None
            elif current is None:
                tree.roots.append(node)
            elif type(current) is Mapping:
                key = node
            else:
                current.entries.append(Entry(None, node))
                data.append(node.data)

    def _scalar(self, event: Any, start: int, end: int) -> Scalar:
        """A scalar that is quoted, in a block, tagged, anchored or empty."""
        text, value, style, tag = self.text, event.value, event.style or "", str(event.tag or "")
        if end <= start:  # nothing is written; the parsers differ in how far they looked
            while start and text[start - 1] in " \t\r\n":
                start -= 1
            end = start
        elif style in ("|", ">"):
            end = _block_scalar_end(text, start, end)
        data = _marked_data(value, tag) if style or tag else resolve_plain(value)
        node = Scalar(start, end, value, style, tag, event.anchor or "", data)
        if "#" in value or style in ("|", ">"):
            self.tree.hashes.append((start, end))
        if node.anchor:
            self.anchors[node.anchor] = node
            self.sizes[node.anchor] = 1, end - start
            self.tree.anchored.append(node)
        return node

    def _alias(self, event: Any) -> Alias:
        name: str = event.anchor
        target = self.anchors.get(name)
        if target is None:
            known = name in self.anchors
            raise DocumentError(
                "yaml-alias",
                f"alias *{name} " + ("refers to itself" if known else "has no anchor before it"),
                where=Location(line=event.start_mark.line + 1),
            )
        nodes, characters = self.sizes[name]
        self.left -= nodes
        self.expanded += characters
        if self.left < 0 or self.expanded > MAX_TEXT_BYTES:
            raise _limit_error(event, "yaml-too-large", "aliases expand to too much")
        alias = Alias(event.start_mark.index, event.end_mark.index, name, target)
        self.tree.aliases.append(alias)
        return alias

    def _data_with_repeats(self, entries: list[Entry]) -> Value:
        """The data of a map in which a key is repeated; the repetitions are noted."""
        seen: set[Value] = set()
        for entry in entries:
            key = key_data(entry)
            if key in seen:
                self.tree.repeated.append(entry)
            seen.add(key)
        return map_data((key_data(entry), entry.value.data) for entry in entries)


def _marked_data(text: str, tag: str) -> str | Typed:
    """The value of a scalar that is in quotes, in a block or tagged."""
    return text if not tag or tag in _STR_TAGS else Typed(tag, text)


def _block_scalar_end(text: str, start: int, end: int) -> int:
    """libyaml ends a block scalar at the next token: trim to the end of its last content line."""
    header = text[start : text.find("\n", start, end) + 1 or end].split("#")[0]
    i = min(end, len(text))
    if "+" in header:
        if i > start and text[i - 1] == "\n":
            i -= 2 if text[i - 2 : i - 1] == "\r" else 1
        return i
    while i > start + 1 and text[i - 1] in " \t\r\n":
        i -= 1
    j = text.find("\n", i, end)
    j = min(end, len(text)) if j < 0 else j
    return j - 1 if text[j - 1 : j] == "\r" else j


def _syntax_error(error: Exception) -> DocumentError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    context = getattr(error, "context", None)
    too_deep = "maximum nesting depth" in problem  # libyaml's own limit comes first at times
    return DocumentError(
        "yaml-too-deep" if too_deep else "yaml-syntax",
        "this is not valid YAML",
        where=Location(line=mark.line + 1 if mark is not None else 0),
        why=f"{context}: {problem}" if context else str(problem),
    )


def _limit_error(event: Any, code: str, why: str) -> DocumentError:
    return DocumentError(
        code,
        "this YAML is over a limit that guards against hostile input",
        where=Location(line=event.start_mark.line + 1),
        why=why,
    )
