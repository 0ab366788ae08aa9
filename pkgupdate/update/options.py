"""What a user may choose about an update or a fetch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.merge.policy import Policy

if TYPE_CHECKING:
    from pkgupdate.schema.entries import SchemaEntry


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """Choices for one run.

    ref: where to update to; None takes the ref in the Kptfile.
    strategy: None takes the one in the Kptfile.
    allow_dirty: update although the package has uncommitted work.
    schema_entries: what the policy says about types that have no schema.
    merge_comments: add `# kpt-merge:` to resources that arrive.
    recurse: update independent subpackages too.
    offline, timeout, cache_dir, log: as `Upstream` takes them.
    prereleases: version constraints may choose prereleases.
    require_signed: only take commits with a signature that Git trusts.
    """

    ref: str | None = None
    strategy: str | None = None
    policy: Policy = field(default_factory=Policy)
    schema_entries: tuple[SchemaEntry, ...] = ()
    allow_dirty: bool = False
    merge_comments: bool = True
    recurse: bool = True
    offline: bool = False
    timeout: float | None = None
    cache_dir: Path | None = None
    prereleases: bool = False
    require_signed: bool = False
    log: Callable[[str], None] | None = None
