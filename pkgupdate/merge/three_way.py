"""The case matrix of one unit: who changed it, and who wins.

Written once and used at every level: fields, list items, functions, hunks of text, files, modes,
resources. Which unit is the finest one is the business of the callers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from pkgupdate.document.values import MISSING
from pkgupdate.merge.decisions import Kind, Rule

Winner: TypeAlias = Literal["upstream", "local"]


class Outcome(NamedTuple):
    """What became of one unit by the merge rules alone, before any policy."""

    kind: Kind
    rule: Rule
    winner: Winner


def decide(
    original: Any,
    upstream: Any,
    local: Any,
    *,
    same: Callable[[Any, Any], bool] = operator.eq,
) -> Outcome | None:
    """Compare the three versions of one unit; `MISSING` stands for one that is not there.

    None: neither side differs from the original. Else the first row that holds:

    | row | upstream        | local           | outcome                                 |
    |-----|-----------------|-----------------|-----------------------------------------|
    | 1   | changed         | the same change | agreed                                  |
    | 2   | changed         | as original     | applied                                 |
    | 3   | as original     | changed         | kept                                    |
    | 4   | deleted         | edited          | collision, delete against edit: local   |
    | 5   | edited          | deleted         | collision, delete against edit: local   |
    | 6   | edited or added | otherwise       | collision, edit against edit: upstream  |
    """
    upstream_changed = _differs(original, upstream, same)
    local_changed = _differs(original, local, same)
    if not upstream_changed and not local_changed:
        return None
    if not _differs(upstream, local, same):
        return Outcome(Kind.AGREED, Rule.SAME_CHANGE, "local")  # row 1
    if not local_changed:
        return Outcome(Kind.APPLIED, Rule.UPSTREAM_ONLY, "upstream")  # row 2
    if not upstream_changed:
        return Outcome(Kind.KEPT, Rule.LOCAL_ONLY, "local")  # row 3
    if upstream is MISSING:
        return Outcome(Kind.COLLISION, Rule.DELETE_EDIT, "local")  # row 4
    if local is MISSING:
        return Outcome(Kind.COLLISION, Rule.EDIT_DELETE, "local")  # row 5
    return Outcome(Kind.COLLISION, Rule.EDIT_EDIT, "upstream")  # row 6


def _differs(a: Any, b: Any, same: Callable[[Any, Any], bool]) -> bool:
    if a is MISSING or b is MISSING:
        return a is not b
    return not same(a, b)
