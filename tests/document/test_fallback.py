"""The writers behind the splicer, each on its own."""

from __future__ import annotations

import pytest

from pkgupdate.document.changes import group_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import (
    DeleteEntry,
    Edit,
    FromData,
    FromEntry,
    InsertEntry,
    Reorder,
    SetValue,
)
from pkgupdate.document.fallback import written_otherwise
from pkgupdate.document.intent import Intent, apply_to_data
from pkgupdate.document.ruamel_writer import round_trip
from pkgupdate.document.values import from_plain
from pkgupdate.document.verify import Expectation, same_value

from .helpers import at, inside

TEXT = """\
# top
a: 1 # one
list:
  - name: x # first
    on: "yes"
  - name: y
map:
  k: v
"""


def edits_of(document: Document) -> list[Edit]:
    return [
        SetValue(*at(document, "a"), FromData(from_plain("no"))),
        Reorder(inside(document, "list"), (1, 0)),
        InsertEntry(inside(document, "map"), 0, "new", FromData(from_plain({"a": ["1", 2]}))),
        DeleteEntry(*at(document, "map", "k")),
    ]


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip("\n")])
def test_round_trip_of_ruamel_yaml(text: str) -> None:
    document = Document(text)
    edits = edits_of(document)
    written = round_trip(document, group_edits(edits))
    assert written is not None
    assert same_value(Document(written).data, apply_to_data(document, edits))
    assert ("\r\n" in written) == ("\r\n" in text)
    assert "# top" in written


def test_round_trip_gives_up_on_what_it_cannot_load() -> None:
    document = Document("a: !!int x\nb: 1\n")
    changes = group_edits([DeleteEntry(*at(document, "b"))])
    written = round_trip(document, changes)
    assert written is None or "b" not in written


def test_written_otherwise_keeps_comments_and_value() -> None:
    document = Document(TEXT)
    source = Document("map:\n  n: 1 # c\n")
    edits: list[Edit] = [
        InsertEntry(inside(document, "map"), 0, "n", FromEntry(source, *at(source, "map", "n"))),
        InsertEntry(inside(document, "map"), 0, "m", FromData("x")),
    ]
    intent = Intent(document, group_edits(edits))
    written = written_otherwise(
        document, edits, intent, Expectation(document, intent.changes, intent)
    )
    assert same_value(Document(written).data, apply_to_data(document, edits))
    assert written.startswith(TEXT[: TEXT.index("map:")])


def test_an_expectation_notices_a_lost_comment_and_a_changed_order() -> None:
    document = Document(TEXT)
    edits: list[Edit] = [DeleteEntry(*at(document, "map", "k"))]
    intent = Intent(document, group_edits(edits))
    expectation = Expectation(document, intent.changes, intent)
    good = TEXT.replace("map:\n  k: v\n", "map: {}\n")
    assert expectation.holds(good)
    assert not expectation.holds(good.replace(" # one", ""))
    assert not expectation.holds(good.replace("- name: y", "- name: z"))
    assert not expectation.holds(good.replace("# top\na: 1 # one\n", "# top\n") + "a: 1 # one\n")
    assert not expectation.holds(good + "]")
