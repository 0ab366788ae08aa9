"""How alike two values are: is the one an edited form of the other?"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from pkgupdate.document.values import Typed, Value
from pkgupdate.merge.slots import freeze

_SHORT_TEXT = 60
"""Strings up to this length are compared by character, longer ones by word."""


def likeness(a: Value, b: Value) -> float:
    """From 0 (nothing in common) to 1 (equal).

    Maps: the share of fields that agree, where a field that differs counts by its own likeness, at
    least a quarter; a `name` that differs halves the sum. Strings: the share of common text; two
    options ``--key=…`` of one key are alike.
    """
    if a == b:
        return 1.0
    if isinstance(a, dict) and isinstance(b, dict):
        common = a.keys() & b.keys()
        total = sum(1.0 if a[k] == b[k] else max(0.25, likeness(a[k], b[k])) for k in common)
        share = total / (len(a.keys() | b.keys()) or 1)
        return share / 2 if "name" in common and a["name"] != b["name"] else share
    if isinstance(a, list) and isinstance(b, list):
        shared = Counter(map(freeze, a)) & Counter(map(freeze, b))
        return 2 * shared.total() / ((len(a) + len(b)) or 1)
    if isinstance(a, str) and isinstance(b, str):
        return _text_likeness(a, b)
    return 0.25 if isinstance(a, Typed) and isinstance(b, Typed) and a.tag == b.tag else 0.0


def _text_likeness(a: str, b: str) -> float:
    option, separator, _ = a.partition("=")
    if separator and b.startswith(option + separator):
        return 0.75
    if max(len(a), len(b)) > _SHORT_TEXT:
        words_a, words_b = Counter(a.split()), Counter(b.split())
        shared = words_a & words_b
        return 2 * shared.total() / (words_a.total() + words_b.total() or 1)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= 0.25 else 0.0
