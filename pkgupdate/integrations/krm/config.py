"""The function's configuration: `PackageUpdate`, `PackageMerge`, or a ConfigMap of plain texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from pkgupdate.document.values import Value, to_plain
from pkgupdate.errors import Location, PkgUpdateError, UsageError
from pkgupdate.merge.policy import Target
from pkgupdate.paths import parse_pattern
from pkgupdate.policy_file import API_VERSION, parse_target
from pkgupdate.settings import BY_KEY, checked, near_match

UPDATE: Final = "PackageUpdate"
MERGE: Final = "PackageMerge"
CONFIG_MAP: Final = "ConfigMap"
NAME: Final = "functionConfig"
"""What messages call the configuration."""
DEFAULT_SETS: Final = {"original": "original", "upstream": "upstream"}

_HEADER = ("apiVersion", "kind", "metadata")
_SEPARATOR = re.compile(r"[\n,](?![^\[]*\])")


class Mode(StrEnum):
    """What the function does with what it finds."""

    UPDATE = "update"
    PLAN = "plan"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the configuration. help: one sentence for the reference."""

    name: str
    kinds: tuple[str, ...]
    help: str


KEYS: Final = (
    Key("ref", (UPDATE,), "Where to update to; without it, the ref in the Kptfile."),
    Key("strategy", (UPDATE,), "How to update; without it, as the Kptfile says."),
    Key("original", (MERGE,), "The set of items as they were fetched; `original` by default."),
    Key("upstream", (MERGE,), "The set of items as upstream has them; `upstream` by default."),
    Key("onConflict", (UPDATE, MERGE), "Who wins a collision: rules, upstream, local, or fail."),
    Key("protect", (UPDATE, MERGE), "Places where local always wins, as `RESOURCE:PATH`."),
    Key("scope", (UPDATE, MERGE), "The only places that take upstream's changes."),
    Key(
        "mode",
        (UPDATE, MERGE),
        "`update` changes the items; `plan` only reports; `check` fails if an update is due or the "
        "package is half merged.",
    ),
)


@dataclass(frozen=True, slots=True)
class FunctionConfig:
    """What one run is to do.

    kind: `PackageUpdate` or `PackageMerge`. settings: those of `pkgupdate.settings` by name.
    sets: the names of the sets `original` and `upstream`.
    """

    kind: str = UPDATE
    mode: Mode = Mode.UPDATE
    ref: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    protected: tuple[Target, ...] = ()
    scope: tuple[Target, ...] = ()
    sets: Mapping[str, str] = field(default_factory=lambda: DEFAULT_SETS)


def read_config(config: Value | None) -> FunctionConfig:
    """Read the value of `functionConfig`; None, or an empty map, takes every default.

    Raises UsageError `config-kind`, `config-key`, `config-value`, and `path-syntax` for a broken
    place; PolicyError `bad-setting`. Near matches are named.
    """
    data = to_plain(config) if config is not None else {}
    if not data:
        return FunctionConfig()
    kind, fields = _fields(data)
    known = tuple(key.name for key in KEYS if kind in key.kinds)
    for name in fields:
        if name not in known:
            hint = near_match(str(name), known) or "known: " + ", ".join(known)
            raise _fault("config-key", f"{kind} has no key {name!r}", name, hint)
    given = {name: value for name, value in fields.items() if value is not None}
    settings = {
        BY_KEY[name].name: checked(BY_KEY[name], given[name], Location(NAME, path=name))
        for name in ("strategy", "onConflict")
        if name in given
    }
    if settings.get("on_conflict") == "ask":
        raise _fault("config-value", "a function cannot ask", "onConflict", "write fail instead")
    return FunctionConfig(
        kind,
        _mode(given.get("mode", "update")),
        _text(given, "ref", None),
        settings,
        _targets(given, "protect"),
        _targets(given, "scope"),
        {side: _text(given, side, name) or name for side, name in DEFAULT_SETS.items()},
    )


def _fields(data: Any) -> tuple[str, dict[str, Any]]:
    """The kind that decides which keys there are, and the keys that are given."""
    kind, api_version = data.get("kind"), data.get("apiVersion")
    if kind == CONFIG_MAP:
        fields = data.get("data") or {}
    elif kind in (UPDATE, MERGE):
        if api_version != API_VERSION:
            hint = f"write apiVersion: {API_VERSION}"
            raise _fault(
                "config-kind", f"there is no {kind} of {api_version!r}", "apiVersion", hint
            )
        fields = data.get("spec") or {}
        for name in data:
            if name not in (*_HEADER, "spec"):
                hint = near_match(name, (*_HEADER, "spec")) or "the keys belong below `spec`"
                raise _fault("config-key", f"{kind} has no field {name!r}", name, hint)
    else:
        kinds = (UPDATE, MERGE, CONFIG_MAP)
        hint = near_match(str(kind), kinds) or "known: " + ", ".join(kinds)
        raise _fault(
            "config-kind", f"the function takes no configuration of kind {kind!r}", "kind", hint
        )
    if not isinstance(fields, dict):
        raise _fault(
            "config-value",
            "a map of keys is expected here",
            "data" if kind == CONFIG_MAP else "spec",
        )
    return (UPDATE if kind == CONFIG_MAP else kind), fields


def _mode(value: object) -> Mode:
    if isinstance(value, str) and value in tuple(Mode):
        return Mode(value)
    hint = near_match(str(value), tuple(mode.value for mode in Mode)) or "known: " + ", ".join(Mode)
    raise _fault("config-value", f"there is no mode {value!r}", "mode", hint)


def _text(given: Mapping[str, Any], name: str, default: str | None) -> str | None:
    value = given.get(name, default)
    if value is None or (isinstance(value, str) and value):
        return value
    raise _fault("config-value", f"{name} has to be a text", name, "put it in quotes")


def _targets(given: Mapping[str, Any], name: str) -> tuple[Target, ...]:
    """Places, as a list of texts or of maps as in a policy file, or in one text."""
    value = given.get(name, [])
    found: Iterable[object] = _SEPARATOR.split(value) if isinstance(value, str) else value
    if not isinstance(found, list):
        raise _fault("config-value", f"{name} has to be a list", name)
    return tuple(_target(item, name) for item in found if item != "")


def _target(item: object, name: str) -> Target:
    try:
        if isinstance(item, str):
            return parse_target(item.strip())
        if isinstance(item, dict) and set(item) <= {"resource", "path"} and item.get("resource"):
            return Target(str(item["resource"]), parse_pattern(str(item.get("path") or "")))
    except PkgUpdateError as e:
        e.where = Location(NAME, path=name)
        raise
    raise _fault(
        "config-value",
        f"an entry of {name} names a resource and perhaps a path",
        name,
        "write RESOURCE:PATH, or the fields resource and path",
    )


def _fault(code: str, what: str, path: str, hint: str = "") -> UsageError:
    return UsageError(code, what, where=Location(NAME, path=path), hint=hint)
