"""The one path grammar of reports, policies and flags.

A path is a tuple of segments: `str` (map key), `int` (list position), `Foreign` (item of a list
that only another version has) or `Keyed` (associative list item). Patterns may also hold `ANY`
(`*`, one segment) and `ANY_DEPTH` (`**`, any number).

    spec.template.spec.containers[name=web].image
    metadata.annotations["example.com/owner"]
    ports[containerPort=53,protocol=UDP].name     rules[0].verbs[+2]     spec.**.image
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from pkgupdate.errors import UsageError


class Keyed(NamedTuple):
    """The item of an associative list whose merge keys have these values (as text)."""

    pairs: tuple[tuple[str, str], ...]


class Foreign(NamedTuple):
    """The item of a positional list that the local list lacks, so that no local position names it.

    sign: ``+`` for upstream's list, ``~`` for an item that only the original list has.
    position: in that list.
    """

    sign: Literal["+", "~"]
    position: int


class Wildcard(Enum):
    """Pattern segments that stand for other segments."""

    ANY = "*"
    ANY_DEPTH = "**"


ANY: Final = Wildcard.ANY
ANY_DEPTH: Final = Wildcard.ANY_DEPTH

Segment: TypeAlias = "str | int | Foreign | Keyed"
Path: TypeAlias = "tuple[Segment, ...]"
Pattern: TypeAlias = "tuple[Segment | Wildcard, ...]"

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$/-]+")
_PLAIN_VALUE = re.compile(r"[^\s\[\]=,\"'\\]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def format_path(path: Pattern | Path) -> str:
    """The path as text; `parse_pattern` reads it back. The empty path gives ``""``."""
    out: list[str] = []
    for segment in path:
        if isinstance(segment, Wildcard):
            out.append(("." if out else "") + segment.value)
        elif isinstance(segment, int):
            out.append(f"[{segment}]")
        elif isinstance(segment, Foreign):
            out.append(f"[{segment.sign}{segment.position}]")
        elif isinstance(segment, Keyed):
            pairs = (
                f"{k}={v if _PLAIN_VALUE.fullmatch(v) else _quote(v)}" for k, v in segment.pairs
            )
            out.append("[" + ",".join(pairs) + "]")
        elif _PLAIN_KEY.fullmatch(segment):
            out.append(("." if out else "") + segment)
        else:
            out.append("[" + _quote(segment) + "]")
    return "".join(out)


@lru_cache(maxsize=1024)
def parse_pattern(text: str) -> Pattern:
    """Read a path or pattern; a leading dot is allowed.

    Raises UsageError (`path-syntax`) with the position of the fault.
    """
    segments: list[Segment | Wildcard] = []
    pos = 1 if text.startswith(".") else 0
    while pos < len(text):
        if text[pos] == "[":
            segment, pos = _bracket(text, pos + 1)
        else:
            if text[pos] == ".":
                if not segments:
                    raise _syntax(text, pos)
                pos += 1
            if text.startswith("**", pos):
                segment, pos = ANY_DEPTH, pos + 2
            elif text.startswith("*", pos):
                segment, pos = ANY, pos + 1
            elif m := _PLAIN_KEY.match(text, pos):
                segment, pos = m[0], m.end()
            else:
                raise _syntax(text, pos)
        segments.append(segment)
        if pos < len(text) and text[pos] not in ".[":
            raise _syntax(text, pos)
    return tuple(segments)


def _bracket(text: str, pos: int) -> tuple[Segment | Wildcard, int]:
    """The segment inside brackets that opened just before `pos`, and the offset after them."""
    if text.startswith("*]", pos):
        return ANY, pos + 2
    if m := re.compile(r"([+~]?)(\d+)\]").match(text, pos):
        position = int(m[2])
        return Foreign("+" if m[1] == "+" else "~", position) if m[1] else position, m.end()
    if m := re.compile(_QUOTED.pattern + r"\]").match(text, pos):
        return _unquote(m[1]), m.end()
    pairs: list[tuple[str, str]] = []
    pair = re.compile(rf'([^\s\[\]=,"]+)=(?:{_QUOTED.pattern}|({_PLAIN_VALUE.pattern}))([,\]])')
    while m := pair.match(text, pos):
        pairs.append((m[1], m[3] if m[3] is not None else _unquote(m[2])))
        pos = m.end()
        if m[4] == "]":
            return Keyed(tuple(pairs)), pos
    raise _syntax(text, pos)


def _syntax(text: str, pos: int) -> UsageError:
    return UsageError(
        "path-syntax",
        f"cannot read the path {text!r}",
        why=f"unexpected text at character {pos + 1}",
        hint='write paths as spec.containers[name=web].image, odd keys as ["a.b/c"], * and **',
    )


def matches(pattern: Pattern, path: Path) -> bool:
    """Does `pattern` cover exactly `path`? (`ANY_DEPTH` covers any number of segments.)"""
    return len(pattern) in _positions(pattern, path)[-1]


def covers(pattern: Pattern, path: Path) -> bool:
    """Does `pattern` match `path` itself or one of its ancestors?"""
    return any(len(pattern) in positions for positions in _positions(pattern, path))


def _positions(pattern: Pattern, path: Path) -> list[set[int]]:
    """How far the pattern can have been used up, after each number of segments of the path."""

    def closed(positions: set[int]) -> set[int]:
        found = set()
        for position in positions:
            found.add(position)
            while position < len(pattern) and pattern[position] is ANY_DEPTH:
                position += 1
                found.add(position)
        return found

    found = [closed({0})]
    for segment in path:
        after: set[int] = set()
        for position in found[-1]:
            if position == len(pattern):
                continue
            want = pattern[position]
            if want is ANY_DEPTH:
                after.add(position)
            elif _same(want, segment):
                after.add(position + 1)
        found.append(closed(after))
    return found


def may_cover_below(pattern: Pattern, path: Path) -> bool:
    """Could `pattern` match something strictly below `path`?"""
    for i, want in enumerate(pattern):
        if want is ANY_DEPTH:
            return True
        if i == len(path):
            return True
        if not _same(want, path[i]):
            return False
    return False


def _same(want: Segment | Wildcard, have: Segment) -> bool:
    if want is ANY:
        return True
    if isinstance(want, Keyed) and isinstance(have, Keyed):
        return set(want.pairs) <= set(have.pairs)
    return want == have
