"""Values and names as one harmless line: nothing from a package reaches a terminal raw."""

from __future__ import annotations

import json
import re

from pkgupdate.document.values import MaybeValue, Missing, Typed, resolve_plain, to_plain
from pkgupdate.upstream.text import printable

ABSENT = "(absent)"
_PLAIN = re.compile(r"[^\s\"'#{}\[\],&*!|>%@`:-][^\x00-\x1f\"#]*\Z")
_WIDTH = 72


def shortened(text: str, width: int = _WIDTH) -> str:
    """The text cut to `width` characters, with an ellipsis where something was cut."""
    return text if len(text) <= width else text[: width - 1] + "…"


def one_line(value: MaybeValue, width: int = _WIDTH) -> str:
    """A value for people: short, on one line, strings quoted only where they need it."""
    if isinstance(value, Missing):
        return ABSENT
    if isinstance(value, str):
        if not (_PLAIN.match(value) and isinstance(resolve_plain(value.rstrip()), str)):
            value = json.dumps(value, ensure_ascii=False)
        return shortened(printable(value), width)
    if isinstance(value, Typed):
        plain_value = value.value
        text = plain_value if isinstance(plain_value, str) else json.dumps(to_plain(value))
        return shortened(printable(text), width)
    text = json.dumps(to_plain(value), ensure_ascii=False)
    return shortened(printable(text), width)


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
