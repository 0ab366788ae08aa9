"""The update strategies: how three trees of one package become the new local one.

    resource-merge         every resource is merged
    fast-forward           everything becomes upstream's; refused if anything was changed locally
    force-delete-replace   everything becomes upstream's, whatever was changed locally
    copy-merge             upstream's files replace local ones, other local files stay

The root Kptfile is merged by the first and the last, and stays local with the other two, all as in
kpt. What carries a strategy out is loaded when it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from pkgupdate.errors import PackageError
from pkgupdate.update.resource_merge import MergeSettings, resource_merge

if TYPE_CHECKING:
    from pkgupdate.merge.sides import Sides
    from pkgupdate.package.changes import PackageMerge
    from pkgupdate.package.tree import Tree

DEFAULT_STRATEGY: Final = "resource-merge"


Strategy: TypeAlias = "Callable[[Sides[Tree], MergeSettings], PackageMerge]"


def strategy_named(name: str) -> Strategy:
    """The strategy of this name. Raises PackageError `strategy-unknown` with near matches."""
    if name in _STRATEGIES:
        return _STRATEGIES[name]
    import difflib

    near = difflib.get_close_matches(name, _STRATEGIES, 1)
    raise PackageError(
        "strategy-unknown",
        f"there is no update strategy {name!r}",
        hint=f"did you mean {near[0]}?" if near else f"there are: {', '.join(_STRATEGIES)}",
    )


def _fast_forward(sides: Sides[Tree], settings: MergeSettings) -> PackageMerge:
    from pkgupdate.update.whole_files import fast_forward

    return fast_forward(sides, settings)


def _force_delete_replace(sides: Sides[Tree], settings: MergeSettings) -> PackageMerge:
    from pkgupdate.update.whole_files import force_delete_replace

    return force_delete_replace(sides)


def _copy_merge(sides: Sides[Tree], settings: MergeSettings) -> PackageMerge:
    from pkgupdate.update.whole_files import copy_merge

    return copy_merge(sides, settings)


_STRATEGIES: Final[dict[str, Strategy]] = {
    DEFAULT_STRATEGY: resource_merge,
    "fast-forward": _fast_forward,
    "force-delete-replace": _force_delete_replace,
    "copy-merge": _copy_merge,
}
