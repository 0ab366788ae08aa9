"""Fields that exclude each other: one unit, because a mixture would be invalid.

A change on one side needs no care (the merge deletes one field and adds the other). If both sides
changed such fields and end with different ones, the whole group collides: the outcome is one side's
choice, never both fields and never none that nobody wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pkgupdate.document.edits import Content, DeleteEntry, Edit, FromData, InsertEntry, SetValue
from pkgupdate.document.values import MISSING, MaybeValue, Value
from pkgupdate.merge.closed import open_part
from pkgupdate.merge.decisions import FreeValue, Kind, Rule
from pkgupdate.merge.gates import OPEN, Gate, Reach, judge
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Slot, text_of
from pkgupdate.merge.three_way import decide
from pkgupdate.paths import Path
from pkgupdate.schema import Schema

if TYPE_CHECKING:
    from pkgupdate.merge.fields import Fields
    from pkgupdate.merge.merger import Merger


class Group(NamedTuple):
    """Alternatives of which an object has one. `besides`: every field is one, except these."""

    fields: frozenset[str] = frozenset()
    besides: frozenset[str] = frozenset()

    def has(self, key: Value) -> bool:
        """Is the field one of the alternatives?"""
        return key not in self.besides if self.besides else key in self.fields


def _one_of(*fields: str) -> Group:
    return Group(fields=frozenset(fields))


FUNCTION: Final = "KptFunction"
"""Type name of a function in a Kptfile's pipeline."""

GROUPS: Final[dict[str, tuple[Group, ...]]] = {
    "EnvFromSource": (_one_of("configMapRef", "secretRef"),),
    "EnvVar": (_one_of("value", "valueFrom"),),
    "EnvVarSource": (
        _one_of("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"),
    ),
    "IngressBackend": (_one_of("resource", "service"),),
    "LifecycleHandler": (_one_of("exec", "httpGet", "sleep", "tcpSocket"),),
    "Probe": (_one_of("exec", "grpc", "httpGet", "tcpSocket"),),
    "Volume": (Group(besides=frozenset({"name"})),),
    FUNCTION: (_one_of("configMap", "configPath"), _one_of("image", "exec")),
}
"""The unions of Kubernetes' core types (API reference: "one and only one of the following") and of
Kptfile functions, by the name of the struct."""


def merge_exclusive(merger: Merger, fields: Fields, path: Path, schema: Schema) -> set[Value]:
    """Decide the groups on which the sides part ways; returns the keys that this settles."""
    settled: set[Value] = set()
    if schema.shape != "struct" or merger.policy.kpt_compat:
        return settled
    for group in GROUPS.get(schema.type_name, ()):
        if _merge_group(merger, fields, path, schema, group):
            settled |= {key for key in fields.keys if group.has(key)}
    return settled


def _merge_group(merger: Merger, fields: Fields, path: Path, schema: Schema, group: Group) -> bool:
    parts = fields.data.map(lambda data: {k: v for k, v in data.items() if group.has(k)})
    if parts.upstream.keys() == parts.local.keys():
        return False
    values: Sides[MaybeValue] = parts.map(lambda part: part or MISSING)
    outcome = decide(*values)
    if outcome is None or outcome.kind is not Kind.COLLISION:
        return False
    verdict = judge(
        outcome._replace(rule=Rule.EXCLUSIVE),
        merger.policy,
        merger.place,
        path,
        at=_gate(merger, values, path, schema),
    )
    result = verdict.result(values.upstream, values.local)
    merger.add(
        verdict,
        path,
        values,
        result,
        _edits(fields, group, result, isinstance(verdict.winner, FreeValue)),
        note=_versus(parts.original, parts.local, parts.upstream),
    )
    return True


def _gate(merger: Merger, values: Sides[MaybeValue], path: Path, schema: Schema) -> Gate:
    """A unit of which a part is closed to upstream is closed as a whole."""
    for value in (values.upstream, values.local):
        _, closed = open_part(merger, value, path, schema)
        if closed:
            return Gate(Reach.CLOSED, closed[0].rule)
    return OPEN


def _edits(fields: Fields, group: Group, result: MaybeValue, is_free: bool) -> tuple[Edit, ...]:
    wanted = result if isinstance(result, dict) else {}
    edits: list[Edit] = []
    for key in fields.keys:
        if not group.has(key) or fields.values(key).local == wanted.get(key, MISSING):
            continue
        _, upstream, local = fields.slots(key)
        content: Content = FromData(wanted.get(key, ""))
        if isinstance(upstream, Slot) and not is_free:
            content = upstream.content()
        if isinstance(local, Slot) and local.collection is not None:
            place = local.collection, local.position
            edits.append(SetValue(*place, content) if key in wanted else DeleteEntry(*place))
        elif (home := fields.home(key)) is not None:
            edits.append(InsertEntry(*home, content))
    return tuple(edits)


def _versus(*parts: dict[Value, Value]) -> str:
    """`configMap vs configPath`: the alternatives, those of the original first."""
    names = dict.fromkeys(text_of(key) for part in parts for key in part)
    return " vs ".join(names)
