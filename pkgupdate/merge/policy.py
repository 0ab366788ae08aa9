"""What a user may say about how collisions end; the merge asks nothing else of its surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

from pkgupdate.paths import Path, Pattern, covers, may_cover_below

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Choice, DecisionKey


class OnConflict(StrEnum):
    """Who wins a collision.

    RULES is the default: upstream wins edit against edit, local wins delete against edit.
    UPSTREAM and LOCAL decide every collision for that side.
    """

    RULES = "rules"
    UPSTREAM = "upstream"
    LOCAL = "local"


class Target(NamedTuple):
    """Resources and paths that a protection or a scope is about.

    resource: a glob on ``group/Kind/namespace/name`` (or, for files without identity, on the
        file's path in `directory`); ``*`` for all.
    path: a pattern of `pkgupdate.paths`; the empty pattern is the whole resource.
    directory: only what lies in it is meant; empty for everything.
    """

    resource: str
    path: Pattern = ()
    directory: str = ""

    def names(self, resource: str, file: str) -> bool:
        """Is the resource (or the file) meant?"""
        if self.directory:
            if not file.startswith(self.directory + "/"):
                return False
            file = file.removeprefix(self.directory + "/")
        return fnmatchcase(resource, self.resource) or fnmatchcase(file, self.resource)

    def inside(self, directory: str) -> Target | None:
        """The target as it reads in a directory, None if it is about nothing there."""
        if not self.directory or directory.startswith(self.directory + "/"):
            prefix = directory.removeprefix(self.directory + "/") + "/"
            return self._replace(resource=self.resource.removeprefix(prefix), directory="")
        if not f"{self.directory}/".startswith(directory + "/"):
            return None
        return self._replace(directory=self.directory[len(directory) + 1 :])


@dataclass(frozen=True, slots=True)
class Policy:
    """How a merge decides where the merge rules leave a choice.

    protected: places where local always wins; upstream's change is withheld.
    scope: if not empty, only these places take upstream's changes; the rest is withheld.
    choices: answers of a person to single decisions; they win over everything else.
    in_detail: decide each field of a resource that only upstream changed, instead of taking its
        text whole, so that a person can decide on each.
    """

    on_conflict: OnConflict = OnConflict.RULES
    protected: tuple[Target, ...] = ()
    scope: tuple[Target, ...] = ()
    pipeline_fallback: Literal["replace", "align"] = "replace"
    kpt_compat: bool = False
    conflict_markers: bool = False
    in_detail: bool = False
    choices: Mapping[DecisionKey, Choice] = field(default_factory=dict)

    def is_protected(self, resource: str, file: str, path: Path) -> bool:
        """Is the place itself, or something around it, protected?"""
        return any(t.names(resource, file) and covers(t.path, path) for t in self.protected)

    def protects_below(self, resource: str, file: str, path: Path) -> bool:
        """Could something below the place be protected?"""
        return any(
            t.names(resource, file) and may_cover_below(t.path, path) for t in self.protected
        )

    def in_scope(self, resource: str, file: str, path: Path) -> bool:
        """Does the place take upstream's changes as a whole?"""
        return not self.scope or any(
            t.names(resource, file) and covers(t.path, path) for t in self.scope
        )

    def scope_below(self, resource: str, file: str, path: Path) -> bool:
        """Could something below the place be in scope?"""
        return any(t.names(resource, file) and may_cover_below(t.path, path) for t in self.scope)
