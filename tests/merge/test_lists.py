"""How items pair, what becomes of them, and in which order."""

from __future__ import annotations

import pytest

from pkgupdate.document.document import Document
from pkgupdate.paths import format_path
from pkgupdate.schema import ListRule, Schema
from pkgupdate.schema.model import Children

from .helpers import merge

ATOMIC = Schema(lambda: Children({"l": Schema(shape="list", list_rule=ListRule("atomic"))}))
SET = Schema(lambda: Children({"l": Schema(shape="list", list_rule=ListRule("set"))}))
KEYED = Schema(
    lambda: Children({"l": Schema(shape="list", list_rule=ListRule("map", ("a", "b"), {"b": "x"}))})
)
RESOURCES = "apiVersion: v1\nkind: List\nitems:\n"


def config(name: str, value: str) -> str:
    return (
        f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{a: {value}}}}}\n"
    )


CASES = {
    "atomic by schema": (ATOMIC, "[1, 2]", "[1, 2, 3]", "[0, 1, 2]", "[1, 2, 3]", 1),
    "set": (SET, "[a, b]", "[b, c]", "[d, a, b]", "[d, b, c]", 0),
    "set in another order": (SET, "[a, b]", "[b, a]", "[a, b, c]", "[a, b, c]", 0),
    "keys with a default": (
        KEYED,
        "[{a: 1}]",
        "[{a: 1, b: x, u: 1}]",
        "[{a: 1, l: 1}, {a: 1, b: y}]",
        "[{a: 1, l: 1, b: x, u: 1}, {a: 1, b: y}]",
        0,
    ),
    "key of another type": (
        KEYED,
        "[{a: 1}]",
        "[{a: '1'}]",
        "[{a: 1, l: 1}]",
        "[{a: '1', l: 1}]",
        0,
    ),
    "another key on one side, but the same name": (
        KEYED,
        "[{a: 1, name: p}, {a: 2, name: q}]",
        "[{a: 3, name: p}, {a: 2, name: q}]",
        "[{a: 1, name: p, l: 1}, {a: 4, name: q}]",
        "[{a: 3, name: p, l: 1}, {a: 4, name: q}]",
        0,
    ),
    "another key and a name that repeats": (
        KEYED,
        "[{a: 1, name: p}, {a: 2, name: p}]",
        "[{a: 3, name: p}, {a: 4, name: p}]",
        "[{a: 1, name: p}, {a: 2, name: p, l: 1}]",
        "[{a: 3, name: p}, {a: 4, name: p}, {a: 2, name: p, l: 1}]",
        1,
    ),
    "by name where nothing is known": (
        None,
        "[{name: p, v: 1}, {name: q, v: 1}]",
        "[{name: q, v: 2}, {name: p, v: 1}]",
        "[{name: p, v: 3}, {name: q, v: 1}]",
        "[{name: q, v: 2}, {name: p, v: 3}]",
        0,
    ),
    "both added the same at different places": (
        None,
        "[a, b]",
        "[a, x, b, y, z]",
        "[x, a, b, z, y]",
        "[x, a, b, z, y]",
        0,
    ),
    "an option word may come again": (
        None,
        "[a, b]",
        "[--set, x, a, b]",
        "[a, b, --set, y]",
        "[--set, x, a, b, --set, y]",
        0,
    ),
    "deleted item stays deleted": (
        None,
        "[{name: p}, {name: q}]",
        "[{name: p, v: 1}, {name: q}]",
        "[{name: p}]",
        "[{name: p, v: 1}]",
        0,
    ),
    "deleted item that upstream edited": (
        None,
        "[{name: p}, {name: q}]",
        "[{name: p}, {name: q, v: 1}]",
        "[{name: p}]",
        "[{name: p}]",
        1,
    ),
    "names that repeat": (
        None,
        "[{name: p, v: 1}, {name: p, v: 2}]",
        "[{name: p, v: 1}, {name: p, v: 3}]",
        "[{name: p, v: 0}, {name: p, v: 2}]",
        "[{name: p, v: 0}, {name: p, v: 3}]",
        0,
    ),
    "neighbours edited and added": (
        None,
        "[{h: a, p: 1}, {h: b, p: 1}]",
        "[{h: a, p: 1}, {h: b, p: 2}, {h: c, p: 1}]",
        "[{h: a, p: 3}, {h: b, p: 1}]",
        "[{h: a, p: 3}, {h: b, p: 2}, {h: c, p: 1}]",
        0,
    ),
    "moved and edited": (
        None,
        "[{h: a, p: 1}, {h: b, p: 1}, {h: c, p: 1}]",
        "[{h: c, p: 1}, {h: a, p: 1}, {h: b, p: 1}]",
        "[{h: a, p: 1}, {h: b, p: 1}, {h: c, p: 2}]",
        "[{h: c, p: 2}, {h: a, p: 1}, {h: b, p: 1}]",
        0,
    ),
    "one field of one item on both sides": (
        None,
        "[{h: a, p: 1, q: 1}]",
        "[{h: a, p: 2, q: 1}]",
        "[{h: a, p: 3, q: 3}]",
        "[{h: a, p: 2, q: 3}]",
        1,
    ),
    "one scalar on both sides": (None, "[x, 1]", "[y, 1]", "[z, 1]", "[y, 1]", 1),
    "repeats on both sides": (
        None,
        "[--set, a=1, -v]",
        "[--set, a=1, --set, b=1, -v]",
        "[--set, a=1, --set, c=1, -v]",
        "[--set, a=1, --set, c=1, --set, b=1, -v]",
        0,
    ),
    "the same addition on both sides": (None, "[a]", "[a, b]", "[a, b, c]", "[a, b, c]", 0),
    "commands created on both sides": (None, None, "[sh, -c]", "[bash]", "[sh, -c]", 1),
    "maps created on both sides": (None, None, "[{k: a}]", "[{k: b}]", "[{k: b}, {k: a}]", 0),
    "emptied and extended": (None, "[1, 2]", "[]", "[1, 2, 3]", "[3]", 0),
    "lists in lists": (
        None,
        "[[1, 2], [3, 4]]",
        "[[1, 2, 5], [3, 4]]",
        "[[1, 2], [0, 3, 4]]",
        "[[1, 2, 5], [0, 3, 4]]",
        0,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lists(name: str) -> None:
    schema, *lists, expected, collisions = CASES[name]
    texts = ["x: 1\n" if text is None else f"x: 1\nl: {text}\n" for text in lists]
    merged = merge(*texts, schema=schema)
    assert Document(merged.text).data == Document(f"x: 1\nl: {expected}\n").data
    assert len(merged.collisions) == collisions


@pytest.mark.parametrize("name", CASES)
def test_each_decision_has_a_key_of_its_own(name: str) -> None:
    schema, *lists, _, _ = CASES[name]
    texts = ["x: 1\n" if text is None else f"x: 1\nl: {text}\n" for text in lists]
    keys = [decision.key for decision in merge(*texts, schema=schema).decisions]
    assert len(set(keys)) == len(keys)


def test_items_that_local_lacks_are_marked() -> None:
    merged = merge("l: [a, b, c]", "l: [a, c, n]", "l: [a, c, m]")
    told = [(d.kind.value, format_path(d.path)) for d in merged.decisions]
    assert told == [("agreed", "l[~1]"), ("kept", "l[2]"), ("applied", "l[+2]")]


ORDERS = {
    "local alone reordered": ("abc", "abcu", "cab", "cuab", []),
    "upstream alone reordered": ("abc", "cab", "abxc", "cabx", ["applied"]),
    "both in one way": ("abc", "cab", "cab", "cab", ["agreed"]),
    "both in different ways": ("abc", "cab", "bac", "bac", ["collision"]),
    "addition after its neighbour": ("ab", "aub", "ab", "aub", []),
    "addition after local-only items": ("ab", "aub", "alb", "alub", []),
    "addition at the start": ("ab", "uab", "lab", "luab", []),
    "addition after a neighbour that local deleted": ("abc", "abuc", "ac", "auc", []),
    "replaced item keeps its place": ("ab", "ub", "abl", "ubl", []),
}


@pytest.mark.parametrize("name", ORDERS)
def test_order(name: str) -> None:
    *names, expected, kinds = ORDERS[name]
    texts = ["".join(f"- name: {letter}\n" for letter in word) for word in names]
    merged = merge(*texts)
    assert merged.text == "".join(f"- name: {letter}\n" for letter in expected)
    orders = [d for d in merged.decisions if d.subject == "order" and d.kind != "kept"]
    assert [d.kind for d in orders] == kinds


def test_new_keys_of_a_map_follow_their_neighbour_and_old_keys_stay() -> None:
    merged = merge("a: 1\nb: 1\n", "b: 1\nu: 1\na: 1\n", "a: 1\nb: 1\nl: 1\n")
    assert merged.text == "a: 1\nb: 1\nl: 1\nu: 1\n"


def test_resources_in_a_list_pair_by_identity() -> None:
    merged = merge(
        RESOURCES + config("x", "1") + config("y", "1"),
        RESOURCES + config("w", "1") + config("x", "2") + config("y", "1"),
        RESOURCES + config("x", "1") + config("y", "3"),
    )
    assert merged.text == RESOURCES + config("w", "1") + config("x", "2") + config("y", "3")
    assert "applied upstream-only items[kind=ConfigMap,name=x].data.a" in merged.told


@pytest.mark.parametrize("change", [lambda i: i % 7 == 0, lambda i: True])
@pytest.mark.parametrize("item", ["k{}{}", "{{host: h{}, path: p{}}}", "v{1}"])
def test_twice_as_many_items_are_twice_the_work(change, item, calls) -> None:
    def merging(count: int):
        def text(mark: str) -> str:
            return "".join(f"- {item.format(i, mark * change(i))}\n" for i in range(count))

        return lambda: merge(text(""), text("u"), text("l"))

    assert merging(5000)().decisions
    assert calls(merging(2000)) < 2.3 * calls(merging(1000))
