"""List rules that a policy states, laid over what is known of a resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from pkgupdate.errors import PolicyError
from pkgupdate.paths import ANY, ANY_DEPTH, Pattern, Wildcard, format_path
from pkgupdate.schema.model import ListRule, Schema


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """How one list of some kinds merges.

    resource: a glob on ``group/Kind`` (``apps/Deployment``, ``*/Widget``, ``/ConfigMap``).
    path: where the list is; items of lists on the way are written ``[*]`` or ``*``.
    rule: how the list merges.

    Raises PolicyError (`schema-path`) for an empty path, or one that names a single item: a rule
    is about a type, and holds for all items alike.
    """

    resource: str
    path: Pattern
    rule: ListRule

    def __post_init__(self) -> None:
        """Check the path."""
        if not self.path or not all(isinstance(part, str | Wildcard) for part in self.path):
            raise PolicyError(
                "schema-path",
                f"a list rule cannot stand at the path {format_path(self.path)!r}",
                why="it must lead to a field, through all items of the lists on its way",
                hint="write [*] for the items of a list, as in spec.containers[*].args",
            )

    def is_about(self, group: str, kind: str) -> bool:
        """Does the entry speak of this kind?"""
        return fnmatchcase(f"{group}/{kind}", self.resource)


_Pending: TypeAlias = "tuple[tuple[Pattern, ListRule], ...]"
"""Rules below the present place, each with the rest of its path; the first one wins."""


def with_entries(schema: Schema, entries: Iterable[SchemaEntry]) -> Schema:
    """The schema of a resource as the entries amend it. Of two for one list, the first wins."""
    pending = tuple((entry.path, entry.rule) for entry in entries)
    return _Amended(schema, pending, None) if pending else schema


class _Amended(Schema):
    """A place at which, or below which, rules replace what `base` says."""

    __slots__ = ("_base", "_fields", "_item", "_pending")

    def __init__(self, base: Schema, pending: _Pending, rule: ListRule | None) -> None:
        super().__init__(
            shape="list" if rule else base.shape,
            type_name=base.type_name,
            list_rule=rule or base.list_rule,
            atomic=rule.kind == "atomic" if rule else base.atomic,
            patch_strategies=base.patch_strategies,
            patch_merge_key=base.patch_merge_key,
            is_known=base.is_known or rule is not None,
            is_resource=base.is_resource,
        )
        self._base = base
        self._pending = pending
        self._fields: dict[str, Schema] = {}
        self._item: Schema | None = None

    def field(self, key: str) -> Schema:
        found = self._fields.get(key)
        if found is None:
            found = self._fields[key] = self._below(self._base.field(key), key)
        return found

    def items(self) -> Schema:
        if self._item is None:
            self._item = self._below(self._base.items(), ANY)
        return self._item

    def has_field(self, key: str) -> bool:
        return self._base.has_field(key)

    def _below(self, base: Schema, segment: str | Wildcard) -> Schema:
        rests = [(rest, r) for path, r in self._pending for rest in _rests(path, segment)]
        rule = next((r for rest, r in rests if all(part is ANY_DEPTH for part in rest)), None)
        pending = tuple((rest, r) for rest, r in dict.fromkeys(rests) if rest)
        return _Amended(base, pending, rule) if pending or rule else base


def _rests(path: Pattern, segment: str | Wildcard) -> Iterator[Pattern]:
    """What is left of the path after one step; `segment` is a key, or `ANY` for an item."""
    if not path:
        return
    if path[0] is ANY_DEPTH:
        yield path
        yield from _rests(path[1:], segment)
    elif path[0] is ANY or path[0] == segment:
        yield path[1:]
