"""The upstream repositories of one run, each opened once however many packages follow it."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

from pkgupdate.update.options import UpdateOptions
from pkgupdate.upstream.remote import parse_remote

if TYPE_CHECKING:
    from pkgupdate.upstream.repository import Upstream


class Repositories:
    """A context manager that ends the Git children of all repositories."""

    def __init__(self, options: UpdateOptions) -> None:
        self._options = options
        self._open: dict[tuple[str, str, str], Upstream] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Repositories:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._stack.close()

    def open(self, repo: str) -> Upstream:
        """The repository at an address. Raises UpstreamError `bad-address`."""
        from pkgupdate.upstream.repository import Upstream

        key = parse_remote(repo).key
        if key not in self._open:
            options = self._options
            upstream = Upstream(
                repo,
                cache_dir=options.cache_dir,
                offline=options.offline,
                timeout=options.timeout,
                log=options.log,
            )
            self._open[key] = self._stack.enter_context(upstream)
        return self._open[key]


def public_repo(repo: str) -> str:
    """The address as it is stored in a lock: as written, but for credentials."""
    remote = parse_remote(repo)
    return remote.public if remote.secrets else repo
