"""Edits and the exact text that they give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import (
    DeleteEntry,
    Edit,
    FromData,
    FromEntry,
    FromRoot,
    InsertEntry,
    Reorder,
    SetComment,
    SetRoot,
    SetValue,
)
from pkgupdate.document.intent import apply_to_data
from pkgupdate.document.values import NULL, Typed, from_plain
from pkgupdate.errors import DocumentError

from .helpers import at, edited, inside

Make = Callable[[Document], list[Edit]]


def put(*path: str | int, value: object) -> Make:
    return lambda d: [SetValue(*at(d, *path), FromData(from_plain(value)))]


def drop(*paths: tuple[str | int, ...]) -> Make:
    return lambda d: [DeleteEntry(*at(d, *path)) for path in paths]


def insert(*path: str | int, after: int, value: object, key: str | None = None) -> Make:
    return lambda d: [InsertEntry(inside(d, *path), after, key, FromData(from_plain(value)))]


def order(*path: str | int, to: tuple[int, ...]) -> Make:
    return lambda d: [Reorder(inside(d, *path), to)]


def remark(*path: str | int, place: str, lines: tuple[str, ...] = ()) -> Make:
    return lambda d: [SetComment(*at(d, *path), place, lines)]  # type: ignore[arg-type]


def both(*makers: Make) -> Make:
    return lambda d: [edit for make in makers for edit in make(d)]


VALUES = [
    ("a: 1   # one\n", put("a", value=22), "a: 22   # one\n"),
    ("a: 'x'\n", put("a", value="y z"), "a: 'y z'\n"),
    ('a: "x"\n', put("a", value="y"), 'a: "y"\n'),
    ("a: x\n", put("a", value="yes"), 'a: "yes"\n'),
    ("a: x\n", put("a", value="1e3"), 'a: "1e3"\n'),
    ("a: x\n", put("a", value="12:30:45"), 'a: "12:30:45"\n'),
    ("a:\nb: 1\n", put("a", value="x"), "a: x\nb: 1\n"),
    ("a:   # none\n", put("a", value="x"), "a: x   # none\n"),
    ("a: x # c\n", put("a", value={"k": ["v"]}), "a: # c\n  k:\n  - v\n"),
    ("a: # c\n  k: v\nb: 1\n", put("a", value="x"), "a: x # c\nb: 1\n"),
    ("a: x # c\n", put("a", value="l1\nl2\n"), "a: | # c\n  l1\n  l2\n"),
    ("a: |-  # c\n    l1\nb: 1\n", put("a", value="m1\nm2"), "a: |- # c\n    m1\n    m2\nb: 1\n"),
    ("a: |\n  l1\nb: 1\n", put("a", value="l1\nl2"), "a: |-\n  l1\n  l2\nb: 1\n"),
    ("a: |\n  l1\n", put("a", value=5), "a: 5\n"),
    ("a: >-\n  one\n  two\n", put("a", value="x\ny"), "a: >-\n  x\n\n  y\n"),
    ("- x\n- y\n", put(0, value={"a": 1, "b": 2}), "- a: 1\n  b: 2\n- y\n"),
    ("-   a: 1\n    b: 2\n-   c\n", put(1, value={"x": [1]}),
     "-   a: 1\n    b: 2\n-   x:\n    - 1\n"),
    ("a: [x, y]\n", put("a", value=["z"]), "a: [z]\n"),
    ("a: {k: 'v'}\n", put("a", "k", value="w"), "a: {k: 'w'}\n"),
    ("a: {k: v}\n", put("a", "k", value={"x": [1]}), "a: {k: {x: [1]}}\n"),
    ("a: {b: , c}\n", put("a", "b", value=1), "a: {b: 1 , c}\n"),
    ("a: {b: , c}\n", put("a", "c", value=1), "a: {b: , c: 1}\n"),
    ('{"a": 1}', put("a", value="x"), '{"a": "x"}'),
    ("a: &x 1\nb: *x\n", put("a", value=2), "a: &x 2\nb: *x\n"),
    ("a: &x 1\nb: *x\n", put("b", value=2), "a: &x 1\nb: 2\n"),
    ("a: &x 1\nb: *x\n", both(put("a", value=2), put("b", value=2)), "a: &x 2\nb: *x\n"),
    ("a: &x\n  k: 1\nb: *x\n", put("a", "k", value=2), "a: &x\n  k: 2\nb: *x\n"),
    ("a: !t 1\n", put("a", value="x"), "a: x\n"),
    ("? k\n: v\n", put("k", value="w"), "? k\n: w\n"),
    ('"k k": v\n', put("k k", value="w"), '"k k": w\n'),
    ("a: one\n  two\nb: 1\n", put("a", value="three"), "a: three\nb: 1\n"),
    ("a: 🚀 x # é\n", put("a", value="日本"), "a: \"日本\" # é\n"),
    ("a: 1\r\nb:\r\n  c: 2\r\n", put("b", value="x\ny\n"), "a: 1\r\nb: |\r\n  x\r\n  y\r\n"),
    ("\ufeffa: 1\n", put("a", value=2), "\ufeffa: 2\n"),
    ("a: 1", put("a", value=2), "a: 2"),
    ("a: 1", put("a", value={"b": 1}), "a:\n  b: 1"),
    ("a: 1", put("a", value="x\ny\n"), "a: |\n  x\n  y\n"),
    ("--- {a: 1}\n", put("a", value=2), "--- {a: 2}\n"),
    ("%YAML 1.1\n---\na: 1\n...\n# end\n", put("a", value=2), "%YAML 1.1\n---\na: 2\n...\n# end\n"),
    ("r: {}\n  # foot\nb: 1\n", put("r", value="x\ny\n"), "r: |\n    x\n    y\n  # foot\nb: 1\n"),
    ("s: |2\n    x\n  y\n", put("s", value="  u\ny\n"), "s: |2\n    u\n  y\n"),
    ("s: |2+\n   x\n\nt: 1\n", put("s", value=" u\n\n"), "s: |2+\n   u\n\nt: 1\n"),
    ("s: |\n  x  \n  y\n", put("s", value="x  \nu\n"), "s: |\n  x  \n  u\n"),
    ("s: >\n  a\n  b\n\n  c\n", put("s", value="a b\nu\n"), "s: >\n  a\n  b\n\n  u\n"),
]  # fmt: skip

DELETIONS = [
    ("a: 1\nb: 2\n", drop(("a",)), "b: 2\n"),
    ("a: 1\nb: 2\n", drop(("b",)), "a: 1\n"),
    ("a: 1\nb: 2", drop(("b",)), "a: 1"),
    ("# top\n\na: 1\nb: 2\n", drop(("a",)), "# top\n\nb: 2\n"),
    ("# licence\na: 1\nb: 2\n", drop(("a",)), "# licence\nb: 2\n"),
    ("a: 1\n\n# own\nb: 2 # line\n\n# next\nc: 3\n", drop(("b",)), "a: 1\n\n# next\nc: 3\n"),
    ("a: 1\n\nb: 2\n", drop(("b",)), "a: 1\n"),
    ("m:\n  a: 1\n\n  b: 2\nn: 3\n", drop(("m", "a")), "m:\n  b: 2\nn: 3\n"),
    ("m:\n  a: 1\n  # foot\nn: 3\n", drop(("m",)), "n: 3\n"),
    ("m:\n  a: 1\nn: 3\n", drop(("m", "a")), "m: {}\nn: 3\n"),
    ("m: # c\n  # own\n  a: 1\n  # foot\nn: 3\n", drop(("m", "a")), "m: {} # c\n  # foot\nn: 3\n"),
    ("l:\n- a\n- b\nn: 3\n", drop(("l", 0), ("l", 1)), "l: []\nn: 3\n"),
    ("- - a\n  - b\n- c\n", drop((0, 0)), "- - b\n- c\n"),
    ("- - a\n- c\n", drop((0, 0)), "- []\n- c\n"),
    ("- name: x\n  # about v\n  v: 1\n", drop((0, "name")), "# about v\n- v: 1\n"),
    ("a: 1\n", drop(("a",)), "{}\n"),
    ("---\na: 1\n...\n", drop(("a",)), "---\n{}\n...\n"),
    ("a: [x, y, z]\n", drop(("a", 0)), "a: [y, z]\n"),
    ("a: [x, y, z]\n", drop(("a", 2)), "a: [x, y]\n"),
    ("a: [ x ]\n", drop(("a", 0)), "a: []\n"),
    ("a: [\n  x, # c\n  y,\n]\n", drop(("a", 1)), "a: [\n  x, # c\n  \n]\n"),
    ("a: {k: v, l: w}\n", drop(("a", "k")), "a: {l: w}\n"),
    ("a: [k: v]\n", drop(("a", 0, "k")), "a: [{}]\n"),
    ("x: |+\n  t\n\nb: 1\n", drop(("b",)), "x: |+\n  t\n\n"),
    ("a: &x 1\nb: *x\nc: *x\n", drop(("a",)), "b: &x 1\nc: *x\n"),
    ("a: &x\n  # k\n  k: 1\nb: *x\n", drop(("a",)), "b: &x\n  # k\n  k: 1\n"),
    ("a: 1\n? b\n: 2\nc: 3\n", drop(("b",)), "a: 1\nc: 3\n"),
]  # fmt: skip

INSERTIONS = [
    ("a: 1\n\n# next\nb: 2\n", insert(after=0, key="new", value="x"),
     "a: 1\nnew: x\n\n# next\nb: 2\n"),
    ("# top\na: 1\n", insert(after=-1, key="new", value="x"), "# top\nnew: x\na: 1\n"),
    ("a: 1", insert(after=0, key="new", value="x"), "a: 1\nnew: x"),
    ("a: 1\r\n", insert(after=0, key="new", value=["x"]), "a: 1\r\nnew:\r\n- x\r\n"),
    ("m: {}\n", insert("m", after=-1, key="new", value="x"), "m:\n  new: x\n"),
    ("m: {} # c\n", insert("m", after=-1, key="new", value="x"), "m: # c\n  new: x\n"),
    ("l: []\n", insert("l", after=-1, value={"a": 1, "b": 2}), "l:\n- a: 1\n  b: 2\n"),
    ("- {}\n", insert(0, after=-1, key="new", value="x"), "- new: x\n"),
    ("{}\n", insert(after=-1, key="new", value="x"), "new: x\n"),
    ("--- {}\n", insert(after=-1, key="new", value="x"), "---\nnew: x\n"),
    ("m: &a {}\n", insert("m", after=-1, key="new", value="x"), "m: &a\n  new: x\n"),
    ("m: {a: {}}\n", insert("m", "a", after=-1, key="new", value="x"), "m: {a: {new: x}}\n"),
    ("m: {a: 1}\n", insert("m", after=0, key="new", value=[1]), "m: {a: 1, new: [1]}\n"),
    ("m: {a: 1}\n", insert("m", after=-1, key="new", value="x"), "m: {new: x, a: 1}\n"),
    ('{\n  "a": 1,\n  "b": 2\n}\n', insert(after=0, key="new", value="x"),
     '{\n  "a": 1,\n  "new": "x",\n  "b": 2\n}\n'),
    ("- a: 1\n", insert(0, after=-1, key="new", value="x"), "- new: x\n  a: 1\n"),
    ("- - a\n", insert(0, after=-1, value="x"), "- - x\n  - a\n"),
    ("l:\n    -   a\n", insert("l", after=0, value={"k": {"x": 1}}),
     "l:\n    -   a\n    -   k:\n          x: 1\n"),
    ("a: |\n  cut", insert(after=0, key="new", value="x"), "a: |-\n  cut\nnew: x"),
    ("a: 1\n...\n", insert(after=0, key="new", value="x"), "a: 1\nnew: x\n...\n"),
]  # fmt: skip

ORDERS = [
    ("a: 1\nb: 2\nc: 3\n", order(to=(2, 0, 1)), "c: 3\na: 1\nb: 2\n"),
    ("# top\na: 1\n\n# b\nb: 2\n", order(to=(1, 0)), "# top\n# b\nb: 2\n\na: 1\n"),
    ("l:\n  # x\n  - x # xx\n  # y\n  - y\n    # foot\n", order("l", to=(1, 0)),
     "l:\n  # y\n  - y\n    # foot\n  # x\n  - x # xx\n"),
    ("- a: 1\n  # b\n  b: 2\n", order(0, to=(1, 0)), "# b\n- b: 2\n  a: 1\n"),
    ("l: [a, 'b',  c]\n", order("l", to=(2, 0, 1)), "l: [c, a,  'b']\n"),
    ("a: 1\nb: |\n  cut", order(to=(1, 0)), "b: |-\n  cut\na: 1"),
    ("l:\n- a: 1\n- b: 2\n- c: 3\n",
     both(order("l", to=(2, 0)), drop(("l", 1)), put("l", 2, "c", value=4),
          insert("l", after=2, value="m")),
     "l:\n- c: 4\n- m\n- a: 1\n"),
    ("l:\n- a:\n    x: 1\n- b: 2\n",
     both(order("l", to=(1, 0)), insert("l", 0, "a", after=0, key="z", value=2)),
     "l:\n- b: 2\n- a:\n    x: 1\n    z: 2\n"),
    ("a: &x 1\nb: *x\n", order(to=(1, 0)), "b: 1\na: &x 1\n"),
]  # fmt: skip

COMMENTS = [
    ("a: 1\n", remark("a", place="line", lines=("# c",)), "a: 1 # c\n"),
    ("a: 1    # c\n", remark("a", place="line", lines=("# d",)), "a: 1    # d\n"),
    ("a: 1    # c\n", remark("a", place="line"), "a: 1\n"),
    ("a:\n  b: 1\n", remark("a", place="line", lines=("# c",)), "a: # c\n  b: 1\n"),
    ("a: # c\n  b: 1\n", remark("a", place="line"), "a:\n  b: 1\n"),
    ("a: |\n  t\n", remark("a", place="line", lines=("# c",)), "a: | # c\n  t\n"),
    ("a: | # c\n  t\n", remark("a", place="line"), "a: |\n  t\n"),
    ("- a\n", remark(0, place="line", lines=("# c",)), "- a # c\n"),
    ("- a: 1\n", remark(0, place="line", lines=("# c",)), "# c\n- a: 1\n"),
    ("- a: 1\n", remark(0, "a", place="line", lines=("# c",)), "- a: 1 # c\n"),
    ("a: 1\nb: 2\n", remark("b", place="head", lines=("# x", "# y")), "a: 1\n# x\n# y\nb: 2\n"),
    ("a: 1\n# x\nb: 2\n", remark("b", place="head"), "a: 1\nb: 2\n"),
    ("m:\n  - a\n", remark("m", 0, place="head", lines=("# x",)), "m:\n  # x\n  - a\n"),
    ("m:\n  a: 1\n", remark("m", place="foot", lines=("# x",)), "m:\n  a: 1\n  # x\n"),
    ("m:\n  a: 1\n  # x\nn: 1\n", remark("m", place="foot"), "m:\n  a: 1\nn: 1\n"),
    ("a: [x,\n  y]\n", remark("a", place="line", lines=("# c",)), "a: [x,\n  y] # c\n"),
    ("a: 1", remark("a", place="line", lines=("# c",)), "a: 1 # c"),
    ("a: 1\r\n", remark("a", place="line", lines=("# c",)), "a: 1 # c\r\n"),
    ("a: 'x'  # c\n", both(remark("a", place="line", lines=("# d",)), put("a", value="longer")),
     "a: 'longer'  # d\n"),
    ("a: x # c\n", both(remark("a", place="line", lines=("# d",)), put("a", value={"k": 1})),
     "a: # d\n  k: 1\n"),
    ("# header\na: 1\n", remark("a", place="head", lines=("# new",)), "# new\na: 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "make", "result"), VALUES + DELETIONS + INSERTIONS + ORDERS + COMMENTS
)
def test_edit(text: str, make: Make, result: str) -> None:
    document = Document(text)
    assert edited(document, *make(document)) == result


TRANSPLANTS = [
    # local text, path and place to insert after, source text, path of the entry, result
    ("a: 1\n", (), 0, "x: 0\n\n# new\n'k':   v # line\n", ("k",),
     "a: 1\n\n# new\n'k':   v # line\n"),
    (
        "a:\n    b: 1\n", (), 0,
        "x:\n  l:\n    - name: a # c\n      # h\n      v: |\n        t\n", ("x",),
        "a:\n    b: 1\nx:\n    l:\n      - name: a # c\n        # h\n        v: |\n          t\n",
    ),
    ("l:\n-   a: 1\n    b: 2\n", ("l",), 0, "l:\n  - k: 1\n    m:\n      n: [x]\n", ("l", 0),
     "l:\n-   a: 1\n    b: 2\n-   k: 1\n    m:\n      n: [x]\n"),
    ("a: 1\r\n", (), 0, "# top\nk:\n  - x\n", ("k",), "a: 1\r\nk:\r\n  - x\r\n"),
    ("a: {b: 1}\n", ("a",), 0, "k:\n  - 'x'\n", ("k",), "a: {b: 1, k: [x]}\n"),
    ("a: 1\n", (), 0, "m: {k: 'v', l: w}\n", ("m", "k"), "a: 1\nk: 'v'\n"),
    ("a: 1\n", (), 0, "k:\n  x: &n 1\n  y: *n\n", ("k",), "a: 1\nk:\n  x: &n 1\n  y: *n\n"),
    ("a: &n 1\n", (), 0, "k:\n  x: &n 2\n  y: *n\n", ("k",), "a: &n 1\nk:\n  x: 2\n  y: 2\n"),
    ("a: 1\n", (), 0, "b: &n [2]\nk: *n # c\n", ("k",), "a: 1\nk: [2] # c\n"),
    ("a: 1\n", (), 0, "b: &n\n  x: 1\n# h\nk: *n\n", ("k",), "a: 1\n# h\nk:\n  x: 1\n"),
    ("a: &n 1\n", (), 0, "b: &n 1\nk: *n\n", ("k",), "a: &n 1\nk: *n\n"),
    ("a: 1\n", (), 0, "k: |+\n  t\n\n", ("k",), "a: 1\nk: |+\n  t\n\n"),
    ("a: 1\n", (), 0, "k: |\n  cut", ("k",), "a: 1\nk: cut\n"),
    ("a: 1\n", (), 0, "k: |2\n    t\n   u\n", ("k",), "a: 1\nk: |2\n    t\n   u\n"),
    ("a: 1\n", (), 0, "? k\n: v\n", ("k",), "a: 1\n? k\n: v\n"),
    ("a: 1\n", (), 0, "k: !t {x: 1}\n", ("k",), "a: 1\nk: !t {x: 1}\n"),
    ("a: 1\n", (), 0, "k: \"one\n  two\"\n", ("k",), "a: 1\nk: \"one\n  two\"\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "after", "source", "entry", "result"), TRANSPLANTS)
def test_transplanted_entry(
    text: str, path: tuple[str, ...], after: int, source: str, entry: tuple[str, ...], result: str
) -> None:
    local, other = Document(text), Document(source)
    collection, index = at(other, *entry)
    key = entry[-1] if isinstance(entry[-1], str) else None
    edit = InsertEntry(inside(local, *path), after, key, FromEntry(other, collection, index))
    assert edited(local, edit) == result


def test_an_anchor_and_its_alias_arrive_apart() -> None:
    local, other = Document("a: 1\n"), Document("b: &n\n  x: 1\nk: *n\n")
    edits = [
        InsertEntry(inside(local), 0, key, FromEntry(other, *at(other, key))) for key in ("b", "k")
    ]
    assert edited(local, *edits) == "a: 1\nb: &n\n  x: 1\nk: *n\n"
    assert edited(local, edits[1]) == "a: 1\nk:\n  x: 1\n"


def test_an_empty_list_is_filled_in_the_style_of_the_source() -> None:
    local, other = Document("l: []\n"), Document("l:\n  - a\n")
    edit = InsertEntry(inside(local, "l"), -1, None, FromEntry(other, *at(other, "l", 0)))
    assert edited(local, edit) == "l:\n  - a\n"


def test_a_replaced_scalar_has_the_spelling_of_its_source() -> None:
    local, other = Document("a: 'x'   # c\n"), Document('a: "y"\n')
    assert edited(local, SetValue(*at(local, "a"), FromEntry(other, *at(other, "a")))) == (
        'a: "y"   # c\n'
    )


def test_a_replaced_subtree_brings_its_inner_comments() -> None:
    local = Document("a: # mine\n    b: 1\nz: 1\n")
    other = Document("a: # theirs\n  # head\n  b:\n    - 1 # one\n  c: 2\n")
    assert edited(local, SetValue(*at(local, "a"), FromEntry(other, *at(other, "a")))) == (
        "a: # mine\n    # head\n    b:\n      - 1 # one\n    c: 2\nz: 1\n"
    )


ROOTS = [
    ("a: 1\n", "b: 2\n", "b: 2\n"),
    ("# only\n", "b: 2\n", "# only\nb: 2\n"),
    ("", "b:\n- 1\n", "b:\n- 1\n"),
    ("---\n# c\n...\n", "b: 2\n", "---\n# c\nb: 2\n...\n"),
    ("# top\n\na: 1\nb: 2\n# end\n", "- x\n", "# top\n\n- x\n# end\n"),
    ("--- {a: 1}\n", "b: 2\n", "---\nb: 2\n"),
    ("a: 1\r\n", "b: 2\n", "b: 2\r\n"),
    ("a: 1", "b: 2\n", "b: 2"),
]


@pytest.mark.parametrize(("text", "other", "result"), ROOTS)
def test_set_root(text: str, other: str, result: str) -> None:
    assert edited(Document(text), SetRoot(FromRoot(Document(other)))) == result


def test_comments_of_entries() -> None:
    document = Document(
        "# top\na: 1 # one\n\n# stray\n\n# head\nb: # key\n  # inner\n  c: 2\n  # foot\n"
        "d: [x] # d\n"
    )
    assert document.comments(*at(document, "a")) == (("# top",), "# one", ())
    head = ("# stray", "", "# head")
    assert document.comments(*at(document, "b")) == (head, "# key", ("# foot",))
    assert document.comments(*at(document, "b", "c")) == (("# inner",), "", ())
    assert document.comments(*at(document, "d")) == ((), "# d", ())
    assert document.comments(*at(document, "d", 0)) == ((), "", ())
    assert [text for _, text in document.all_comments] == [
        "# top", "# one", "# stray", "# head", "# key", "# inner", "# foot", "# d",
    ]  # fmt: skip


HEADS = {
    "directly above": ("a: 1\n# h\nb: 1\n", ("# h",)),
    "set apart": ("a: 1\n\n# s\n\n\n# h\nb: 1\n", ("# s", "", "# h")),
    "nothing directly above": ("a: 1\n\n# s\n\nb: 1\n", ("# s", "")),
    "directly below the entry before": ("a: 1\n# s\n\n# h\nb: 1\n", ("# h",)),
    "in the text before": ("a: |\n  # s\n\n# h\nb: 1\n", ("# h",)),
}


@pytest.mark.parametrize("name", HEADS)
def test_comments_above(name: str) -> None:
    text, head = HEADS[name]
    document = Document(text)
    assert document.comments(*at(document, "b")).head == head


def test_intended_data_without_text() -> None:
    document = Document("a: 1\nb: {c: 2}\n")
    edits = [DeleteEntry(*at(document, "a")), SetValue(*at(document, "b", "c"), FromData(NULL))]
    assert apply_to_data(document, edits) == {"b": {"c": Typed("null", None)}}


def test_an_impossible_edit_is_an_error_that_names_the_line() -> None:
    document = Document("a: 1\nb: {c: 2}\n", name="x.yaml", first_line=10)
    edit = SetComment(*at(document, "b", "c"), "head", ("# c",))
    with pytest.raises(DocumentError) as caught:
        apply_edits(document, [edit])
    assert caught.value.code == "edit-failed"
    assert str(caught.value.where) == "x.yaml:11"


@pytest.mark.parametrize("text", ["a: 1 # c\rb: 2\n", "a: 1 # c\u2028b: 2\n", "a: 1 #\x85b: 2\n"])
def test_rare_line_breaks_are_never_spliced(text: str) -> None:
    document = Document(text)
    assert document.data == {"a": Typed("int", 1), "b": Typed("int", 2)}
    edit = SetValue(*at(document, "a"), FromData("x"))
    with pytest.raises(DocumentError, match="without risk"):
        apply_edits(document, [edit])
