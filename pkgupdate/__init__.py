"""Update forked configuration packages from upstream without losing local changes.

The names below are the public API; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pkgupdate.api import MergeResult as MergeResult
    from pkgupdate.api import merge_package as merge_package
    from pkgupdate.api import merge_yaml as merge_yaml
    from pkgupdate.errors import PkgUpdateError as PkgUpdateError
    from pkgupdate.merge.decisions import Decision as Decision
    from pkgupdate.merge.policy import Policy as Policy
    from pkgupdate.package.changes import PackageMerge as PackageMerge

__version__ = "0.1.0"

_HOMES = {
    "Decision": "pkgupdate.merge.decisions",
    "MergeResult": "pkgupdate.api",
    "PackageMerge": "pkgupdate.package.changes",
    "PkgUpdateError": "pkgupdate.errors",
    "Policy": "pkgupdate.merge.policy",
    "merge_package": "pkgupdate.api",
    "merge_yaml": "pkgupdate.api",
}

__all__ = [
    "Decision",
    "MergeResult",
    "PackageMerge",
    "PkgUpdateError",
    "Policy",
    "__version__",
    "merge_package",
    "merge_yaml",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
