"""What would have to change in a live object to become the desired one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pkgupdate.patch import json_merge, strategic
from pkgupdate.patch.changes import Change, changes
from pkgupdate.patch.cleaning import clean
from pkgupdate.patch.last_applied import Annotator
from pkgupdate.patch.options import Operands, Option
from pkgupdate.patch.preconditions import Precondition, check_preconditions
from pkgupdate.patch.secrets import hidden
from pkgupdate.patch.values import Map
from pkgupdate.schema import Schema, SchemaSet


@dataclass(frozen=True, slots=True, repr=False)
class PatchResult:
    """The outcome of a comparison. Its `repr` hides what a Secret holds; the fields do not.

    patch: what to do to the live object; a strategic merge patch if `is_strategic`, else a JSON
        merge patch.
    current, modified: the live and the desired object as they were compared: options applied,
        nulls and empty strings gone.
    original: what was last applied, None if the live object does not say.
    result: the live object with the patch applied.
    """

    patch: Map
    current: Map
    modified: Map
    original: Map | None
    result: Map
    is_strategic: bool
    schema: Schema

    @property
    def is_empty(self) -> bool:
        """Is there nothing to change?"""
        return not self.patch

    def changes(self) -> Iterator[Change]:
        """Where the patch changes the live object."""
        return changes(self.current, self.result, self.schema)

    def __repr__(self) -> str:
        kind = str(self.modified.get("kind", ""))
        return f"PatchResult({kind}, patch={json.dumps(hidden(kind, self.patch))})"


class PatchMaker:
    """Compares live objects with desired ones.

    schemas: what is known about kinds. Kubernetes' own are compared by strategic merge patches, all
        others by JSON merge patches, as the API server takes them.
    annotator: where the live object keeps what was last applied.
    preconditions: what every patch has to meet.
    """

    def __init__(
        self,
        schemas: SchemaSet | None = None,
        annotator: Annotator | None = None,
        preconditions: Iterable[Precondition] = (),
    ) -> None:
        self._schemas = schemas or SchemaSet()
        self._annotator = annotator or Annotator()
        self._preconditions = tuple(preconditions)

    def calculate(self, current: Map, modified: Map, *options: Option) -> PatchResult:
        """The patch that makes the live object `current` say what `modified` states.

        Fields that only the live object has stay, except those that were last applied and are
        stated no more; without a last-applied annotation no deletion can be known.

        Raises PatchError: `annotation-unreadable`, `patch-precondition`, and the codes of
        `strategic.create_three_way`.
        """
        original = self._annotator.original(current)
        api_version, kind = str(modified.get("apiVersion", "")), str(modified.get("kind", ""))
        operands = Operands(
            current, modified, original or {}, self._schemas.for_resource(api_version, kind)
        )
        operands = operands.each(self._annotator.plain)
        for option in options:
            operands = option(operands)
        operands = _cleaned(operands)
        is_strategic = self._schemas.is_builtin(api_version, kind)
        patch, result = _strategic(operands) if is_strategic else _json_merge(operands)
        check_preconditions(patch, self._preconditions)
        return PatchResult(
            patch=patch,
            current=operands.current,
            modified=operands.modified,
            original=original,
            result=result,
            is_strategic=is_strategic,
            schema=operands.schema,
        )


def _cleaned(operands: Operands) -> Operands:
    current, modified, original = operands.current, operands.modified, operands.original
    return replace(
        operands,
        current=clean(current, modified, operands.schema),
        modified=clean(modified, current, operands.schema),
        original=clean(original, modified, operands.schema),
    )


def _strategic(operands: Operands) -> tuple[Map, Map]:
    """The patch and its result.

    The first patch states the order of lists even where it changes nothing; so it is applied, and
    what counts is the difference that this makes.
    """
    current, schema = operands.current, operands.schema
    patch = strategic.create_three_way(operands.original, operands.modified, current, schema)
    if not patch:
        return {}, current
    result = strategic.apply(current, patch, schema)
    return strategic.create_two_way(current, result, schema), result


def _json_merge(operands: Operands) -> tuple[Map, Map]:
    current = operands.current
    patch = json_merge.create_three_way(operands.original, operands.modified, current)
    result = json_merge.apply(current, patch)
    return json_merge.create(current, result), result
