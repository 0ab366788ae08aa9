"""All that is known about resources in one merge."""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.schema.builtin import builtin_types
from pkgupdate.schema.crd import crd_schemas, generic_resource
from pkgupdate.schema.entries import SchemaEntry, with_entries
from pkgupdate.schema.model import UNKNOWN, Children, Schema
from pkgupdate.schema.versions import split_api_version, version_priority


class SchemaSet:
    """Policy entries over CRDs of the package over Kubernetes' own types."""

    def __init__(self, entries: Iterable[SchemaEntry] = (), crds: Iterable[object] = ()) -> None:
        """Take what the package and its policy say.

        entries: the policy's list rules; of two for one list, the first wins.
        crds: plain data of CustomResourceDefinitions (other resources are passed over); of two
            that define the same version of a kind, the first wins.
        """
        self._entries = tuple(entries)
        self._custom: dict[tuple[str, str, str], Schema] = {}
        for crd in crds:
            self._custom = crd_schemas(crd) | self._custom
        self._found: dict[tuple[str, str], Schema] = {}

    def for_resource(self, api_version: str, kind: str) -> Schema:
        """The schema of a resource.

        A version that is not known gives the newest known version of the same group and kind. A
        list of resources (`List`, `DeploymentList`) has the schema of its items. Any other kind is
        not known but for its `metadata`; without a kind, nothing is known.
        """
        key = (api_version, kind)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._make(api_version, kind)
        return found

    def resolve(self, schema: Schema, api_version: str, kind: str) -> Schema:
        """The schema of a value found at `schema`, given the apiVersion and kind it states.

        Use it for items of lists and embedded resources: where `schema.is_resource` holds and the
        value states a kind, that kind decides; otherwise `schema` itself stands.
        """
        if schema.is_resource and api_version and kind:
            return self.for_resource(api_version, kind)
        return schema

    def is_builtin(self, api_version: str, kind: str) -> bool:
        """Is this one of Kubernetes' own types, in exactly this version?

        Only for these does the API server accept strategic merge patches.
        """
        return builtin_types().find(api_version, kind) is not None

    def _make(self, api_version: str, kind: str) -> Schema:
        if not kind:
            return UNKNOWN
        group, _ = split_api_version(api_version)
        entries = (entry for entry in self._entries if entry.is_about(group, kind))
        return with_entries(self._base(api_version, kind), entries)

    def _base(self, api_version: str, kind: str) -> Schema:
        group, version = split_api_version(api_version)
        return (
            self._custom.get((group, version, kind))
            or builtin_types().find(api_version, kind)
            or self._newest_custom(group, kind)
            or builtin_types().find_newest(group, kind)
            or (self._list_of(api_version, kind) if kind.endswith("List") else None)
            or generic_resource(kind)
        )

    def _newest_custom(self, group: str, kind: str) -> Schema | None:
        versions = [v for g, v, k in self._custom if (g, k) == (group, kind)]
        if not versions:
            return None
        return self._custom[group, max(versions, key=version_priority), kind]

    def _list_of(self, api_version: str, kind: str) -> Schema:
        """A list of resources; in a plain `List` each item says itself what it is."""

        def expand() -> Children:
            item = self.for_resource(api_version, kind.removesuffix("List"))
            items = Schema(
                lambda: Children(item=item if item.is_resource else generic_resource()),
                shape="list",
            )
            return Children({"items": items})

        return Schema(expand, shape="struct", type_name=kind, is_known=False, is_resource=True)
