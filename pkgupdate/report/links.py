"""Web pages of a repository on the hosts whose addresses are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.remote import Remote, parse_remote


class Host(NamedTuple):
    """How a host writes the pages of a commit and of a comparison, after the repository's own."""

    commit: str
    comparison: str


_GITHUB: Final = Host("commit/{new}", "compare/{old}...{new}")
_HOSTS: Final = {
    "github.com": _GITHUB,
    "gitlab.com": Host("-/commit/{new}", "-/compare/{old}...{new}"),
    "bitbucket.org": Host("commits/{new}", "branches/compare/{new}..{old}"),
    "codeberg.org": _GITHUB,
}
_FAMILIES: Final = {
    "github": _HOSTS["github.com"],
    "gitlab": _HOSTS["gitlab.com"],
    "gitea": _GITHUB,
    "forgejo": _GITHUB,
}
"""Own servers, told by the first word of their name (`gitlab.example.com`)."""
_PATH = re.compile(r"[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)+")


def commit_page(repo: str, commit: str) -> str:
    """The page of a commit, empty where the host is not known."""
    return _page(repo, lambda host: host.commit.format(new=commit))


def comparison_page(repo: str, old: str, new: str) -> str:
    """The page of all changes from one commit to another, empty where the host is not known."""
    return _page(repo, lambda host: host.comparison.format(old=old, new=new))


def _page(repo: str, below: Callable[[Host], str]) -> str:
    try:
        remote = parse_remote(repo)
    except UpstreamError:
        return ""
    name = _host_name(remote)
    host = _HOSTS.get(name) or _FAMILIES.get(name.partition(".")[0])
    path = remote.path.strip("/").removesuffix(".git")
    if host is None or not _PATH.fullmatch(path):
        return ""
    return f"https://{name}/{path}/{below(host)}"


def _host_name(remote: Remote) -> str:
    """The host without port: pages are not served where Git is."""
    return remote.host.partition(":")[0].lower() if remote.scheme != "file" else ""
