"""New content as text: taken from its source with comments, quotes and block styles, re-indented.

A `Fragment` holds every form in which content may be needed: as a value beside a key, as lines
below it, as a whole entry, or inside a flow collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from pkgupdate.document.changes import content_data
from pkgupdate.document.document import Document
from pkgupdate.document.edits import Content, FromData, FromEntry
from pkgupdate.document.geometry import SpliceError
from pkgupdate.document.nodes import (
    Alias,
    Collection,
    Mapping,
    Node,
    Scalar,
    Sequence,
    is_block,
    key_data,
    walk,
)
from pkgupdate.document.relocate import AnchorNames, Relocation
from pkgupdate.document.render import (
    block_lines,
    entry_lines,
    flow_text,
    indented,
    inline_lines,
    scalar_text,
)
from pkgupdate.document.style import DEFAULT, Style, dash_width
from pkgupdate.document.values import Value

_ENDS_PLAIN_IN_FLOW = re.compile(r"[,\[\]{}]|:\Z|^\Z")


@dataclass(slots=True)
class Fragment:
    """New content in the forms of text that it may be needed in.

    inline: a scalar, alias or flow collection; lines after the first are relative to the entry.
    lines: a block collection at column 0 (then `inline` is empty), `indent` columns below its
        entry; `properties`: its tag (and anchor).
    entry: the whole entry at column 0, head comments first (`heads` of them).
    flow, flow_key: one line each, for use in a flow collection.
    blank_before, blank_after: does a blank line part it from its neighbours in the source?
    """

    data: Value
    inline: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    indent: int = 2
    properties: str = ""
    entry: list[str] = field(default_factory=list)
    heads: int = 0
    flow: str = ""
    flow_key: str = ""
    blank_before: bool = False
    blank_after: bool = False

    @property
    def is_block_scalar(self) -> bool:
        """Is the content a literal or folded block scalar?"""
        return len(self.inline) > 0 and _BLOCK_SCALAR.match(self.inline[0]) is not None


_BLOCK_SCALAR = re.compile(r"(?:[&!]\S*[ \t]+)*[|>][-+0-9]*[ \t]*(?:[ \t]#.*)?\Z")


class Planter:
    """Makes fragments for one target document."""

    def __init__(
        self,
        target: Document,
        by_value: frozenset[int] = frozenset(),
        contents: Iterable[Content] = (),
    ) -> None:
        """Prepare for a set of contents.

        by_value: ids of those whose text must not be used (it proved not to fit).
        """
        self.target = target
        self.style = target.style
        self.by_value = by_value
        self.planted = frozenset(
            node.anchor
            for content in contents
            if (source := _source(content)) and source.tree.aliases and id(content) not in by_value
            for node in walk(_node(content))
            if node.anchor
        )

    def style_in(self, collection: Collection) -> Style:
        """The local style, with the dash width of this very list."""
        if isinstance(collection, Sequence) and not collection.flow:
            width = dash_width(self.target.geometry, collection)
            if width is not None:
                return self.style._replace(after_dash=width)
        return self.style

    def style_for(self, content: Content, style: Style | None = None) -> Style:
        """The local style, where that shows no habit the style of the content's source."""
        source = _source(content)
        style = style or self.style
        return (style.or_else(source.style) if source else style).or_else(DEFAULT)

    def entry(self, content: Content, key: Value | None, collection: Collection) -> Fragment:
        """A new entry of `collection`."""
        style = self.style_in(collection)
        json_style = _is_json(collection)
        fragment = self._rendered(content, key, style, json_style)
        if isinstance(content, FromData) or id(content) in self.by_value:
            return _usable(fragment)
        self._use_value_text(fragment, content, collection, style, json_style)
        if isinstance(content, FromEntry) and _has_key(content, key):
            if not content.collection.flow:
                self._use_entry_text(fragment, content, style)
                return _usable(fragment)
            if key is not None and not json_style:
                fragment.flow_key = _key_text(content)
        fragment.entry = self._assembled(fragment, key, style)
        return fragment

    def value(self, content: Content, collection: Collection, index: int) -> Fragment:
        """A new value for entry `index` of `collection`."""
        style = self.style_in(collection)
        fragment = self._rendered(content, None, style, _is_json(collection))
        if isinstance(content, FromData):
            self._imitate(fragment, collection.entries[index].value, collection, index)
        elif id(content) not in self.by_value:
            self._use_value_text(fragment, content, collection, style, _is_json(collection))
        return _usable(fragment)

    def root(self, content: Content) -> Fragment:
        """A new root node."""
        fragment = self._rendered(content, None, self.style, False)
        if not isinstance(content, FromData) and id(content) not in self.by_value:
            self._use_value_text(fragment, content, None, self.style, False)
        return fragment

    def _rendered(
        self, content: Content, key: Value | None, style: Style, json_style: bool
    ) -> Fragment:
        fragment = Fragment(content_data(content))
        try:
            self._render(fragment, key, self.style_for(content, style), json_style)
        except SpliceError:  # a tagged collection, say, has no form but its own text
            if isinstance(content, FromData):
                raise
        return fragment

    def _render(
        self, fragment: Fragment, key: Value | None, style: Style, json_style: bool
    ) -> None:
        data = fragment.data
        fragment.flow = flow_text(data, json_style)
        if isinstance(data, dict | list) and data:
            fragment.lines = block_lines(data, style)
            fragment.indent = (
                style.list_in_map if isinstance(data, list) else style.map_in_map
            ) or 0
        else:
            fragment.inline = inline_lines(data)
        if key is not None:
            fragment.flow_key = scalar_text(key, '"' if json_style else "")
        fragment.entry = entry_lines(key, data, style)

    def _imitate(self, fragment: Fragment, old: Node, collection: Collection, index: int) -> None:
        """Use the style of the scalar or flow collection that is replaced."""
        geometry = self.target.geometry
        if isinstance(old, Scalar) and not isinstance(fragment.data, dict | list):
            column = geometry.column(geometry.start(collection, index))
            first, *rest = geometry.lines(old.start, old.end) or [""]
            like = "\n".join([first, *(line[column:] for line in rest)])
            fragment.inline = inline_lines(fragment.data, old.style, like)
            if old.style in ("'", '"'):
                fragment.flow = scalar_text(fragment.data, old.style)
        elif isinstance(old, Mapping | Sequence) and old.flow and old.entries and fragment.lines:
            fragment.lines, fragment.inline = [], [fragment.flow]

    def _use_value_text(
        self,
        fragment: Fragment,
        content: Content,
        collection: Collection | None,
        style: Style,
        json_style: bool,
    ) -> None:
        """Replace the rendered forms of the value by the source's own text, where that fits."""
        source = _source(content)
        assert source is not None
        try:
            relocation = self._relocation(content, source, style)
            if relocation is None:
                return
            node = _node(content)
            is_block_alias = isinstance(node, Alias) and is_block(node.target)
            if is_block_alias and not relocation.names.keep(node):
                return
            if isinstance(content, FromEntry) and not content.collection.flow:
                column = source.geometry.column(
                    source.geometry.start(content.collection, content.index)
                )
            else:
                column = 0
            if is_block(node):
                outer = content.collection if isinstance(content, FromEntry) else None
                index = content.index if isinstance(content, FromEntry) else 0
                fragment.lines, indent = relocation.value_lines(outer, index, node)
                fragment.inline = []
                fragment.properties = relocation.properties(node)
                fragment.indent = style.indent(collection, node, indent) if collection else 0
                while isinstance(collection, Sequence) and not fragment.lines[0]:
                    del fragment.lines[0]  # it may come to stand beside the dash
                return
            if node.end > node.start and not _is_bare_pair(source, node):
                inline = relocation.inline(node, column)
                if isinstance(content, FromEntry) and content.collection.flow and len(inline) > 1:
                    return
                fragment.inline, fragment.lines = inline, []
                fits = len(inline) == 1 and not fragment.is_block_scalar
                if fits and not (_is_plain(node) and _ENDS_PLAIN_IN_FLOW.search(inline[0])):
                    fragment.flow = fragment.flow if json_style and _is_plain(node) else inline[0]
        except SpliceError:
            return

    def _use_entry_text(self, fragment: Fragment, content: FromEntry, style: Style) -> None:
        source, collection, index = content.document, content.collection, content.index
        key = collection.entries[index].key
        try:
            relocation = self._relocation(content, source, style)
            if relocation is None:
                fragment.entry = self._assembled(fragment, None if key is None else key.data, style)
                return
            fragment.entry, fragment.heads = relocation.entry(collection, index)
            if (
                isinstance(node := _node(content), Alias)
                and is_block(node.target)
                and not relocation.names.keep(node)
                and not source.comments(collection, index).line
            ):
                entry = self._assembled(fragment, None if key is None else key.data, style)
                fragment.entry[fragment.heads :] = entry
            fragment.blank_before, fragment.blank_after = relocation.blanks(collection, index)
        except SpliceError:
            return
        if key is not None and fragment.flow_key[:1] != '"':
            fragment.flow_key = _key_text(content) or fragment.flow_key

    def _relocation(self, content: Content, source: Document, style: Style) -> Relocation | None:
        if source.has_odd_breaks or _is_cut_off(source, _node(content)):
            return None
        names = AnchorNames.of(_node(content), self.target, self.planted)
        same = source.style.or_else(style) == style.or_else(source.style)
        return Relocation(source, None if same else style, names)

    def _assembled(self, fragment: Fragment, key: Value | None, style: Style) -> list[str]:
        """An entry put together from its key and the forms of the value."""
        lead = "-" if key is None else (fragment.flow_key or scalar_text(key)) + ":"
        props = f" {fragment.properties}" if fragment.properties else ""
        if not fragment.lines:
            first, *rest = _usable(fragment).inline
            return [f"{lead} {first}".rstrip(), *rest]
        first = fragment.lines[0]
        if key is None and not props and not first.lstrip().startswith("#"):
            width = max(2, style.after_dash or 2)
            return [lead.ljust(width) + first, *indented(fragment.lines[1:], width)]
        indent = fragment.indent if key is not None else max(fragment.indent, 2)
        if key is not None and isinstance(fragment.data, dict):
            indent = max(indent, 1)
        return [lead + props, *indented(fragment.lines, indent)]


