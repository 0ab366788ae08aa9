from __future__ import annotations

import pytest

from pkgupdate.merge.policy import Policy, Target
from pkgupdate.paths import parse_pattern

from .helpers import merge

CASES = {
    "arrives on a changed value": ("a: 1\n", "a: 1 # u\n", "a: 2\n", "a: 2 # u\n", "applied"),
    "stays on a changed value": ("a: 1 # o\n", "a: 2 # o\n", "a: 1 # l\n", "a: 2 # l\n", "kept"),
    "removed by upstream": ("a: 1 # o\n", "a: 1\n", "a: 1 # o\n", "a: 1\n", "applied"),
    "removed by local": ("a: 1 # o\n", "a: 1 # o\nb: 1\n", "a: 1\n", "a: 1\nb: 1\n", "kept"),
    "same on both": ("a: 1\n", "a: 1 # x\n", "a: 1 # x\n", "a: 1 # x\n", "agreed"),
    "edited by both": ("a: 1 # o\n", "a: 1 # u\n", "a: 1 # l\n", "a: 1 # l\n", "kept"),
    "setter edited by both": (
        "a: 1 # kpt-set: ${o}\n",
        "a: 1 # kpt-set: ${u}\n",
        "a: 1 # l\n",
        "a: 1 # kpt-set: ${u}\n",
        "applied",
    ),
    "setter removed by upstream": (
        "a: 1 # kpt-set: ${o}\n",
        "a: 1\n",
        "a: 1 # kpt-set: ${o} ours\n",
        "a: 1\n",
        "applied",
    ),
    "above an entry": (
        "b: 1\na: 1\n",
        "b: 1\n# u\na: 1\n",
        "b: 2\na: 1\n",
        "b: 2\n# u\na: 1\n",
        "applied",
    ),
    "above an item": ("- a\n- b\n", "- a\n# u\n- b\n", "- a\n- b\n", "- a\n# u\n- b\n", "applied"),
    "beside the key of a map": (
        "m:\n  a: 1\n",
        "m: # u\n  a: 1\n",
        "m:\n  a: 2\n",
        "m: # u\n  a: 2\n",
        "applied",
    ),
    "title of a section": (
        "a: 1\n\n# B\n\n# b\nb: 1\n",
        "a: 1\n\n# Bees\n\n# b\nb: 1\n",
        "a: 2\n\n# B\n\n# b\nb: 1\n",
        "a: 2\n\n# Bees\n\n# b\nb: 1\n",
        "applied",
    ),
    "header of the document": (
        "# 2020\n\n# a\na: 1\n",
        "# 2024\n\n# a\na: 1\n",
        "# 2020\n\n# a\na: 2\n",
        "# 2024\n\n# a\na: 2\n",
        "applied",
    ),
    "header above the marker": (
        "# 2020\n---\na: 1\n",
        "# 2024\n# all\n---\na: 1\n",
        "# 2020\n---\na: 2\n",
        "# 2024\n# all\n---\na: 2\n",
        "applied",
    ),
    "new header": ("a: 1\n", "# u\n#\n\na: 1\n", "a: 2\n", "# u\n#\n\na: 2\n", "applied"),
    "new header above a comment": (
        "---\n# a\na: 1\n",
        "---\n# u\n\n# a\na: 1\n",
        "---\n# a\na: 2\n",
        "---\n# u\n\n# a\na: 2\n",
        "applied",
    ),
    "removed header": ("# o\n\na: 1\n", "a: 1\n", "# o\n\na: 2\n", "a: 2\n", "applied"),
    "end of the document": (
        "a: 1\n\n# o\n",
        "a: 1\nb: 1\n\n# u\n",
        "a: 2\n\n# o\n",
        "a: 2\nb: 1\n\n# u\n",
        "applied",
    ),
    "new end": ("a: 1\n", "a: 1\n\n# u\n", "a: 2", "a: 2\n\n# u", "applied"),
    "removed end": ("a: 1\n\n# o\n...\n", "a: 1\n", "a: 2\n\n# o\n...\n", "a: 2\n...\n", "applied"),
    "end edited by both": ("a: 1\n# o\n", "a: 1\n# u\n", "a: 2\n# l\n", "a: 2\n# l\n", "kept"),
    "one text at many entries": (
        "a: 1 # x\nb: 1 # x\nc: 1\n",
        "a: 1 # x\nb: 1\nc: 1 # x\n",
        "a: 1 # x\nb: 1 # x\nc: 1\nd: 1 # l\n",
        "a: 1 # x\nb: 1\nc: 1 # x\nd: 1 # l\n",
        "applied",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_comments(name: str) -> None:
    original, upstream, local, expected, kind = CASES[name]
    merged = merge(original, upstream, local)
    assert merged.text == expected
    about = [d for d in merged.decisions if d.subject.startswith("comment")]
    assert {d.kind for d in about} == {kind}
    assert all(d.rule in ("comment", "same-change") for d in about)


def test_merge_comment_is_nobodys_business() -> None:
    local = "metadata: # kpt-merge: /x\n  name: y\n"
    for upstream in ("metadata:\n  name: x\n", "metadata: # kpt-merge: /z\n  name: x\n"):
        merged = merge("metadata:\n  name: x\n", upstream, local)
        assert merged.text == local
        assert merged.told == ["kept local-only metadata.name"]


def test_added_entry_brings_its_comments_without_a_decision_of_their_own() -> None:
    merged = merge("a: 1\n", "a: 1\n# new\nb: 1 # n\n", "a: 1\n")
    assert merged.text == "a: 1\n# new\nb: 1 # n\n"
    assert merged.told == ["applied upstream-only b"]


def test_a_section_comes_and_goes_with_its_title() -> None:
    before, section, after = "a: 1\n\n", "# B\n\n# b\nb: 1\n\n", "# C\n\nc: 1\n"
    with_it, without = before + section + after, before + after
    local = without.replace("c: 1", "c: 2")
    assert merge(without, with_it, local).text == with_it.replace("c: 1", "c: 2")
    local = with_it.replace("c: 1", "c: 2")
    assert merge(with_it, without, local).text == without.replace("c: 1", "c: 2")


def test_protected_place_keeps_its_comments() -> None:
    policy = Policy(protected=(Target("*", parse_pattern("a")),))
    merged = merge("a: 1\nb: 1\n", "a: 1 # u\nb: 1 # u\n", "a: 1\nb: 1\n", policy)
    assert merged.text == "a: 1\nb: 1 # u\n"
    assert merged.told == ["withheld protected a comment-line", "applied comment b comment-line"]


@pytest.mark.parametrize(
    ("local", "note"),
    [
        ("a: 1\nb: 1 # o\n", ""),
        ("a: 1\n# mine\nb: 1 # o\n", "a local comment goes with it"),
        ("a: 1\n# mine\nb: 1 # mine too\n", "2 local comments go with it"),
    ],
)
def test_a_deletion_says_which_local_comments_it_takes_along(local: str, note: str) -> None:
    merged = merge("a: 1\nb: 1 # o\n", "a: 1\n", local)
    assert merged.text == "a: 1\n"
    assert [decision.note for decision in merged.decisions] == [note]


def test_a_replaced_map_says_which_local_comments_it_takes_along() -> None:
    merged = merge("m:\n  a: 1\n", "m: none\n", "m:\n  # mine\n  a: 1\n")
    assert merged.text == "m: none\n"
    assert [decision.note for decision in merged.decisions] == ["a local comment goes with it"]
