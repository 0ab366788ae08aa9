from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkgupdate.merge.alignment import align
from pkgupdate.merge.policy import OnConflict
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.text import merge_lines


def lines(word: str) -> str:
    return "".join(f"{letter}\n" for letter in word)


CASES = {
    "one side": ("abc", "abx", "abc", "abx", 0),
    "same change": ("abc", "axc", "axc", "axc", 0),
    "far apart": ("abcde", "xbcde", "abcdy", "xbcdy", 0),
    "neighbouring lines": ("abc", "xbc", "ayc", "xyc", 0),
    "one line": ("abc", "axc", "ayc", "axc", 1),
    "insertions at one point": ("ab", "axb", "ayb", "axb", 1),
    "insertion beside an edit": ("ab", "axb", "yb", "axb", 1),
    "deletion against edit": ("abc", "ac", "axc", "axc", 1),
    "edit against deletion": ("abc", "axc", "ac", "ac", 1),
    "deletion by both": ("abc", "ac", "ac", "ac", 0),
    "both new": ("", "a", "b", "a", 1),
    "everything gone": ("ab", "", "ab", "", 0),
}


@pytest.mark.parametrize("name", CASES)
def test_lines(name: str) -> None:
    *texts, expected, conflicts = CASES[name]
    merged = merge_lines(*map(lines, texts))
    assert (merged.text, len(merged.conflicts)) == (lines(expected), conflicts)


def test_a_hunk_tells_its_texts_and_line() -> None:
    (hunk,) = merge_lines(lines("abc"), lines("xbu"), lines("abl")).conflicts
    assert (hunk.line, hunk.original, hunk.upstream, hunk.local) == (3, "c\n", "u\n", "l\n")


def test_one_side_wins_every_hunk() -> None:
    sides = lines("abc"), lines("xbu"), lines("abl")
    assert merge_lines(*sides, on_conflict=OnConflict.LOCAL).text == lines("xbl")
    assert merge_lines(*sides, on_conflict=OnConflict.UPSTREAM).text == lines("xbu")


def test_no_newline_at_the_end() -> None:
    assert merge_lines("a\nb\nc", "x\nb\nc", "a\nb\nc\n").text == "x\nb\nc\n"


@pytest.mark.parametrize(("newline", "other"), [("\r\n", "\n"), ("\n", "\r\n")])
def test_local_line_ends_stay(newline: str, other: str) -> None:
    def text(word: str, end: str) -> str:
        return lines(word).replace("\n", end)

    merged = merge_lines(text("abc", other), text("xbc", other), text("aby", newline))
    assert merged.text == text("xby", newline)


MARKED = {
    "merge": "a\n<<<<<<< ours\nl\n=======\nu\n>>>>>>> theirs\nc\n",
    "diff3": "a\n<<<<<<< ours\nl\n||||||| base\nb\n=======\nu\n>>>>>>> theirs\nc\n",
    "zdiff3": "a\n<<<<<<< ours\nl\n||||||| base\nb\n=======\nu\n>>>>>>> theirs\nc\n",
}


@pytest.mark.parametrize("style", MARKED)
def test_conflict_markers(style) -> None:
    merged = merge_lines(
        lines("abc"),
        lines("auc"),
        lines("alc"),
        markers=style,
        labels=Sides("base", "theirs", "ours"),
    )
    assert merged.text == MARKED[style]


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize("style", MARKED)
@pytest.mark.parametrize(
    "words",
    [("abcdef", "abxdef", "abydef"), ("abcdef", "abpxqdef", "abpyqdef"), ("ab", "axb", "ayb")],
)
def test_conflict_markers_are_those_of_git(tmp_path: Path, style, words) -> None:
    paths = [tmp_path / name for name in ("o", "u", "l")]
    for path, word in zip(paths, words, strict=True):
        path.write_text(lines(word))
    flag = [] if style == "merge" else [f"--{style}"]
    labels = ["-L", "local", "-L", "original", "-L", "upstream"]
    names = [str(paths[i]) for i in (2, 0, 1)]
    command = ["git", "merge-file", "-p", *flag, *labels, *names]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert merge_lines(*map(lines, words), markers=style).text == done.stdout


WORDS = st.text("abc", max_size=12)


@settings(max_examples=300, deadline=None, database=None)
@given(WORDS, WORDS, WORDS)
def test_properties(original: str, upstream: str, local: str) -> None:
    o, u, l = lines(original), lines(upstream), lines(local)  # noqa: E741
    assert merge_lines(o, u, o).text == u
    assert merge_lines(o, o, l).text == l
    assert merge_lines(o, u, u).text == u
    one = merge_lines(o, u, l, on_conflict=OnConflict.UPSTREAM)
    other = merge_lines(o, l, u, on_conflict=OnConflict.LOCAL)
    assert one.text == other.text
    merged = merge_lines(o, u, l).text
    assert merge_lines(u, u, merged).text == merged


@settings(max_examples=300, deadline=None, database=None)
@given(WORDS, WORDS)
def test_alignment_is_a_common_subsequence(a: str, b: str) -> None:
    pairs = align(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(p < q and x < y for (p, x), (q, y) in pairwise(pairs))


def test_twice_the_text_is_twice_the_work(calls: Callable[[Callable[[], object]], int]) -> None:
    def merging(size: int) -> Callable[[], object]:
        text = "".join(f"{i % 700}\n" for i in range(size))
        return lambda: merge_lines(text, text.replace("7\n", "x\n"), text.replace("3\n", ""))

    assert calls(merging(20_000)) < 2.3 * calls(merging(10_000))