def _usable(fragment: Fragment) -> Fragment:
    """The fragment, if it has a text at all."""
    if not fragment.inline and not fragment.lines:
        raise SpliceError("content without a form in text")
    return fragment


def _has_key(content: FromEntry, key: Value | None) -> bool:
    """Is the source entry of the kind that is wanted: with this key, or a list item (None)?"""
    entry = content.collection.entries[content.index]
    if entry.key is None or key is None:
        return entry.key is None and key is None
    return key_data(entry) == key


def _source(content: Content) -> Document | None:
    return None if isinstance(content, FromData) else content.document


def _node(content: Content) -> Node:
    """The node that content which is not bare data stands for."""
    if isinstance(content, FromEntry):
        return content.collection.entries[content.index].value
    assert not isinstance(content, FromData)
    if content.document.root is None:
        raise SpliceError("the source has no root")
    return content.document.root


def _is_bare_pair(source: Document, node: Node) -> bool:
    """Is the node a map without braces, as in ``[a: 1]``?"""
    if not isinstance(node, Mapping) or not node.flow:
        return False
    return source.text[source.geometry.after_properties(node) :].lstrip()[:1] != "{"


def _is_plain(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.style


def _is_json(collection: Collection) -> bool:
    """Is this a flow map whose keys are in double quotes?"""
    if not collection.flow or not isinstance(collection, Mapping) or not collection.entries:
        return False
    key = collection.entries[0].key
    return isinstance(key, Scalar) and key.style == '"'


def _key_text(content: FromEntry) -> str:
    """The key as written in the source, '' if it is not a simple one."""
    key = content.collection.entries[content.index].key
    text = content.document.text
    if not isinstance(key, Scalar) or key.anchor or "\n" in text[key.start : key.end]:
        return ""
    if not key.style and re.search(r"[,\[\]{}]", key.text):
        return ""
    return text[key.start : key.end]


def _is_cut_off(source: Document, node: Node) -> bool:
    """Is the last thing in the node a block scalar without its final newline?"""
    if source.text.endswith("\n") or node.end < len(source.text):
        return False
    last = node
    while isinstance(last, Mapping | Sequence) and last.entries:
        last = last.entries[-1].value
    return isinstance(last, Scalar) and last.style in ("|", ">")
