"""Values and names as one harmless line: nothing from a package reaches a terminal raw."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import takewhile

from pkgupdate.document.values import MaybeValue, Missing, Typed, resolve_plain, to_plain
from pkgupdate.merge.alignment import align
from pkgupdate.upstream.text import printable

ABSENT = "(absent)"
_PLAIN = re.compile(r"[^\s\"'#{}\[\],&*!|>%@`:-][^\x00-\x1f\"#]*\Z")
WIDTH = 72
_LINES = 12


def shortened(text: str, width: int = WIDTH) -> str:
    """The text in `width` characters: where it is longer, an ellipsis stands for its middle."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def comment_text(value: MaybeValue, width: int = WIDTH) -> str:
    """A comment (a list of lines) on one line."""
    if not isinstance(value, list):
        return one_line(value, width)
    return shortened(printable(" ".join(map(str, value))), width) if value else ABSENT


def one_line(value: MaybeValue, width: int = WIDTH) -> str:
    """A value for people: short, on one line, strings quoted only where they need it."""
    if isinstance(value, Missing):
        return ABSENT
    if isinstance(value, str):
        if not (_PLAIN.match(value) and isinstance(resolve_plain(value.rstrip()), str)):
            value = _quoted(value)
        return shortened(printable(value), width)
    if isinstance(value, Typed):
        plain_value = value.value
        text = plain_value if isinstance(plain_value, str) else json.dumps(to_plain(value))
        return shortened(printable(text), width)
    text = json.dumps(to_plain(value), ensure_ascii=False)
    return shortened(printable(text), width)


def text_lines(value: MaybeValue, width: int) -> list[str]:
    """The lines of a text, for people; empty for other values, and where a line hides something."""
    lines = value.split("\n") if isinstance(value, str) else []
    is_open = all(line.isprintable() and not line.endswith(" ") for line in lines)
    if len(lines) < 2 or not lines[-1] or not is_open:
        return []
    more = [f"… {count(len(lines) - _LINES, 'more line')}"] if len(lines) > _LINES else []
    return [shortened(line, width) for line in lines[:_LINES]] + more


def _quoted(text: str) -> str:
    """The text in the quotes that need fewer escapes within."""
    if any(char in text for char in '"\\') and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False)


def as_yaml(value: MaybeValue) -> str:
    """The value as YAML of several lines; nothing for one that is absent."""
    if isinstance(value, Missing):
        return ""
    import yaml

    dumped: str = yaml.safe_dump(to_plain(value), sort_keys=False, allow_unicode=True)
    return dumped.removesuffix("...\n")


def line_changes(old: str, new: str) -> str:
    """How much a text of several lines changed: ``+2 -1 lines``."""
    before, after = old.splitlines(), new.splitlines()
    common = len(align(before, after))
    return f"+{len(after) - common} -{len(before) - common} lines"


def without_common_lines(values: Sequence[MaybeValue]) -> list[MaybeValue]:
    """The values, with the lines cut that all of them begin and end with.

    So the difference is what remains of long texts. Values that are no texts stay as they are.
    """
    texts = [value.split("\n") for value in values if isinstance(value, str)]
    if not any(len(lines) > 1 for lines in texts) or len(texts) < 2:
        return list(values)
    start = _common([lines[:-1] for lines in texts])
    end = _common([lines[start:][::-1] for lines in texts])
    return [
        "\n".join(value.split("\n")[start : len(value.split("\n")) - end])
        if isinstance(value, str)
        else value
        for value in values
    ]


def _common(texts: Sequence[Sequence[str]]) -> int:
    """How many lines all of these begin with."""
    return sum(1 for _ in takewhile(lambda lines: len(set(lines)) == 1, zip(*texts, strict=False)))


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
