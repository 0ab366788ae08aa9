"""Random edits on all manifests and merge cases, as they are and in other clothes.

What must hold: the value is the intended one, comments outside the edit stay, and so does every
other character. How often another writer than the splicer is needed is measured, too.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.document import fallback
from pkgupdate.document.apply import apply_edits
from pkgupdate.document.changes import parents_of
from pkgupdate.document.document import Document
from pkgupdate.document.edits import (
    DeleteEntry,
    Edit,
    FromData,
    InsertEntry,
    Reorder,
    SetComment,
    SetRoot,
    SetValue,
)
from pkgupdate.document.intent import apply_to_data
from pkgupdate.document.nodes import Collection
from pkgupdate.document.stream import Stream, decode
from pkgupdate.document.values import Typed
from pkgupdate.document.verify import same_value
from pkgupdate.errors import DocumentError

from .random_edits import KINDS, has_unwritable_keys, mutations, several

TESTDATA = Path(__file__).parents[2] / "testdata"


@cache
def documents() -> tuple[str, ...]:
    """The text of every document in the test data that parses."""
    paths = [*TESTDATA.glob("manifests/*"), *TESTDATA.glob("cases/bugs/*/*.yaml")]
    texts: dict[str, None] = {}
    for path in sorted(paths):
        content = decode(path.read_bytes())
        for part in Stream(content).parts if content is not None else ():
            try:
                Document(part.text)
            except DocumentError:
                continue
            texts[part.text] = None
    return tuple(texts)


@cache
def donors() -> list[Document]:
    return [Document(text) for text in documents()]


def dressed(text: str, choice: int) -> Document | None:
    """One of the mutated copies of a text, None if it is no YAML any more."""
    variants = mutations(text)
    try:
        return Document(variants[choice % len(variants)])
    except DocumentError:
        return None


def touched_range(document: Document, edit: Edit) -> tuple[int, int]:
    """The range of the text outside of which a single edit may change nothing."""
    assert isinstance(edit, SetValue | DeleteEntry | InsertEntry | Reorder | SetComment)
    geometry, collection = document.geometry, edit.collection
    parents = parents_of(document.root)
    while True:
        place = parents.get(id(collection))
        if place is None:
            return 0, len(geometry.text)
        outer, index = place
        if not outer.flow:
            break
        collection = outer
    start = geometry.line_start(geometry.start(outer, index))
    if geometry.on_own_line(outer, index):
        start = geometry.head(outer, index)
    return (
        geometry.blank_lines_start(start, 0),
        geometry.blank_lines_end(geometry.tail(outer, index)),
    )


def entry_range(document: Document, edit: Edit) -> tuple[int, int]:
    """Tighter than `touched_range` for edits of one entry of a block collection of several."""
    if isinstance(edit, SetValue | DeleteEntry | SetComment):
        collection: Collection = edit.collection
        geometry = document.geometry
        own = not collection.flow and len(collection.entries) > 1
        if own and geometry.on_own_line(collection, 0):
            start = geometry.head(collection, edit.index)
            end = geometry.tail(collection, edit.index)
            return geometry.blank_lines_start(start, 0), geometry.blank_lines_end(end)
    return touched_range(document, edit)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_single_edit_changes_one_place(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(documents()))
    document = dressed(text, data.draw(st.integers(0, 5)))
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    rng = Random(data.draw(st.integers(0, 2**32)))
    if document is None:
        return
    edits = KINDS[kind](rng, document, donors())
    if not edits or has_unwritable_keys(apply_to_data(document, edits)):
        return
    result = apply_edits(document, edits).removeprefix("\ufeff")
    new = Document(result)
    assert same_value(new.data, apply_to_data(document, edits))
    if document.tree.aliases or not document.text.endswith("\n"):
        return
    start, end = entry_range(document, edits[0])
    for edit in edits[1:]:
        first, last = touched_range(document, edit)
        start, end = min(start, first), max(end, last)
    before, after = document.text[:start], document.text[end:]
    assert result.startswith(before)
    assert result.endswith(after)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_several_edits_at_once_give_the_intended_value(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(documents()))
    document = dressed(text, data.draw(st.integers(0, 5)))
    rng = Random(data.draw(st.integers(0, 2**32)))
    if document is None:
        return
    edits = several(rng, document, donors(), 5)
    if not edits or has_unwritable_keys(apply_to_data(document, edits)):
        return
    try:
        result = apply_edits(document, edits)
    except DocumentError as e:
        assert e.code == "edit-failed"  # rare, measured below; nothing was written
        return
    assert same_value(Document(result).data, apply_to_data(document, edits))
    assert result.startswith("\ufeff") == document.bom


def test_share_of_edits_that_need_another_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of single edits fewer than 0.3% need a fallback, and none fails."""
    needed = 0
    original = fallback.written_otherwise

    def counted(*arguments: object) -> str:
        nonlocal needed
        needed += 1
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(fallback, "written_otherwise", counted)
    rng = Random(20240131)
    total = 0
    for text in documents():
        for choice in range(6):
            document = dressed(text, choice)
            for kind in sorted(KINDS) if document else ():
                assert document is not None
                edits = KINDS[kind](rng, document, donors())
                if edits and not has_unwritable_keys(apply_to_data(document, edits)):
                    apply_edits(document, edits)
                    total += 1
    assert total > 3000
    assert needed / total < 0.003, f"{needed} of {total}"


def test_typed_values_survive_a_round_trip_through_text() -> None:
    """What is rendered from data reads back as the same data."""
    document = Document("a: 1\n")
    for donor in donors():
        if has_unwritable_keys(donor.data) or _has_tags(donor.data):
            continue
        edits = [SetRoot(FromData(donor.data))]
        assert same_value(Document(apply_edits(document, edits)).data, donor.data)


def _has_tags(value: object) -> bool:
    if isinstance(value, Typed):
        return value.tag.startswith(("tag:", "!"))
    if isinstance(value, dict):
        return any(_has_tags(v) or _has_tags(k) for k, v in value.items())
    return isinstance(value, list) and any(map(_has_tags, value))
