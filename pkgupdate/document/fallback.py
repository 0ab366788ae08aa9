"""Writers for edits that cannot be spliced as they are; every result is verified like a splice.

In this order: the contents that do not fit are rendered from data; the smallest collection around
all edits is written anew; ruamel.yaml writes the whole document. If all fail, nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkgupdate.document.changes import ChangeSet, group_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import (
    Edit,
    FromData,
    InsertEntry,
    SetComment,
    SetMargin,
    SetRoot,
    SetValue,
)
from pkgupdate.document.intent import Intent
from pkgupdate.document.nodes import Collection
from pkgupdate.document.splice import spliced
from pkgupdate.document.verify import Expectation
from pkgupdate.errors import DocumentError, Location


def written_otherwise(
    document: Document, edits: list[Edit], intent: Intent, expectation: Expectation
) -> str:
    """The verified text of the first writer that succeeds, without byte order mark.

    Raises DocumentError `edit-failed`.
    """
    if not document.has_odd_breaks:
        text = _by_value(document, edits, intent, expectation)
        if text is None:
            text = _enclosing(document, intent, expectation)
        if text is not None:
            return text
    if not any(isinstance(edit, SetComment | SetRoot) for edit in edits):
        from pkgupdate.document.ruamel_writer import round_trip

        text = round_trip(document, intent.changes)
        if text is not None and expectation.holds(text):
            return text
    raise edit_failed(document, _position(edits))


def edit_failed(document: Document, position: int) -> DocumentError:
    """The error for an edit that no writer can make."""
    return DocumentError(
        "edit-failed",
        "this YAML document cannot be changed without risk to the rest of it",
        where=Location(document.name, document.line_of(position)),
        why="a line ends in a lone carriage return or another rare line break"
        if document.has_odd_breaks
        else "no way of writing the change reads back as intended and keeps all comments",
        hint="write that part of the file in plain block style, or make the change by hand",
    )


def _by_value(
    document: Document, edits: list[Edit], intent: Intent, expectation: Expectation
) -> str | None:
    """Contents that fail on their own are rendered, the others keep their text; then all are."""
    contents = {
        id(edit.content): edit
        for edit in edits
        if isinstance(edit, SetValue | InsertEntry) and not isinstance(edit.content, FromData)
    }
    if not contents:
        return None
    unfit: set[int] = set()
    if len(contents) > 1:
        for key, edit in contents.items():
            alone = group_edits([edit])
            own_intent = Intent(document, alone)
            if (
                spliced(document, alone, own_intent, Expectation(document, alone, own_intent))
                is None
            ):
                unfit.add(key)
    for chosen in (unfit, set(contents)):
        if chosen:
            text = spliced(document, intent.changes, intent, expectation, frozenset(chosen))
            if text is not None:
                return text
    return None


def _enclosing(document: Document, intent: Intent, expectation: Expectation) -> str | None:
    """Write the smallest collection that holds all edits anew, else the next one around it."""
    for collection in _around(intent):
        content = FromData(intent.of(collection))
        place = intent.parents.get(id(collection))
        edit: Edit = SetValue(*place, content) if place else SetRoot(content)
        changes: ChangeSet = group_edits([edit])
        text = spliced(document, changes, Intent(document, changes), expectation)
        if text is not None:
            return text
    return None


def _around(intent: Intent) -> Iterator[Collection]:
    """Collections that hold all changed ones, the innermost first."""
    chains: list[list[Collection]] = []
    for changes in intent.changes.by_collection.values():
        chain = [changes.collection]
        while id(chain[-1]) in intent.parents:
            chain.append(intent.parents[id(chain[-1])][0])
        chains.append(chain)
    if not chains:
        return
    common = set.intersection(*({id(node) for node in chain} for chain in chains))
    yield from (node for node in chains[0] if id(node) in common)


def _position(edits: list[Edit]) -> int:
    """Where the first edit lies in the text."""
    for edit in edits:
        if isinstance(edit, SetRoot | SetMargin):
            continue
        if not isinstance(edit, InsertEntry) and hasattr(edit, "index"):
            entry = edit.collection.entries[edit.index]
            return entry.value.start if entry.key is None else entry.key.start
        return edit.collection.start
    return 0
