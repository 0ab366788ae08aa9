"""The strategy resource-merge, on which others build."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pkgupdate.merge.policy import Policy
    from pkgupdate.merge.sides import Sides
    from pkgupdate.package.changes import PackageMerge
    from pkgupdate.package.tree import Tree
    from pkgupdate.schema.entries import SchemaEntry


class MergeSettings(NamedTuple):
    """What a strategy needs to know besides the trees."""

    policy: Policy
    schema_entries: tuple[SchemaEntry, ...] = ()
    merge_comments: bool = True


def resource_merge(sides: Sides[Tree], settings: MergeSettings) -> PackageMerge:
    """Merge resource by resource."""
    from pkgupdate.package.merge import merge_trees

    return merge_trees(
        sides,
        policy=settings.policy,
        schema_entries=settings.schema_entries,
        merge_comments=settings.merge_comments,
    )
