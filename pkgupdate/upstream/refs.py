"""The branches and tags that an upstream repository offers, from one `git ls-remote`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.text import printable
from pkgupdate.upstream.versions import is_constraint

_NEAR_REFS = 5
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Refs(NamedTuple):
    """Names without `refs/heads/` and `refs/tags/`, each with the id of its commit.

    tag_objects: for annotated tags only, the id of the tag object.
    """

    branches: Mapping[str, str]
    tags: Mapping[str, str]
    tag_objects: Mapping[str, str]

    def unknown(self, ref: str, repo: str) -> UpstreamError:
        """Return the error for a ref that is not there, with the names that look alike."""
        import difflib

        names = [*self.tags, *self.branches]
        last = ref.rpartition("/")[2].lstrip("v")
        near = dict.fromkeys(n for n in names if n.rpartition("/")[2].lstrip("v") == last)
        near |= dict.fromkeys(difflib.get_close_matches(ref, names, _NEAR_REFS, 0.5))
        listed = ", ".join(printable(name) for name in list(near)[:_NEAR_REFS])
        kind = "version" if is_constraint(ref) else "branch, tag or commit"
        if listed:
            hint = f"did you mean: {listed}?"
        elif names:
            some = ", ".join(printable(name) for name in names[:_NEAR_REFS])
            hint = f"among its tags and branches: {some}"
        else:
            hint = "the repository has no branches and no tags"
        return UpstreamError("ref-unknown", f"{repo} has no {kind} '{printable(ref)}'", hint=hint)


def parse_refs(listing: bytes) -> Refs:
    """Parse the output of `git ls-remote --heads --tags`."""
    branches: dict[str, str] = {}
    tags: dict[str, str] = {}
    tag_objects: dict[str, str] = {}
    for line in listing.decode("utf-8", "surrogateescape").split("\n"):
        oid, _, name = line.partition("\t")
        if not _ID.fullmatch(oid):
            continue
        if name.startswith("refs/heads/"):
            branches[name.removeprefix("refs/heads/")] = oid
        elif name.startswith("refs/tags/"):
            tag = name.removeprefix("refs/tags/")
            if tag.endswith("^{}"):  # comes right after the tag: what the annotated tag points to
                tag = tag.removesuffix("^{}")
                tag_objects[tag] = tags[tag]
            tags[tag] = oid
    return Refs(branches, tags, tag_objects)


def parse_head(listing: bytes) -> tuple[str, str] | None:
    """Parse `git ls-remote --symref REMOTE HEAD`: branch (empty if detached) and commit."""
    branch = commit = ""
    for line in listing.decode("utf-8", "surrogateescape").split("\n"):
        value, _, name = line.partition("\t")
        if name == "HEAD" and value.startswith("ref: refs/heads/"):
            branch = value.removeprefix("ref: refs/heads/")
        elif name == "HEAD" and _ID.fullmatch(value):
            commit = value
    return (branch, commit) if commit else None


def is_commit_id(text: str) -> bool:
    """Say whether `text` is a full commit id."""
    return bool(_ID.fullmatch(text))
