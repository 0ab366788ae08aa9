"""Which resources of the three versions are one and the same.

In this order: the same text or the same identity in the same file; the same identity in another
file (moved); the same name in another API group or namespace; a clear likeness (renamed). Pairing
is by dictionaries; only what is left over is compared one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from pkgupdate.document.stream import Part
from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.sides import Sides
from pkgupdate.package.doc_text import core_text
from pkgupdate.package.identity import Identity, identity_of_part, identity_when_fetched
from pkgupdate.package.likeness import Features, likeness, line_features, pair_alike, value_features

_FORMER_GROUPS = frozenset({"extensions"})
"""API groups that were dissolved, their kinds going to other groups."""
_SAME_THING = 0.5
"""How alike resources of one name have to be in order to be one that went elsewhere."""


class Resource:
    """A document of a file: a resource, or data without identity (`identity` is None)."""

    def __init__(self, path: str, index: int, part: Part, *, is_last: bool = True) -> None:
        self.path = path
        self.index = index
        self.part = part
        self.is_last = is_last

    @cached_property
    def identity(self) -> Identity | None:
        """What it is called now."""
        return identity_of_part(self.part)

    @cached_property
    def fetched(self) -> Identity | None:
        """What it was called when it was fetched, as far as a merge comment tells."""
        return identity_when_fetched(self.part, self.identity)

    @cached_property
    def core(self) -> str:
        """The text that tells whether it changed."""
        return core_text(self.part.text)

    @cached_property
    def features(self) -> Features:
        """What it is compared by."""
        try:
            return value_features(self.part.document.data)
        except DocumentError:
            return line_features(self.part.text)

    @property
    def directory(self) -> str:
        """Where its file is."""
        return self.path.rpartition("/")[0]


Unit: TypeAlias = "Sides[Resource | None]"
"""The versions of one resource."""
Finder: TypeAlias = "Callable[[Identity, str | None], list[Resource]]"
"""Looks for local resources in files that are not part of the merge otherwise, all or those of one
directory."""


@dataclass(slots=True)
class Matching:
    """The units, in the order of upstream's files, then the original's, then local ones."""

    units: list[Unit] = field(default_factory=list)
    notes: list[Decision] = field(default_factory=list)


def match(resources: Sides[list[Resource]], find_local: Finder) -> Matching:
    """Put the versions of each resource together.

    A resource that upstream changed or added and that has no local counterpart among `resources` is
    also looked for by `find_local`.
    """
    upstream = _Pairing(resources.original, resources.upstream)
    upstream.run()
    local = _Pairing(
        resources.original,
        resources.local,
        matters=lambda r: (p := upstream.partner(r)) is None or p.core != r.core,
    )
    local.run()
    for original in local.left_over():
        if original.identity and original.identity.is_named and local.matters(original):
            found = find_local(original.identity, None)
            near = [r for r in found if r.directory == original.directory]
            local.take(original, near or [r for r in found if _same(original, r)])
    added = _Pairing(upstream.unpaired_others(), local.unpaired_others(), added=True)
    added.run()
    for resource in added.left_over():
        if resource.identity and resource.identity.is_named:
            added.take(resource, find_local(resource.identity, resource.directory))
    return Matching(_units(resources, upstream, local, added), _notes(upstream, local, added))


def _units(
    resources: Sides[list[Resource]], upstream: _Pairing, local: _Pairing, added: _Pairing
) -> list[Unit]:
    units: list[Unit] = [
        Sides(original, upstream.partner(original), local.partner(original))
        for original in resources.original
    ]
    units += (Sides(None, r, added.partner(r)) for r in upstream.unpaired_others())
    joined = {id(unit.local) for unit in units}
    units += (Sides(None, None, r) for r in resources.local if id(r) not in joined)
    return units


def _notes(*pairings: _Pairing) -> list[Decision]:
    notes: dict[tuple[str, str, Rule], Decision] = {}
    for pairing in pairings:
        for note in pairing.notes:
            notes.setdefault((note.file, note.resource, note.rule), note)
    return list(notes.values())


class _Pairing:
    """Pairs the resources of two versions, step by step; what is paired is not looked at again."""

    def __init__(
        self,
        ones: Sequence[Resource],
        others: Sequence[Resource],
        *,
        matters: Callable[[Resource], bool] = lambda resource: True,
        added: bool = False,
    ) -> None:
        """Name the versions.

        matters: of which of `ones` a partner has to be found at any cost.
        added: both sides added these, so that only the same identity makes them one.
        """
        self._ones = list(ones)
        self._others = list(others)
        self._partners: dict[int, Resource] = {}
        self._taken: set[int] = set()
        self._is_addition = added
        self._copies = Counter((r.path, r.identity) for r in self._ones)
        self._other_copies = Counter((r.path, r.identity) for r in self._others)
        self.matters = matters
        self.notes: list[Decision] = []

    def run(self) -> None:
        """All steps."""
        self._in_order(lambda r: (r.path, r.core), lambda r: (r.path, r.core))
        self._by_identity(lambda r: r.fetched)
        self._by_identity(lambda r: r.identity)
        self._lone_documents()
        self._elsewhere(lambda r: r.fetched)
        self._elsewhere(lambda r: r.identity)
        if not self._is_addition:
            self._other_group_or_namespace()
            self._alike()

    def partner(self, one: Resource) -> Resource | None:
        """What belongs to one of the first version."""
        return self._partners.get(id(one))

    def left_over(self) -> list[Resource]:
        """Those of the first version without a partner."""
        return [one for one in self._ones if id(one) not in self._partners]

    def unpaired_others(self) -> list[Resource]:
        """Those of the second version without a partner."""
        return [other for other in self._others if id(other) not in self._taken]

    def take(self, one: Resource, candidates: list[Resource]) -> None:
        """Pair with the one candidate, if there is just one that is still free."""
        free = [c for c in candidates if id(c) not in self._taken]
        if len(free) == 1:
            self._pair(one, free[0])

    def _pair(self, one: Resource, other: Resource) -> None:
        self._partners[id(one)] = other
        self._taken.add(id(other))

    def _groups(
        self,
        key: Callable[[Resource], Hashable],
        other_key: Callable[[Resource], Hashable],
    ) -> Iterable[tuple[list[Resource], list[Resource]]]:
        """What is left of both versions, by key; None is no key."""
        groups: Mapping[Hashable, tuple[list[Resource], list[Resource]]]
        groups = defaultdict(lambda: ([], []))
        for one in self.left_over():
            if (k := key(one)) is not None:
                groups[k][0].append(one)
        for other in self.unpaired_others():
            if (k := other_key(other)) is not None and k in groups:
                groups[k][1].append(other)
        return [group for group in groups.values() if group[1]]

    def _in_order(
        self,
        key: Callable[[Resource], Hashable],
        other_key: Callable[[Resource], Hashable],
    ) -> None:
        for ones, others in self._groups(key, other_key):
            for one, other in zip(ones, others, strict=False):
                self._pair(one, other)

    def _by_identity(self, identity: Callable[[Resource], Identity | None]) -> None:
        """In the same file. What a file holds more than once is paired by position."""
        for ones, others in self._groups(
            lambda r: (r.path, r.identity, r.part.is_empty),
            lambda r: (r.path, identity(r), r.part.is_empty),
        ):
            known = ones[0].identity
            key = (ones[0].path, known)
            if known and known.is_named and (self._copies[key] > 1 or self._other_copies[key] > 1):
                self._note_repetition(ones[0], known, len(ones) == len(others))
            if len(ones) == len(others):
                for one, other in zip(ones, others, strict=True):
                    self._pair(one, other)

    def _lone_documents(self) -> None:
        """A file of one document that gained or lost its identity, or its name.

        A file without any data is none: what comes into it is new.
        """

        def place(r: Resource) -> Hashable:
            return (r.path, r.part.is_empty)

        for ones, others in self._groups(place, place):
            if len(ones) == len(others) == 1 and not (_is_named(ones[0]) and _is_named(others[0])):
                self._pair(ones[0], others[0])

    def _elsewhere(self, identity: Callable[[Resource], Identity | None]) -> None:
        """In another file, if there is no doubt which."""
        for ones, others in self._groups(
            lambda r: r.identity if _is_named(r) else None,
            lambda r: identity(r) if _is_named(r) else None,
        ):
            if len(ones) == len(others) == 1:
                one, other = ones[0], others[0]
                near = one.directory == other.directory
                if near or (not self._is_addition and _same(one, other)):
                    self._pair(one, other)

    def _other_group_or_namespace(self) -> None:
        def without_group(r: Resource) -> Hashable:
            i = r.identity
            return (i.kind, i.namespace, i.name) if i and i.is_named else None

        def without_namespace(r: Resource) -> Hashable:
            i = r.identity
            return (i.group, i.kind, i.name) if i and i.is_named else None

        for key in (without_group, without_namespace):
            for ones, others in self._groups(key, key):
                if len(ones) == len(others) == 1 and _same(ones[0], others[0]):
                    self._pair(ones[0], others[0])

    def _alike(self) -> None:
        """Renamed resources. Several that are equally alike are reported and left alone."""

        def kind(r: Resource) -> Hashable:
            i = r.identity
            return (i.group, i.kind, i.is_named) if i else None if r.part.is_empty else ()

        for ones, others in self._groups(kind, kind):
            wanted = [one for one in ones if self.matters(one)]
            pairs, ambiguous = pair_alike(wanted, others, lambda r: r.features)
            for one, other in pairs:
                self._pair(one, other)
            for one, candidates in ambiguous:
                names = ", ".join(f"{c.path} {c.identity}" for c in candidates)
                note = f"it may have been renamed, but several are equally alike: {names}"
                self.notes.append(_note(Rule.AMBIGUOUS, one, note))

    def _note_repetition(self, one: Resource, identity: Identity, is_paired: bool) -> None:
        note = f"the file holds {identity} more than once; " + (
            "its copies are paired by their order"
            if is_paired
            else "their numbers differ, so that they are not paired"
        )
        self.notes.append(_note(Rule.REPEATED_IDENTITY, one, note))


def _note(rule: Rule, resource: Resource, note: str) -> Decision:
    return Decision(
        Kind.KEPT,
        rule,
        Subject.RESOURCE,
        file=resource.path,
        resource=str(resource.identity or ""),
        note=note,
    )


def _is_named(resource: Resource) -> bool:
    return resource.identity is not None and resource.identity.is_named


def _same(one: Resource, other: Resource) -> bool:
    """Is this one resource, given that their names say so?"""
    if one.core == other.core or (one.identity and one.identity.group in _FORMER_GROUPS):
        return True
    return likeness(one.features, other.features) >= _SAME_THING
