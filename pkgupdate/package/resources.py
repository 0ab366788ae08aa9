"""One resource in three versions: whether it is there afterwards, and with which text.

    | original | upstream | local   | result                                                       |
    |----------|----------|---------|--------------------------------------------------------------|
    | -        | -        | yes     | kept (local addition)                                        |
    | -        | yes      | -       | added from upstream                                          |
    | -        | yes      | yes     | merged with an empty original                                |
    | yes      | -        | as it   | deleted                                                      |
    | yes      | -        | changed | kept; a collision, delete against edit                       |
    | yes      | yes      | -       | stays deleted; reported if upstream changed it               |
    | yes      | -        | -       | gone                                                         |
    | yes      | yes      | yes     | merged field by field                                        |

What only one side touched is taken as text, without parsing it.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.merge_comment import add_merge_comment, read_merge_comment
from pkgupdate.document.values import MISSING, MaybeValue
from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.merge.documents import Place, merge_documents
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.text import merge_lines
from pkgupdate.package.doc_text import fitted
from pkgupdate.package.match import Resource, Unit
from pkgupdate.package.not_mergeable import NotMergeable, Reason
from pkgupdate.package.unchanged import is_fetch_mark, is_unchanged
from pkgupdate.package.verdicts import (
    deletion_withheld_by,
    fingerprint,
    merges_finely,
    upstream_wins,
    withheld_by,
)
from pkgupdate.schema import SchemaSet

SchemasFor = Callable[[str, str], SchemaSet]
"""The schemas to use for an API version and kind."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What becomes of the local document: `text` None, there is none; `path`: where it lies."""

    unit: Unit
    text: str | None
    path: str
    decisions: list[Decision] = field(default_factory=list)

    @property
    def is_in_place(self) -> bool:
        """Does the local document stay in its file?"""
        local = self.unit.local
        return local is not None and self.text is not None and local.path == self.path


