"""Cases for the comparison with kubectl, always the same for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from pkgupdate.patch import json_merge, json_patch, strategic
from pkgupdate.patch.errors import PatchError
from pkgupdate.schema import SchemaSet

from . import shapes
from .kubectl import Case

SCHEMAS = SchemaSet()


def random_cases(seed: int, count: int) -> Iterator[Case]:
    """Written patches of all types, and created ones put on another object than their original."""
    rng = random.Random(seed)
    kinds = list(shapes.KINDS)
    for i in range(count):
        api_version, kind = kinds[i % len(kinds)]
        shape = shapes.root_shape(shapes.KINDS[api_version, kind])
        resource = shapes.resource(rng, api_version, kind)
        roll = rng.random()
        if roll < 0.55:
            yield Case("strategic", resource, shapes.patch(rng, resource, shape) or {})
        elif roll < 0.8:
            modified, live = (
                shapes.complete(shapes.changed(rng, resource, shape), api_version, kind)
                for _ in range(2)
            )
            schema = SCHEMAS.for_resource(api_version, kind)
            yield Case("strategic", live, strategic.create_two_way(resource, modified, schema))
        elif roll < 0.9:
            yield Case("merge", resource, shapes.merge_patch(rng, resource, shape) or {})
        else:
            modified = shapes.complete(shapes.changed(rng, resource, shape), api_version, kind)
            yield Case("json", resource, json_patch.create(resource, modified))


def outcome(case: Case) -> Any:
    """What this program makes of the case: the patched object, or the code of the error."""
    resource = case.resource
    try:
        if case.kind == "merge":
            return json_merge.apply(resource, case.patch)
        if case.kind == "json":
            return json_patch.apply(resource, case.patch)
        schema = SCHEMAS.for_resource(resource["apiVersion"], resource["kind"])
        return strategic.apply(resource, case.patch, schema)
    except PatchError as error:
        return error.code
