"""The patterns of ignore files, as Git reads them (gitignore(5)), matched in bounded time.

The patterns may come from upstream. The usual translation of a whole pattern into one regular
expression can take exponential time (`*a*a*a*b`); here every `*` stops at the first place where
what follows it fits, which suffices inside of one path segment, and `**` is counted out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

_ANY_DEPTH: Final = None
"""Stands for the segment `**`."""


class Rule(NamedTuple):
    """One pattern: `segments` from the directory of the ignore file down."""

    segments: tuple[re.Pattern[str] | None, ...]
    excludes: bool
    only_directories: bool

    def matches(self, parts: tuple[str, ...], *, is_directory: bool) -> bool:
        """Does the pattern name exactly this path?"""
        if self.only_directories and not is_directory:
            return False
        end = len(self.segments)
        reached = {0}
        for part in parts:
            after: set[int] = set()
            for position in _past_any_depth(reached, self.segments):
                if position == end:
                    continue
                segment = self.segments[position]
                if segment is _ANY_DEPTH:
                    # A `**` at the end takes one segment at least: `a/**` is not `a` itself.
                    after |= {position, end} if position == end - 1 else {position}
                elif segment.fullmatch(part):
                    after.add(position + 1)
            reached = after
        return end in reached


class Rules:
    """The rules of one ignore file; the last one that matches counts."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = [rule for line in lines if (rule := parse_rule(line))]

    def covers(self, path: str) -> bool:
        """Is the file ignored? `path` is relative to the directory of the ignore file.

        A file in an ignored directory is ignored, whatever a later rule says of the file.
        """
        parts = tuple(path.split("/"))
        for size in range(1, len(parts) + 1):
            is_directory = size < len(parts)
            verdicts = (
                rule.excludes
                for rule in reversed(self._rules)
                if rule.matches(parts[:size], is_directory=is_directory)
            )
            if next(verdicts, False):
                return True
        return False


def parse_rule(line: str) -> Rule | None:
    """The rule of one line; None for a blank line, a comment, or a pattern that fits nothing."""
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#"):
        return None
    excludes = not text.startswith("!")
    text = text.removeprefix("!")
    only_directories = text.endswith("/")
    text = text.removesuffix("/")
    parts = text.removeprefix("/").split("/")
    if "/" not in text:
        parts.insert(0, "**")
    try:
        segments = tuple(_ANY_DEPTH if part == "**" else _segment(part) for part in parts)
    except re.error:
        return None
    if not all(parts):
        return None
    return Rule(segments, excludes, only_directories)


def _past_any_depth(
    positions: set[int], segments: tuple[re.Pattern[str] | None, ...]
) -> Iterable[int]:
    """The positions, and those behind a `**` that takes no segment."""
    found = set()
    for position in positions:
        found.add(position)
        while position < len(segments) - 1 and segments[position] is _ANY_DEPTH:
            position += 1
            found.add(position)
    return found


def _segment(glob: str) -> re.Pattern[str]:
    """A pattern of one path segment as a regular expression without backtracking over `*`."""
    chunks = [""]
    position = 0
    while position < len(glob):
        char = glob[position]
        position += 1
        if char == "*":
            chunks.append("")
        elif char == "?":
            chunks[-1] += "."
        elif char == "[":
            end = _class_end(glob, position)
            chunks[-1] += _class(glob[position:end])
            position = end + 1
        else:
            if char == "\\" and position < len(glob):
                char = glob[position]
                position += 1
            chunks[-1] += re.escape(char)
    first, *rest = chunks
    if not rest:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{chunk})" for chunk in rest[:-1] if chunk)
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)


def _class_end(glob: str, start: int) -> int:
    """Where the `]` of a class is whose `[` is before `start`. Raises re.error without one."""
    position = start + 1 if glob[start : start + 1] in ("!", "^") else start
    end = glob.find("]", position + 1)
    if end < 0:
        raise re.error("unterminated character class")
    return end


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    text = inside[1:] if negated else inside
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", text.replace("\\", ""))
    return f"[{'^' if negated else ''}{escaped}]"
