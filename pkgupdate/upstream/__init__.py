"""The upstream Git repository: addresses, refs, fetching into a cache, trees, blobs, history."""

from pkgupdate.upstream.address import Address, normal_directory, parse_address
from pkgupdate.upstream.history import Commit
from pkgupdate.upstream.refs import Refs
from pkgupdate.upstream.remote import redacted, same_repo
from pkgupdate.upstream.repository import Upstream
from pkgupdate.upstream.resolve import Resolved
from pkgupdate.upstream.text import printable
from pkgupdate.upstream.tree import TreeEntry

__all__ = [
    "Address",
    "Commit",
    "Refs",
    "Resolved",
    "TreeEntry",
    "Upstream",
    "normal_directory",
    "parse_address",
    "printable",
    "redacted",
    "same_repo",
]
