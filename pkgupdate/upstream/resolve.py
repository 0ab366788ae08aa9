"""From a ref to a commit.

Order of precedence, as in kpt: for directory `a/b` and ref `v1` the tags `a/b/v1`, `a/v1`, then
`v1`; then the branch `v1`; then a commit whose id begins so. A full commit id needs no question to
the server. Version constraints choose among the tags of the nearest of these levels that has any
version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.refs import Refs
from pkgupdate.upstream.text import printable
from pkgupdate.upstream.versions import (
    Constraint,
    is_constraint,
    newest,
    parse_constraint,
    parse_version,
)

_SHORT_ID = re.compile(r"[0-9a-f]{4,63}")


class Resolved(NamedTuple):
    """What a ref means now.

    commit: the full commit id; of an annotated tag, the commit that it points to.
    ref: the name to write into the lock: `dir/v1` for `v1` where there is such a tag, the tag
        that a constraint chose, the default branch where no ref was given, else the ref as given.
    """

    commit: str
    ref: str
    kind: Literal["branch", "tag", "commit"]


def resolve_name(ref: str, directory: str, refs: Refs, *, prereleases: bool) -> Resolved | None:
    """Find a branch, tag or constraint among `refs`; None if there is none of that name.

    Raises UpstreamError `version-unknown` and `bad-constraint`.
    """
    if name := _after("refs/tags/", ref):
        return Resolved(refs.tags[name], ref, "tag") if name in refs.tags else None
    if name := _after("refs/heads/", ref):
        return Resolved(refs.branches[name], ref, "branch") if name in refs.branches else None
    for prefix in _levels(directory):
        if prefix + ref in refs.tags:
            return Resolved(refs.tags[prefix + ref], prefix + ref, "tag")
    if ref in refs.branches:
        return Resolved(refs.branches[ref], ref, "branch")
    if is_constraint(ref):
        tag = _choose(parse_constraint(ref, prereleases=prereleases), ref, directory, refs)
        return Resolved(refs.tags[tag], tag, "tag")
    return None


def version_tags(refs: Refs, directory: str) -> list[str]:
    """Return the tags with a version at the nearest level: `dir/v1.2.3` before `v1.2.3`."""
    for prefix in _levels(directory):
        found = [
            tag
            for tag in refs.tags
            if tag.startswith(prefix) and parse_version(tag.removeprefix(prefix))
        ]
        if found:
            return found
    return []


def may_be_locked_as(ref: str, locked: str, directory: str) -> bool:
    """Say whether a lock may hold the name `locked` for `ref`, without asking what there is."""
    if locked == ref:
        return True
    names = [locked.removeprefix(prefix) for prefix in _levels(directory) if prefix]
    if not is_constraint(ref):
        return ref in names
    constraint = parse_constraint(ref, prereleases=True)
    versions = (parse_version(name) for name in (locked, *names))
    return any(version is not None and constraint.allows(version) for version in versions)


def is_short_id(ref: str) -> bool:
    """Say whether `ref` may be the beginning of a commit id."""
    return bool(_SHORT_ID.fullmatch(ref))


def _choose(constraint: Constraint, ref: str, directory: str, refs: Refs) -> str:
    tags = version_tags(refs, directory)
    if tag := newest(tags, constraint):
        return tag
    best = newest(tags, Constraint((), prereleases=True))
    raise UpstreamError(
        "version-unknown",
        f"no tag has a version that fits '{ref}'",
        hint=f"the newest is {printable(best)}" if best else "no tag is a version such as v1.2.3",
    )


def _levels(directory: str) -> Iterator[str]:
    """Yield `a/b/`, `a/` and the empty prefix for `/a/b`."""
    parts = [part for part in directory.split("/") if part]
    for size in range(len(parts), -1, -1):
        yield "".join(f"{part}/" for part in parts[:size])


def _after(prefix: str, ref: str) -> str:
    return ref.removeprefix(prefix) if ref.startswith(prefix) else ""
