"""The walk down three trees: which unit is the finest one, and what becomes of it.

Maps are merged by `fields`, lists by `lists`; whatever cannot be taken apart any further is one
unit, decided by `three_way` and the policy. Nothing here changes a tree: the outcome is a list of
decisions with edits on the local one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pkgupdate.document.edits import (
    Content,
    DeleteEntry,
    Edit,
    FromData,
    InsertEntry,
    SetRoot,
    SetValue,
)
from pkgupdate.document.nodes import Alias
from pkgupdate.document.values import MISSING, NULL, MaybeValue, Missing
from pkgupdate.errors import DocumentError, Location
from pkgupdate.merge import fields, lists, partial, strings
from pkgupdate.merge.comments import merge_comments, near_changes, taken_along
from pkgupdate.merge.decisions import Decision, FreeValue, Kind, Rule, Subject
from pkgupdate.merge.gates import OPEN, Gate, Place, Reach, Verdict, choice_for, gate, judge
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import Home, Slot, SlotSides, data_of, is_list, is_map, same_value
from pkgupdate.merge.three_way import Outcome, decide
from pkgupdate.paths import Path, format_path
from pkgupdate.schema import Schema, SchemaSet

if TYPE_CHECKING:
    from pkgupdate.document.document import Document

ListMerge = Callable[["Merger", SlotSides, Path], None]
"""Merges one list in a way of its own; upstream's and local's are lists, the original may be."""


class Merger:
    """The merge of one document: what it was asked to do, and the decisions so far.

    near_comments: entries that may own a comment which not all sides have alike.
    ignored: places that are not merged.
    emptied: maps and lists that mean the same absent as empty: where local changed a part of one
        that upstream deleted, the other parts go.
    thorough: look at parts whose values are equal on all sides, too (for comments and aliases).
    """

    def __init__(
        self,
        documents: Sides[Document | None],
        place: Place,
        policy: Policy,
        *,
        schemas: SchemaSet | None = None,
        list_merges: Mapping[Path, ListMerge] | None = None,
        ignored: frozenset[Path] = frozenset(),
        emptied: frozenset[Path] = frozenset(),
    ) -> None:
        self._present = [document for document in documents if document is not None]
        self.place = place
        self.policy = policy
        self.schemas = schemas or SchemaSet()
        self.list_merges = list_merges or {}
        self.ignored = ignored
        self.emptied = emptied
        self.decisions: list[Decision] = []
        self.near_comments = near_changes(documents)
        self.thorough = bool(self.near_comments) or any(d.tree.aliases for d in self._present)
        self.repeats_keys = any(d.tree.repeated for d in self._present)
        self._restricted = bool(policy.protected or policy.scope)

    def merge(self, sides: SlotSides, path: Path, schema: Schema, home: Home | None = None) -> bool:
        """Merge one value; `home` is where it belongs if local has none (None: the root).

        Returns False if the local value is deleted. Raises DocumentError (`duplicate-key`) if both
        sides changed a map that repeats a key.
        """
        _, upstream, local = sides
        if path in self.ignored:
            return True
        stays = True
        if self._is_shared_alias(sides):
            pass
        elif is_map(upstream) and is_map(local) and not self._repeats_key(sides, path):
            fields.merge_fields(self, sides, path, schema)
        elif is_list(upstream) and is_list(local) and self._merge_list(sides, path, schema):
            pass
        elif path in self.emptied and self._is_deletion_of_edited(sides):
            if is_map(local):
                fields.merge_fields(self, sides, path, schema)
            else:
                self._merge_list(sides, path, schema)
        else:
            stays = self.unit(sides, path, schema, home)
        if stays and self.near_comments:
            merge_comments(self, sides, path)
        return stays

    def unit(self, sides: SlotSides, path: Path, schema: Schema, home: Home | None) -> bool:
        """Decide one value as a whole. Returns False if the local value is deleted."""
        values = sides.map(data_of)
        if _is_written_out(sides):
            outcome = decide(*values)
        else:
            outcome = decide(*sides, same=same_value)
        if outcome is None:
            return True
        combined = None
        if outcome.rule is Rule.EDIT_EDIT and not self.policy.kpt_compat:
            combined = strings.combine(values, self._wins_in_strings(path))
            if combined is not None:
                kind = Kind.COLLISION if combined.collisions else Kind.APPLIED
                outcome = Outcome(kind, combined.rule, "upstream")
        has_parts = isinstance(values.upstream, dict | list) or isinstance(
            values.local, dict | list
        )
        barrier = self.gate(path, is_leaf=not has_parts)
        if barrier.reach is Reach.PARTLY and outcome.kind in (Kind.APPLIED, Kind.COLLISION):
            done = partial.take_open_part(self, sides, path, schema, home, outcome)
            if done is not None:
                return done
        verdict = judge(outcome, self.policy, self.place, path, at=barrier)
        if combined is not None and _is_combined(verdict, combined):
            verdict = Verdict(verdict.kind, combined.rule, FreeValue(combined.text))
        content = content_of(verdict, sides.upstream)
        result = verdict.result(values.upstream, values.local)
        stands = verdict.winner == "local" or (
            isinstance(verdict.winner, FreeValue) and result == values.local
        )
        note = combined.note if combined else ""
        if not stands and isinstance(sides.local, Slot) and (content is None or has_parts):
            note = note or taken_along(self, sides.original, sides.local)
        self.add(
            verdict,
            path,
            values,
            result,
            () if stands else self.edits(content, sides.local, home),
            note=note,
        )
        return result is not MISSING or values.local is MISSING

    def _wins_in_strings(self, path: Path) -> OnConflict:
        """Who wins what collides within a string; a person's choice is about no more than that."""
        choice = choice_for(self.policy, self.place, path, Subject.VALUE)
        return OnConflict(choice) if isinstance(choice, str) else self.policy.on_conflict

    def add(
        self,
        verdict: Verdict,
        path: Path,
        values: Sides[MaybeValue],
        result: MaybeValue,
        edits: tuple[Edit, ...] = (),
        *,
        subject: Subject = Subject.VALUE,
        note: str = "",
    ) -> None:
        """Record a decision."""
        self.decisions.append(
            Decision(
                verdict.kind,
                verdict.rule,
                subject,
                self.place.file,
                self.place.resource,
                path,
                values.original,
                values.upstream,
                values.local,
                result,
                edits,
                note=note,
            )
        )

    def gate(self, path: Path, *, is_leaf: bool) -> Gate:
        """May upstream's changes be taken here?"""
        return gate(self.policy, self.place, path, is_leaf=is_leaf) if self._restricted else OPEN

    def edits(
        self, content: Content | None, local: Slot | Missing, home: Home | None
    ) -> tuple[Edit, ...]:
        """The edit that puts the content (None: nothing) where local's value is or belongs."""
        if isinstance(local, Missing):
            if content is None:
                return ()
            return (InsertEntry(*home, content) if home is not None else SetRoot(content),)
        if local.collection is None:
            return (SetRoot(FromData(NULL) if content is None else content),)
        if content is None:
            return (DeleteEntry(local.collection, local.position),)
        return (SetValue(local.collection, local.position, content),)

    def _merge_list(self, sides: SlotSides, path: Path, schema: Schema) -> bool:
        """Merge a list by its items, if it is one whose items can be told apart."""
        own_way = self.list_merges.get(path)
        if own_way is not None:
            own_way(self, sides, path)
            return True
        matching = lists.match(self, sides, schema)
        if matching is None:
            return False
        lists.merge_items(self, sides, path, schema, matching)
        return True

    def _is_deletion_of_edited(self, sides: SlotSides) -> bool:
        """Did upstream delete or clear a map or list that local changed?"""
        original, upstream, local = sides
        outcome = decide(*sides, same=same_value)
        return (
            outcome is not None
            and outcome.kind is Kind.COLLISION
            and data_of(upstream) in (MISSING, NULL)
            and ((is_map(original) and is_map(local)) or (is_list(original) and is_list(local)))
        )

    def _is_shared_alias(self, sides: SlotSides) -> bool:
        local = sides.local
        return (
            isinstance(local, Slot)
            and self.thorough
            and all(
                isinstance(slot, Slot) and isinstance(slot.node, Alias) and same_value(slot, local)
                for slot in sides
            )
        )

    def _repeats_key(self, sides: SlotSides, path: Path) -> bool:
        """Does a side repeat a key here? That is an error if the map has to be merged."""
        if not self.repeats_keys or not any(is_map(s) and fields.repeats_key(s) for s in sides):
            return False
        outcome = decide(*sides, same=same_value)
        if outcome is not None and outcome.kind is Kind.COLLISION:
            raise self._repeated_key_error(path)
        return True

    def _repeated_key_error(self, path: Path) -> DocumentError:
        repeats = [(d, d.duplicate_keys[0]) for d in self._present if d.duplicate_keys]
        document, (key, line) = repeats[-1]
        return DocumentError(
            "duplicate-key",
            f"the key {key!r} stands twice in one map, which both sides changed",
            where=Location(
                self.place.file or document.name, line, self.place.resource, format_path(path)
            ),
            hint="remove one of the two entries",
        )


def _is_combined(verdict: Verdict, combined: strings.Combined) -> bool:
    """Does the merged string stand, also after a person chose a side for what collides in it?"""
    if verdict.rule is Rule.CHOICE:
        return combined.collisions > 0 and not isinstance(verdict.winner, FreeValue)
    return verdict.rule is combined.rule


def _is_written_out(sides: SlotSides) -> bool:
    """Does local have the original's value, but no alias? Then all aliases count by value."""
    original, _, local = sides
    return (
        isinstance(local, Slot)
        and not isinstance(local.node, Alias)
        and data_of(original) == local.node.data
    )


def content_of(verdict: Verdict, upstream: Slot | Missing) -> Content | None:
    """The new content that a verdict against the local value asks for; None deletes."""
    if isinstance(verdict.winner, FreeValue):
        value = verdict.winner.value
        return None if isinstance(value, Missing) else FromData(value)
    return None if isinstance(upstream, Missing) else upstream.content()