class UnitMerger:
    """Merges units under one policy."""

    def __init__(
        self,
        policy: Policy,
        schemas_for: SchemasFor,
        *,
        merge_comments: bool,
        blocked: Set[str] = frozenset(),
    ) -> None:
        """Name what all units share.

        merge_comments: mark new resources with their identity.
        blocked: paths of upstream at which no file can be put.
        """
        self._policy = policy
        self._schemas_for = schemas_for
        self._merge_comments = merge_comments
        self._blocked = blocked

    def merge(self, unit: Unit) -> Merged:
        """The result for one unit. Raises NotMergeable.

        Only texts outlive it: the trees of a large package would take many times their room.
        """
        try:
            return self._merged(unit)
        finally:
            for resource in unit:
                if resource:
                    resource.part.forget_document()

    def has_to_parse(self, unit: Unit) -> bool:
        """Does merging the unit take the trees of its versions? Else it takes next to no time."""
        original, upstream, local = unit
        if upstream is None or local is None or upstream.core == local.core:
            return False
        if original is None or original.core not in (upstream.core, local.core):
            return True
        return original.core == local.core and merges_finely(self._policy, _name(local), local.path)

    def _merged(self, unit: Unit) -> Merged:
        original, upstream, local = unit
        if local is None:
            if upstream is None:
                return Merged(unit, None, "")
            return self._added(unit, upstream) if original is None else self._deleted_locally(unit)
        if upstream is None:
            if original is None:
                return Merged(unit, local.part.text, local.path)
            return self._deleted_upstream(unit, original, local)
        return self._on_all_sides(unit, upstream, local)

    def _added(self, unit: Unit, upstream: Resource) -> Merged:
        if upstream.path in self._blocked:
            return Merged(unit, None, "")
        if rule := withheld_by(self._policy, _name(upstream), upstream.path):
            return Merged(unit, None, "", [_decide(unit, Kind.WITHHELD, rule, None)])
        if not upstream.core.strip():
            return Merged(unit, upstream.part.text, upstream.path)
        decision = _decide(unit, Kind.APPLIED, Rule.UPSTREAM_ONLY, upstream)
        return Merged(unit, self._new_text(upstream), upstream.path, [decision])

    def _new_text(self, upstream: Resource) -> str:
        identity = upstream.identity
        if not self._merge_comments or not identity or not identity.is_named:
            return upstream.part.text
        return add_merge_comment(upstream.part.text, identity.namespace, identity.name)

    def _deleted_locally(self, unit: Unit) -> Merged:
        original, upstream, _ = unit
        assert original and upstream
        if original.core == upstream.core:
            return Merged(unit, None, "")
        note = "upstream changed it; it was deleted here and stays so"
        kept = _decide(unit, Kind.KEPT, Rule.EDIT_DELETE, None, note)
        if upstream.path in self._blocked or not upstream_wins(self._policy, kept.key):
            return Merged(unit, None, "", [kept])
        if rule := withheld_by(self._policy, _name(upstream), upstream.path):
            return Merged(unit, None, "", [_decide(unit, Kind.WITHHELD, rule, None)])
        note = "upstream changed it; it was deleted here and comes back"
        decision = _decide(unit, Kind.COLLISION, Rule.EDIT_DELETE, upstream, note)
        return Merged(unit, self._new_text(upstream), upstream.path, [decision])

    def _deleted_upstream(self, unit: Unit, original: Resource, local: Resource) -> Merged:
        def merged(kind: Kind, rule: Rule, *, is_kept: bool, note: str = "") -> Merged:
            decision = _decide(unit, kind, rule, local if is_kept else None, note)
            return Merged(unit, local.part.text if is_kept else None, local.path, [decision])

        unchanged = is_unchanged(original.part, local.part)
        name = _name(local)
        if rule := deletion_withheld_by(self._policy, name, local.path, collides=not unchanged):
            return merged(Kind.WITHHELD, rule, is_kept=True)
        if unchanged:
            return merged(Kind.APPLIED, Rule.UPSTREAM_ONLY, is_kept=False)
        note = "upstream deleted it; it stays because it was changed here"
        result = merged(Kind.COLLISION, Rule.DELETE_EDIT, is_kept=True, note=note)
        if not upstream_wins(self._policy, result.decisions[0].key):
            return result
        note = "upstream deleted it, and with it what was changed here"
        return merged(Kind.COLLISION, Rule.DELETE_EDIT, is_kept=False, note=note)

    def _on_all_sides(self, unit: Unit, upstream: Resource, local: Resource) -> Merged:
        """Merged field by field; the original may be missing (both sides added it)."""
        original = unit.original
        path, moves = self._place(unit, upstream, local)
        if original and original.core == upstream.core:
            text, decisions = local.part.text, []
        elif upstream.core == local.core:
            text = local.part.text
            decisions = [_decide(unit, Kind.AGREED, Rule.SAME_CHANGE, local)]
        elif any(r.part.is_empty for r in unit if r):
            text, decisions = self._as_lines(unit, upstream, local)
        elif (
            original
            and original.core == local.core
            and not merges_finely(self._policy, _name(local), local.path)
        ):
            text, decisions = self._taken_whole(unit, upstream, local)
        else:
            text, decisions = self._as_data(unit, local)
        text = _follow_rename(text, unit)
        return Merged(unit, text, path, moves + decisions)

    def _taken_whole(
        self, unit: Unit, upstream: Resource, local: Resource
    ) -> tuple[str, list[Decision]]:
        """What only upstream changed, unless a person chose the local version."""
        if rule := withheld_by(self._policy, _name(local), local.path):
            return local.part.text, [_decide(unit, Kind.WITHHELD, rule, local)]
        text = fitted(upstream.part.text, local.part, is_last=local.is_last)
        comment = read_merge_comment(local.part.text)
        text = add_merge_comment(text, *comment) if comment else text
        return text, [_decide(unit, Kind.APPLIED, Rule.UPSTREAM_ONLY, upstream)]

    def _place(self, unit: Unit, upstream: Resource, local: Resource) -> tuple[str, list[Decision]]:
        """The file that the resource belongs in, and the decision if upstream moved it."""
        original = unit.original
        if original is None or upstream.path in (original.path, local.path, *self._blocked):
            return local.path, []
        moved = replace(_decide(unit, Kind.APPLIED, Rule.MOVED, local), new_path=upstream.path)
        if local.path == original.path:
            rule = withheld_by(self._policy, _name(local), local.path)
            if rule is None:
                return upstream.path, [moved]
            return local.path, [replace(moved, kind=Kind.WITHHELD, rule=rule, new_path="")]
        if upstream_wins(self._policy, moved.key):
            return upstream.path, [replace(moved, kind=Kind.COLLISION)]
        note = f"upstream moved it to {upstream.path}; it stays where it was moved to here"
        return local.path, [replace(moved, kind=Kind.COLLISION, new_path="", note=note)]

    def _as_lines(
        self, unit: Unit, upstream: Resource, local: Resource
    ) -> tuple[str, list[Decision]]:
        """A part of a file that holds comments only, on one side at least."""
        before = unit.original.part.text if unit.original else ""
        winner = self._policy.on_conflict
        if winner is OnConflict.RULES:
            winner = OnConflict.LOCAL
        merge = merge_lines(before, upstream.part.text, local.part.text, on_conflict=winner)
        kind = Kind.COLLISION if merge.conflicts else Kind.APPLIED
        return merge.text, [_decide(unit, kind, Rule.TEXT, local)]

    def _as_data(self, unit: Unit, local: Resource) -> tuple[str, list[Decision]]:
        documents = _documents(unit)
        assert documents.upstream and documents.local
        data = documents.upstream.data
        api_version, kind = _type_of(data)
        schemas = self._schemas_for(api_version, kind)
        decisions = merge_documents(
            documents,
            Place(local.path, _name(local)),
            schemas.for_resource(api_version, kind),
            self._policy,
            schemas=schemas,
        )
        decisions = [decision for decision in decisions if not is_fetch_mark(decision)]
        edits = [edit for decision in decisions for edit in decision.edits]
        if not edits:
            return local.part.text, decisions
        try:
            text = apply_edits(documents.local, edits)
        except DocumentError as e:
            raise _fault(unit, Reason(_reason(e), as_text=False)) from e
        return text, [replace(decision, edits=()) for decision in decisions]


