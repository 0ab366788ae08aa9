"""Resources of YAML and JSON texts as plain data, the way Kubernetes reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Generic, TypeVar

from pkgupdate.document.stream import Stream
from pkgupdate.document.values import Typed, Value, from_plain, to_plain
from pkgupdate.package.identity import Identity, identity_of
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.patch.values import Map

Item = TypeVar("Item")

MERGE_KEY: Final = Typed("merge", "<<")
_LOCAL_CONFIG = "config.kubernetes.io/local-config"
_TRUE = frozenset(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"))


def kubernetes_data(value: Value) -> Any:
    """The value as plain data, as Kubernetes reads it.

    Keys are strings; `yes`, `on`, `no`, `off` are booleans; merge keys (`<<`) are carried out.
    """
    if isinstance(value, Typed) and value.tag == "bool11":
        return value.value in _TRUE
    if isinstance(value, dict):
        own = {
            plain_key(key): kubernetes_data(item) for key, item in value.items() if key != MERGE_KEY
        }
        return {**inherited_data(value), **own} if MERGE_KEY in value else own
    if isinstance(value, list):
        return [kubernetes_data(item) for item in value]
    return to_plain(value)


def resource_data(value: Value, path: str) -> Any:
    """The value as plain data, as the reader of the file takes it.

    In a Kptfile `yes` and `no` are strings: kpt reads YAML 1.2 there, and wants strings.
    """
    return to_plain(value) if route_of(path) is Route.KPTFILE else kubernetes_data(value)


def inherited_data(value: dict[Value, Value]) -> Map:
    """What a map takes over from others by its merge key; of several the first wins."""
    given = value.get(MERGE_KEY)
    sources = given if isinstance(given, list) else [given]
    inherited: Map = {}
    for source in reversed(sources):
        if isinstance(source, dict):
            inherited |= kubernetes_data(source)
    return inherited


def plain_key(key: Value) -> str:
    """The key as a string."""
    return key if isinstance(key, str) else next(iter(to_plain({key: ""})))


def resources_of(text: str, *, name: str = "") -> Iterator[Map]:
    """The resources of a file, in order; those of a `List` one by one.

    Documents without apiVersion and kind are passed over. Raises DocumentError (`yaml-syntax`).
    """
    for part in Stream(text, name=name).parts:
        if not part.is_empty:
            yield from expanded(kubernetes_data(part.document.data))


def expanded(data: Any) -> Iterator[Map]:
    """The resource itself, or the items of a list of resources; nothing if it is neither."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        return
    items = data.get("items")
    if data["kind"].endswith("List") and isinstance(items, list):
        for item in items:
            yield from expanded(_with_type(item, data))
    elif isinstance(data.get("apiVersion"), str):
        yield data


def resource_identity(resource: Map) -> Identity | None:
    """The identity of a resource given as plain data."""
    fields = {key: resource.get(key) for key in ("apiVersion", "kind")}
    metadata = resource.get("metadata")
    named = metadata if isinstance(metadata, dict) else {}
    names = {key: named[key] for key in ("name", "generateName", "namespace") if key in named}
    return identity_of(from_plain({**fields, "metadata": names}))


def is_local_config(resource: Map) -> bool:
    """Is the resource only for tools, and never applied to a cluster?"""
    metadata = resource.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    value = annotations.get(_LOCAL_CONFIG) if isinstance(annotations, dict) else None
    return value is not None and value != "false"


def _with_type(item: Any, of: Map) -> Any:
    """Items of a typed list (`DeploymentList`) need not state their type."""
    if not isinstance(item, dict) or "kind" in item or of["kind"] == "List":
        return item
    return {"apiVersion": of.get("apiVersion"), "kind": of["kind"].removesuffix("List"), **item}


class ByIdentity(Generic[Item]):
    """Things by the identity of the resource that they belong to."""

    def __init__(self, items: Iterable[tuple[Identity | None, Item]]) -> None:
        """Of two with the same identity the last one is found; those without any never are."""
        self._all: dict[Identity, dict[str, Item]] = {}
        for identity, item in items:
            if identity is not None:
                anywhere = identity.renamed("", identity.name)
                self._all.setdefault(anywhere, {})[identity.namespace] = item

    def find(self, wanted: Identity) -> Item | None:
        """The one of this group, kind, namespace and name.

        Without a namespace: the one that has none either, else the only one of that kind and name,
        else that in the namespace `default`.
        """
        found = self._all.get(wanted.renamed("", wanted.name), {})
        if wanted.namespace or "" in found:
            return found.get(wanted.namespace)
        return next(iter(found.values())) if len(found) == 1 else found.get("default")
