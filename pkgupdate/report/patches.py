"""Patches of a package as a stream of YAML documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pkgupdate.document.values import from_plain, to_plain
from pkgupdate.merge.decisions import Decision, Kind, Rule
from pkgupdate.patch.directives import PATCH
from pkgupdate.patch.local import to_yaml
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


def render_patches(patches: Iterable[ResourcePatch], *, show_secrets: bool = False) -> str:
    """One document for each patch, below a comment that says what it is for.

    `pkgupdate patch apply` reads it, if nothing in it had to be hidden.
    """
    return "".join(
        f"---\n# {printable(patch.file)} {printable(patch.resource)}: {_WORDS[patch.type]}\n"
        + to_yaml([_document(patch, patch.patch if show_secrets else _redacted(patch))])
        for patch in patches
    )


def _document(patch: ResourcePatch, content: Any) -> Any:
    return content if patch.target is None else {"target": patch.target, "patch": content}


def _redacted(patch: ResourcePatch) -> Any:
    """The patch with nothing secret in it."""
    if patch.type == "json":
        return [_shown(_redacted_operation(o) if patch.secret else o, "") for o in patch.patch]
    shown = _shown(patch.patch, patch.resource)
    return {**shown, PATCH: patch.patch[PATCH]} if PATCH in patch.patch else shown


def _redacted_operation(operation: dict[str, Any]) -> dict[str, Any]:
    return {**operation, "value": HIDDEN} if "value" in operation else operation


def _shown(document: Any, resource: str) -> Any:
    place = Decision(
        Kind.APPLIED, Rule.UPSTREAM_ONLY, resource=resource, upstream=from_plain(document)
    )
    return to_plain(redact_decision(place).upstream)
