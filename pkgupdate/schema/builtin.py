"""Kubernetes' own types, from the generated table beside this module.

The table unites Kubernetes 1.25 to 1.37; tools/generate_schema_table.py describes its notation. It
is read at the first question about a resource, and each type in it at the first visit.
"""

from __future__ import annotations

import json
import re
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from pkgupdate.schema.model import Children, ListRule, Schema
from pkgupdate.schema.versions import split_api_version, version_priority

_WORD = re.compile(r"([^\[\]{}:;]+)((?:\[\]|\{\})*)(?::([^;]+))?(?:;(.*))?")
_RESOURCE = re.compile(r"apiVersion .*\bmetadata:ObjectMeta\b")
_FORMER_GROUPS = {"extensions": ("apps", "networking.k8s.io", "policy")}
"""Where the kinds of a group went that was dissolved before the oldest version of the table."""


class BuiltinTypes:
    """The table: API versions with their kinds, and structs with their fields."""

    def __init__(self, kinds: dict[str, str], types: dict[str, str]) -> None:
        """Both arguments are in the notation of the table."""
        self._kinds = kinds
        self._types = types
        self._structs: dict[str, Children] = {}

    def find(self, api_version: str, kind: str) -> Schema | None:
        """The kind in exactly this version."""
        type_id = self._types_of(api_version).get(kind)
        return self.type(type_id) if type_id else None

    def find_newest(self, group: str, kind: str) -> Schema | None:
        """The kind in the newest version of the group that has it."""
        for name in (group, *_FORMER_GROUPS.get(group, ())):
            for api_version in self._versions.get(name, ()):
                if found := self.find(api_version, kind):
                    return found
        return None

    def type(self, type_id: str) -> Schema:
        """The struct of this name, as a value that no field describes further."""
        return self._value("", type_id, {})

    def _types_of(self, api_version: str) -> dict[str, str]:
        words = self._kinds.get(api_version, "").split()
        pairs = (word.partition("=") for word in words)
        return {kind: type_id or kind for kind, _, type_id in pairs}

    @cached_property
    def _versions(self) -> dict[str, list[str]]:
        """The API versions of each group, newest first."""
        groups: dict[str, list[str]] = {}
        for api_version in self._kinds:
            groups.setdefault(split_api_version(api_version)[0], []).append(api_version)
        for versions in groups.values():
            versions.sort(key=lambda v: version_priority(split_api_version(v)[1]), reverse=True)
        return groups

    def _struct(self, type_id: str) -> Children:
        found = self._structs.get(type_id)
        if found is None:
            fields = (self._field(word) for word in self._types[type_id].split())
            found = self._structs[type_id] = Children(dict(fields))
        return found

    def _field(self, word: str) -> tuple[str, Schema]:
        match = _WORD.fullmatch(word)
        assert match is not None, word
        name, shape, type_id, marks = match.groups(default="")
        pairs = (mark.partition("=") for mark in marks.split(";"))
        return name, self._value(shape, type_id, {mark: value for mark, _, value in pairs})

    def _value(self, shape: str, type_id: str, marks: dict[str, str]) -> Schema:
        """The place of a value: `shape` and `type_id` say what it is, `marks` how it merges."""
        type_name = type_id.partition("@")[0]
        strategies = tuple(marks["patch"].split(",")) if "patch" in marks else ()
        if shape.startswith("[]"):
            return Schema(
                lambda: Children(item=self._value(shape[2:], type_id, {})),
                shape="list",
                type_name=type_name,
                list_rule=_list_rule(marks),
                atomic="atomic" in marks,
                patch_strategies=strategies,
                patch_merge_key=marks.get("key", ""),
            )
        if shape.startswith("{}"):
            return Schema(
                lambda: Children(values=self._value(shape[2:], type_id, {})),
                shape="map",
                type_name=type_name,
                patch_strategies=strategies,
            )
        if not type_id:
            return _SCALAR
        return Schema(
            lambda: self._struct(type_id),
            shape="struct" if self._types[type_id] else "any",
            type_name=type_name,
            patch_strategies=strategies,
            is_resource=_RESOURCE.match(self._types[type_id]) is not None,
        )


_SCALAR: Final = Schema(shape="scalar")


def _list_rule(marks: dict[str, str]) -> ListRule | None:
    """Map keys before the single merge key; a merged list without any key is a set."""
    if "keys" in marks:
        pairs = [key.partition("~") for key in marks["keys"].split(",")]
        keys = tuple(key for key, _, _ in pairs)
        return ListRule("map", keys, {key: default for key, _, default in pairs if default})
    if "key" in marks:
        return ListRule("map", (marks["key"],))
    if "set" in marks or "merge" in marks.get("patch", ""):
        return ListRule("set")
    return None


@cache
def builtin_types() -> BuiltinTypes:
    """The table, read from disk at the first call."""
    table = json.loads(Path(__file__).with_name("kubernetes.json").read_bytes())
    return BuiltinTypes(table["kinds"], table["types"])
