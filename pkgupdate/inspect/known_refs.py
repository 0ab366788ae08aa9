"""The refs of a package's upstream as they were last seen, without asking anyone."""

from __future__ import annotations

from pathlib import Path

from pkgupdate.package.kinds import KPTFILE
from pkgupdate.update.kptfile import read_kptfile
from pkgupdate.upstream.address import normal_directory
from pkgupdate.upstream.cache import Cache, default_cache_dir
from pkgupdate.upstream.refs import parse_refs
from pkgupdate.upstream.remote import parse_remote
from pkgupdate.upstream.resolve import version_tags
from pkgupdate.upstream.versions import by_version


def known_refs(root: Path, cache_dir: Path | None = None) -> list[str]:
    """The package's own version tags, newest first, then all other tags, then branches.

    Empty if the upstream was never asked. Raises PackageError, UpstreamError, OSError.
    """
    follows = read_kptfile((root / KPTFILE).read_bytes()).require_upstream()
    cache = Cache((cache_dir or default_cache_dir()).absolute(), parse_remote(follows.repo))
    refs = parse_refs(cache.kept_listing() or b"")
    versions = by_version(version_tags(refs, normal_directory(follows.directory)))
    return list(dict.fromkeys([*reversed(versions), *sorted(refs.tags), *sorted(refs.branches)]))
