"""What a report never shows: the values of Secrets, and credentials in addresses.

Hidden values keep their place in the report, so that a reader still sees that something changed.
Where a decision does not tell the kind (an item of a `List`), its `data` is hidden as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from operator import is_

from pkgupdate.document.values import MaybeValue, Missing, Value
from pkgupdate.merge.decisions import Decision
from pkgupdate.paths import Path
from pkgupdate.upstream.text import redact

HIDDEN = "(hidden)"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_HELD = ("data", "stringData")
OPEN_FIELDS = ("apiVersion", "kind", "type", "immutable", "metadata")
_SECRET_LINE = re.compile(r"""^[\s{-]*["']?kind["']?\s*:\s*["']?Secret(?:List)?\b""", re.MULTILINE)
_USERINFO = re.compile(r"(?<=://)[^/@\s'\"]+@(?!sha\d+:)")


def hide_credentials(value: str) -> str:
    """A string value without the credentials of its URLs.

    Narrower than `redact`, which is for messages: `nginx:1.27@sha256:…` is no password.
    """
    return _USERINFO.sub("***@", value)


def holds_secret(text: str) -> bool:
    """Does a YAML text look as if it held a Secret? Works on text that cannot be parsed."""
    return bool(_SECRET_LINE.search(text))


def redact_decision(decision: Decision) -> Decision:
    """The decision with nothing secret in its values and note."""
    hide = _hider(decision.resource, decision.path)
    values = (decision.original, decision.upstream, decision.local, decision.result)
    shown = original, upstream, local, result = tuple(map(hide, values))
    note = redact(decision.note)
    if note is decision.note and all(map(is_, shown, values)):
        return decision  # by far the most common
    return replace(
        decision, original=original, upstream=upstream, local=local, result=result, note=note
    )


def _hider(resource: str, path: Path) -> Callable[[MaybeValue], MaybeValue]:
    kinds = resource.split("/")[:2]
    in_item = path[:1] == ("items",) and len(path) > 1
    if "SecretList" in kinds and not in_item:
        return _as_list_of_secrets
    if "SecretList" in kinds or ("List" in kinds and in_item and path[2:3] and path[2] in _HELD):
        kinds, path = ["Secret"], path[2:]
    if "Secret" not in kinds:
        return _below
    if not path:
        return _as_secret
    if path[0] not in OPEN_FIELDS or LAST_APPLIED in path:
        return _hidden
    return _open_part


def _below(value: MaybeValue) -> MaybeValue:
    """A value of no Secret: hide the Secrets inside it and credentials in its strings."""
    if isinstance(value, str):
        return HIDDEN if holds_secret(value) else hide_credentials(value)
    if isinstance(value, dict):
        if value.get("kind") == "Secret":
            return _as_secret(value)
        if value.get("kind") == "SecretList":
            return _as_list_of_secrets(value)
        return {k: _value(_below(v)) for k, v in value.items()}
    if isinstance(value, list):
        return [_value(_below(v)) for v in value]
    return value


def _as_secret(value: MaybeValue) -> MaybeValue:
    if not isinstance(value, dict):
        return _below(value)
    return {k: _value((_open_part if k in OPEN_FIELDS else _hidden)(v)) for k, v in value.items()}


def _as_list_of_secrets(value: MaybeValue) -> MaybeValue:
    if isinstance(value, dict):
        return {k: _value(_as_list_of_secrets(v) if k == "items" else v) for k, v in value.items()}
    return [_value(_as_secret(v)) for v in value] if isinstance(value, list) else _below(value)


def _open_part(value: MaybeValue) -> MaybeValue:
    """A part of a Secret that may be shown, but for the copy of it that kubectl keeps."""
    if isinstance(value, dict):
        return {
            k: _value(_hidden(v) if k == LAST_APPLIED else _open_part(v)) for k, v in value.items()
        }
    return _below(value)


def _hidden(value: MaybeValue) -> MaybeValue:
    """The value with its keys shown and everything else hidden."""
    if isinstance(value, Missing):
        return value
    return {k: _value(_hidden(v)) for k, v in value.items()} if isinstance(value, dict) else HIDDEN


def _value(value: MaybeValue) -> Value:
    assert not isinstance(value, Missing)
    return value