def _documents(unit: Unit) -> Sides[Document | None]:
    """The parsed versions. Raises NotMergeable with line and key where that makes no sense."""

    def parse(resource: Resource | None) -> Document | None:
        if resource is None:
            return None
        try:
            document = resource.part.document
        except DocumentError as e:
            raise _fault(unit, Reason(_reason(e))) from e
        if document.duplicate_keys:
            key, line = document.duplicate_keys[0]
            note = f"the key {key!r} is given twice in one map, at line {line}"
            raise _fault(unit, Reason(note))
        return document

    return unit.map(parse)


def _reason(error: DocumentError) -> str:
    line = f" (line {error.where.line})" if error.where.line else ""
    return f"{error.what}{line}" + (f": {error.why}" if error.why else "")


def _fault(unit: Unit, reason: Reason) -> NotMergeable:
    return NotMergeable({resource.path: reason for resource in unit if resource})


def _type_of(data: MaybeValue) -> tuple[str, str]:
    if not isinstance(data, dict):
        return "", ""
    api_version, kind = data.get("apiVersion"), data.get("kind")
    return (
        (api_version, kind) if isinstance(api_version, str) and isinstance(kind, str) else ("", "")
    )


def _follow_rename(text: str, unit: Unit) -> str:
    """A merge comment that names the resource as it was follows a rename by upstream."""
    original, upstream, local = (r.identity if r else None for r in unit)
    if not (original and upstream and local) or original == upstream or not upstream.is_named:
        return text
    if read_merge_comment(text) != (original.namespace, original.name):
        return text
    return add_merge_comment(text, upstream.namespace, upstream.name)


def _name(resource: Resource) -> str:
    return str(resource.identity or "")


def _decide(
    unit: Unit, kind: Kind, rule: Rule, result: Resource | None, note: str = ""
) -> Decision:
    """A decision about the whole document, or the whole file if it has no identity."""

    def value(resource: Resource | None) -> MaybeValue:
        return fingerprint(resource.core) if resource else MISSING

    known = unit.local or unit.upstream or unit.original
    assert known is not None
    return Decision(
        kind,
        rule,
        Subject.RESOURCE if known.identity else Subject.FILE,
        file=known.path,
        resource=_name(known),
        original=value(unit.original),
        upstream=value(unit.upstream),
        local=value(unit.local),
        result=value(result),
        note=note,
    )
