"""The lock of a Kptfile as one unit: what it follows and what was last fetched.

`upstream.git`, `upstream.type` and `upstreamLock` belong together: a commit of one side beside the
ref of the other would name something that nobody ever fetched. So the unit is decided first, as a
whole, and then made the same in all three versions; the merge that follows finds nothing to do
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pkgupdate.document.document import Document
from pkgupdate.document.edits import DeleteEntry, Edit, FromEntry, InsertEntry, SetValue
from pkgupdate.document.nodes import Mapping
from pkgupdate.document.values import MISSING, MaybeValue, Value
from pkgupdate.merge.decisions import Kind
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.three_way import Winner, decide

SECTIONS = ("upstream", "upstreamLock")
_OUTSIDE = ("updateStrategy",)
"""What `upstream` holds beside the unit; merged like any field."""

IsAncestor = Callable[[str, str, str], bool]
"""Of (repo, older commit, newer commit): is it known that the first one leads to the second?"""


def unit_of(document: Document) -> MaybeValue:
    """The unit as one value, `MISSING` if the Kptfile has neither section."""
    data = document.data if isinstance(document.data, dict) else {}
    unit: dict[Value, Value] = {key: data[key] for key in SECTIONS if key in data}
    follows = unit.get("upstream")
    if isinstance(follows, dict):
        unit["upstream"] = {k: v for k, v in follows.items() if k not in _OUTSIDE}
    return unit or MISSING


def settle(sides: Sides[Document], is_ancestor: IsAncestor) -> Winner | None:
    """The side whose unit stands; None if both sides changed it and neither is the later one."""
    units = sides.map(unit_of)
    outcome = decide(*units)
    if outcome is None:
        return "local"
    if outcome.kind is not Kind.COLLISION:
        return outcome.winner
    upstream, local = _fetched(units.upstream), _fetched(units.local)
    if upstream[:2] != local[:2] or "" in (*upstream, *local):
        return None
    if is_ancestor(local[0], local[2], upstream[2]):
        return "upstream"
    return "local" if is_ancestor(local[0], upstream[2], local[2]) else None


def with_unit_of(target: Document, source: Document) -> str:
    """The target's text with the source's unit in it.

    Raises DocumentError if the text cannot be edited safely.
    """
    if unit_of(target) == unit_of(source):
        return target.text
    if not isinstance(target.root, Mapping) or not isinstance(source.root, Mapping):
        return target.text
    from pkgupdate.document.apply import apply_edits

    return apply_edits(target, _edits(target.root, source.root, source, SECTIONS))


def line_spans(document: Document) -> list[tuple[int, int]]:
    """The 0-based line ranges of the sections; sections that follow each other are one range."""
    spans: list[tuple[int, int]] = []
    root = document.root
    if not isinstance(root, Mapping):
        return spans
    for entry in root.entries:
        if entry.key is None or entry.key.data not in SECTIONS:
            continue
        start = document.text.count("\n", 0, entry.key.start)
        end = document.text.count("\n", 0, entry.value.end) + 1
        if spans and not document.text.split("\n")[spans[-1][1] : start]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def known_ancestor(repo: str, older: str, newer: str) -> bool:
    """Does the cache of the upstream repository know that `older` leads to `newer`?

    Nothing is fetched. A shallow history can hide a relation, never make one up.
    """
    from pkgupdate.config import load_config
    from pkgupdate.errors import PkgUpdateError
    from pkgupdate.upstream.git import GitFailure
    from pkgupdate.upstream.refs import is_commit_id
    from pkgupdate.upstream.repository import Upstream

    if not (is_commit_id(older) and is_commit_id(newer)):
        return False
    try:
        cache_dir = load_config()["cache_dir"]
        with Upstream(repo, cache_dir=cache_dir and Path(cache_dir), offline=True) as upstream:
            upstream.git.run("merge-base", "--is-ancestor", older, newer)
    except (GitFailure, PkgUpdateError):
        return False
    return True


def _fetched(unit: MaybeValue) -> tuple[str, str, str]:
    """Repository, directory and commit of the lock; empty where they are not given."""
    lock = unit.get("upstreamLock") if isinstance(unit, dict) else None
    git = lock.get("git") if isinstance(lock, dict) else None
    fields = git if isinstance(git, dict) else {}
    values = (fields.get(key, "") for key in ("repo", "directory", "commit"))
    repo, directory, commit = (value if isinstance(value, str) else "" for value in values)
    return repo, directory, commit


def _edits(
    target: Mapping, source: Mapping, document: Document, keys: tuple[Value, ...]
) -> Iterator[Edit]:
    """What makes the target's entries of these keys equal to the source's."""
    after = -1
    for key in keys:
        here, there = target.index(key), source.index(key)
        if there < 0:
            if here >= 0:
                yield DeleteEntry(target, here)
            continue
        if here < 0:
            yield InsertEntry(target, after, key, FromEntry(document, source, there))
            continue
        after = here
        old, new = target.entries[here].value, source.entries[there].value
        if old.data == new.data:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            names: tuple[Value, ...] = tuple(
                dict.fromkeys(
                    e.key.data
                    for e in (*new.entries, *old.entries)
                    if e.key is not None and e.key.data not in _OUTSIDE
                )
            )
            yield from _edits(old, new, document, names)
        else:
            yield SetValue(target, here, FromEntry(document, source, there))
