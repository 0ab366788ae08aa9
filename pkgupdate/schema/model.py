"""What can be known about a field of a resource, and the cursor that walks down to it.

A `Schema` is the place in a resource's type that belongs to a place in a document. It knows how a
list merges and what a strategic merge patch does there; `field` and `items` lead further down. All
sources (Kubernetes' own types, CRDs, policies) give the same class, and where nothing is known the
walk goes on with `UNKNOWN`, so that callers need no case for it.

Atomic lists: Kubernetes marks most of its own lists without a key as atomic (arguments, RBAC rules,
tolerations). The mark says that one manager of server-side apply owns the whole list; it does not
say that two people's additions cannot be combined. A mark of the built-in types is therefore only
reported as `atomic`, with no `list_rule`, and such a list merges item by item. An explicit mark in
a CRD or a policy was set by the owners of the type for this purpose: there `list_rule.kind` is
`"atomic"` and the list is one value. See docs/decisions/0003-atomic-lists.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

Shape: TypeAlias = Literal["struct", "map", "list", "scalar", "any"]


@dataclass(frozen=True, slots=True)
class ListRule:
    """How the items of a list find their partners.

    kind: `map` matches items by `keys`; `set` holds scalars, each once; `atomic` is one value.
    keys: for `map`, the list-map-keys, else the one patch merge key.
    defaults: the value, as text, of a key that an item may leave out.
    """

    kind: Literal["map", "set", "atomic"]
    keys: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict, hash=False)


class Children(NamedTuple):
    """What lies below a place: named fields, any other key, the items of a list."""

    fields: Mapping[str, Schema] = {}
    values: Schema | None = None
    item: Schema | None = None


class Schema:
    """A place in a type. Immutable; children are made when first asked for, then kept.

    list_rule: None if this is no list, or if nothing says how its items match.
    atomic: the type calls the list atomic, in whatever sense (see the module's text).
    patch_strategies, patch_merge_key: `patchStrategy` and `patchMergeKey` of the field.
    shape: what kind of value belongs here; `any` if everything may.
    type_name: the struct's name as in Kubernetes' messages, of a list or map that of its elements.
    is_known: False where nothing is known; a custom resource without CRD is not known either,
        though its `metadata` is.
    is_resource: the value is a resource of its own, described by its own apiVersion and kind if it
        has them (see `SchemaSet.resolve`).
    """

    __slots__ = (
        "_children",
        "_expand",
        "atomic",
        "is_known",
        "is_resource",
        "list_rule",
        "patch_merge_key",
        "patch_strategies",
        "shape",
        "type_name",
    )

    def __init__(
        self,
        expand: Callable[[], Children] | None = None,
        *,
        shape: Shape = "any",
        type_name: str = "",
        list_rule: ListRule | None = None,
        atomic: bool = False,
        patch_strategies: tuple[str, ...] = (),
        patch_merge_key: str = "",
        is_known: bool = True,
        is_resource: bool = False,
    ) -> None:
        """`expand` gives the children; it is called at most once. Without it there are none."""
        self._expand = expand
        self._children: Children | None = None if expand else _NO_CHILDREN
        self.shape: Shape = shape
        self.type_name = type_name
        self.list_rule = list_rule
        self.atomic = atomic
        self.patch_strategies = patch_strategies
        self.patch_merge_key = patch_merge_key
        self.is_known = is_known
        self.is_resource = is_resource

    def __repr__(self) -> str:
        name = f" {self.type_name}" if self.type_name else ""
        return f"<Schema {self.shape if self.is_known else 'unknown'}{name}>"

    def field(self, key: str) -> Schema:
        """The place of a map's or struct's value at `key`, else `UNKNOWN`."""
        fields, values, _ = self._children or self._open()
        return fields.get(key) or values or UNKNOWN

    def items(self) -> Schema:
        """The place of every item of the list, else `UNKNOWN`."""
        return (self._children or self._open()).item or UNKNOWN

    def has_field(self, key: str) -> bool:
        """Does the type allow `key` here? (A map allows every key, a struct its own.)"""
        fields, values, _ = self._children or self._open()
        return key in fields or values is not None

    def _open(self) -> Children:
        assert self._expand is not None
        self._children = self._expand()
        return self._children


_NO_CHILDREN: Final = Children()

UNKNOWN: Final = Schema(is_known=False)
"""The place about which nothing is known; so are all places below it."""
