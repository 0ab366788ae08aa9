"""Canonical values: what two scalars, maps or lists have to share to be called equal.

A string is itself; every other scalar is a `Typed` (so that ``1`` and ``"1"`` differ); maps and
lists are `dict` and `list` of these. Plain scalars are read by the YAML 1.2 core rules as Go's
yaml.v3 (and so kpt) reads them; the booleans of YAML 1.1 (``yes``, ``on``) get a tag of their own,
so that quoting one is a change of value.
"""

from __future__ import annotations

import re
from math import isinf
from typing import Any, Final, NamedTuple, TypeAlias


class Typed(NamedTuple):
    """A scalar that is no plain string: `tag` is null, bool, bool11, int, float, time, merge,
    `!tag`s as written, or a marker of this program (`dup` key, `complex` key)."""

    tag: str
    value: Any


Value: TypeAlias = "str | Typed | dict[Value, Value] | list[Value]"
"""Map keys are always `str` or `Typed` (a collection as a key becomes `Typed('complex', …)`)."""


class Missing:
    """The type of `MISSING`: a side, a key or an item that is not there at all."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        """Pickling keeps the one object, as it is told by its identity."""
        return "MISSING"


MISSING: Final = Missing()
MaybeValue: TypeAlias = "Value | Missing"

NULL: Final = Typed("null", None)

_BOOL11 = (
    *("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"),
    *("n", "N", "no", "No", "NO", "off", "Off", "OFF"),
)
_WORDS: dict[str, Typed] = {
    **{word: Typed("bool11", word) for word in _BOOL11},
    "": NULL,
    "~": NULL,
    "null": NULL,
    "Null": NULL,
    "NULL": NULL,
    "true": Typed("bool", True),
    "True": Typed("bool", True),
    "TRUE": Typed("bool", True),
    "false": Typed("bool", False),
    "False": Typed("bool", False),
    "FALSE": Typed("bool", False),
    ".nan": Typed("float", "nan"),
    ".NaN": Typed("float", "nan"),
    ".NAN": Typed("float", "nan"),
    "<<": Typed("merge", "<<"),
}
_WORDS.update(
    (sign + word, Typed("float", sign.replace("+", "") + "inf"))
    for sign in ("", "+", "-")
    for word in (".inf", ".Inf", ".INF")
)
_INT = re.compile(r"[-+]?(?:0b[01]+|0o?[0-7]+|0x[0-9a-fA-F]+|[1-9][0-9]*|0)\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_TIME = re.compile(r"\d{4}-\d\d?-\d\d?(?:$|[Tt ]\d\d?:)")
_MAY_BE_NUMBER = frozenset("+-.0123456789")
_LONGEST_INT = 1_000
"""Digits; longer integers are compared as written (Python refuses to convert the longest)."""
_BASES = {"0b": 2, "0o": 8, "0x": 16}


def resolve_plain(text: str) -> str | Typed:
    """The canonical value of an unquoted, untagged scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _MAY_BE_NUMBER:
        return text
    digits = text.replace("_", "")
    if _INT.match(digits):
        if len(digits) > _LONGEST_INT:
            return Typed("int", digits)
        body = digits.lstrip("+-")
        base = _BASES.get(body[:2]) or (8 if body[0] == "0" and len(body) > 1 else 10)
        size = int(body[2:] if body[:2] in _BASES else body, base)
        return Typed("int", -size if digits[0] == "-" else size)
    if _TIME.match(text):
        return Typed("time", text)
    if _FLOAT.match(digits) and not isinf(number := float(digits)):
        return Typed("float", number)
    return text


def to_plain(value: MaybeValue) -> Any:
    """The value as plain Python data for JSON and schemas (`MISSING` becomes None).

    Tagged scalars lose their tag, infinities and not-a-number become strings.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Typed):
        return value.value
    if isinstance(value, dict):
        return {_plain_key(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [to_plain(v) for v in value]
    return None


def _plain_key(key: Value) -> str:
    if isinstance(key, str):
        return key
    assert isinstance(key, Typed)
    if key.tag == "dup":
        return _plain_key(key.value[0])
    if key.tag == "bool":
        return "true" if key.value else "false"
    return "null" if key.value is None else str(key.value)


def from_plain(data: Any) -> Value:
    """The canonical value of plain Python data (str, int, float, bool, None, dict, list)."""
    if isinstance(data, str):
        return data
    if data is None:
        return NULL
    if isinstance(data, bool):
        return Typed("bool", data)
    if isinstance(data, int):
        return Typed("int", data)
    if isinstance(data, float):
        if data != data:
            return Typed("float", "nan")
        if data in (float("inf"), float("-inf")):
            return Typed("float", "inf" if data > 0 else "-inf")
        return Typed("float", data)
    if isinstance(data, dict):
        return {from_plain(k): from_plain(v) for k, v in data.items()}
    return [from_plain(v) for v in data]
