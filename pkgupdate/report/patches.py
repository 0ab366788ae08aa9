"""Patches of a package as a stream of YAML documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pkgupdate.document.values import from_plain, to_plain
from pkgupdate.merge.decisions import Decision, Kind, Rule
from pkgupdate.patch.directives import PATCH
from pkgupdate.report.redact import HIDDEN, redact_decision
from pkgupdate.upstream.text import printable

if TYPE_CHECKING:
    from pkgupdate.inspect.patches import ResourcePatch

_WORDS = {
    "strategic": "strategic merge patch",
    "merge": "JSON merge patch",
    "json": "JSON patch",
    "add": "new resource",
    "delete": "deleted resource",
}


def render_patches(patches: Iterable[ResourcePatch]) -> str:
    """One document for each patch, below a comment that says what it is for."""
    import yaml

    return "".join(
        f"---\n# {printable(patch.file)} {printable(patch.resource)}: {_WORDS[patch.type]}\n"
        + yaml.safe_dump(_shown(patch), sort_keys=False, allow_unicode=False, width=1000)
        for patch in patches
    )


def _shown(patch: ResourcePatch) -> Any:
    """The patch with nothing secret in it."""
    document = patch.document
    if patch.type == "json":
        operations = [
            {**o, "value": HIDDEN} if patch.secret and "value" in o else o
            for o in document["patch"]
        ]
        document = {**document, "patch": operations}
    place = Decision(
        Kind.APPLIED,
        Rule.UPSTREAM_ONLY,
        resource="" if patch.type == "json" else patch.resource,
        upstream=from_plain(document),
    )
    shown = to_plain(redact_decision(place).upstream)
    return {**shown, PATCH: document[PATCH]} if PATCH in document else shown
