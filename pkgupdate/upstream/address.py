"""What a user types for a package: REPO.git/DIRECTORY@REF, split and checked.

The repository ends at `.git`, as in kpt. Where there is none, the disk tells (local paths and file
URLs) or the host does (GitHub and others have two path parts); elsewhere it is an error, since a
wrong guess would fetch another repository.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from pkgupdate.upstream.remote import (
    Remote,
    absolute,
    bad_address,
    check_text,
    is_repository,
    parse_remote,
    redacted,
    scp_match,
)

_GIT_END = re.compile(r"(?<=[^/])\.git(?=/|@|$)|/\.git(?=/|@|$)")
_TWO_PARTS = frozenset({"github.com", "bitbucket.org", "codeberg.org", "gitea.com", "git.sr.ht"})
_WEB_PAGE = re.compile(r"(?:-/)?(?:tree|blob|src)(?:/|$)")
_BAD_REF = re.compile(r"^-|\.\.|@\{|[\\:?\[]|//|/$|^/|\.lock$")


class Address(NamedTuple):
    """A package upstream, in the form in which kpt stores it.

    repo: the repository without `.git`; may hold credentials, use `public_repo` to show or store.
    directory: absolute within the repository, `/` for its root.
    ref: branch, tag, commit or version constraint; empty means the default branch.
    """

    repo: str
    directory: str
    ref: str

    @property
    def public_repo(self) -> str:
        """The repository without credentials."""
        return parse_remote(self.repo).public

    def redacted(self) -> str:
        """The whole address as it may be shown."""
        directory = "" if self.directory == "/" else self.directory
        repo = self.public_repo.removesuffix(".git")
        return redacted(f"{repo}.git{directory}" + (f"@{self.ref}" if self.ref else ""))


def parse_address(text: str) -> Address:
    """Split REPO/DIRECTORY@REF. A relative path is taken from the working directory.

    Raises UpstreamError `bad-address`.
    """
    check_text(text, text)
    repo, rest = _split(text)
    directory, _, ref = rest.partition("@")
    remote = parse_remote(repo).stored
    return Address(remote.url, normal_directory(directory), check_ref(ref))


def normal_directory(directory: str) -> str:
    """Return a directory as kpt stores it: `/a/b`, `/` for the root.

    Raises UpstreamError `bad-address` for `..`, a `.git` part and unprintable characters.
    """
    if not directory.isprintable():
        bad_address(directory, "the directory has control or invisible characters")
    parts = [part for part in directory.split("/") if part not in ("", ".")]
    if ".." in parts:
        bad_address(directory, "the directory leaves the repository by '..'")
    if any(part.lower() == ".git" for part in parts):
        bad_address(directory, "the directory lies in '.git'")
    return "/" + "/".join(parts)


def check_ref(ref: str) -> str:
    """Return `ref` if it can be a ref, a commit or a version constraint, or is empty.

    Raises UpstreamError `bad-address`.
    """
    if ref:
        check_text(ref, ref)
        if _BAD_REF.search(ref):
            bad_address(ref, "it cannot be a branch, tag, commit or version constraint")
    return ref


def _split(text: str) -> tuple[str, str]:
    """Return the repository and what follows it (`/DIRECTORY@REF`)."""
    scheme, _, after = text.partition("://")
    if after and scheme.lower() != "file":
        start = len(scheme) + 3 + len(after.split("/", 1)[0])
    elif not after and (match := scp_match(text)):
        start = match.start("path")
    else:
        return _split_on_disk(text)
    if end := _GIT_END.search(text, start):
        return text[: end.end()], text[end.end() :]
    return _split_by_host(text, start)


def _split_on_disk(text: str) -> tuple[str, str]:
    prefix = "file://" if text.lower().startswith("file://") else ""
    path = text[len(prefix) :]
    ends = [match.end() for match in _GIT_END.finditer(path)]
    for end in ends:
        if is_repository(Path(path[:end])):
            return prefix + path[:end], path[end:]
    if ends:
        return prefix + path[: ends[0]], path[ends[0] :]
    spots = [i for i, char in enumerate(path) if char == "@"]
    for cut in [*spots, len(path)]:
        base = absolute(Path(path[:cut]))
        for candidate in (base, *base.parents):
            named = candidate.with_name(candidate.name + ".git") if candidate.name else candidate
            if is_repository(candidate) or is_repository(named):
                directory = base.relative_to(candidate).as_posix()
                return f"{prefix}{candidate}", f"/{directory}{path[cut:]}"
    return bad_address(text, "no Git repository is at that path", _add_git(text))


def _split_by_host(text: str, start: int) -> tuple[str, str]:
    """Find the end of the repository where no `.git` marks it: `start` is where its path begins."""
    base, at, ref = text[start:].partition("@")
    repo_text = text[:start] + base
    remote: Remote = parse_remote(repo_text)
    host = remote.host.partition(":")[0].lower()
    parts = [part for part in base.split("/") if part]
    if "_git" in parts[:-1]:
        size = parts.index("_git") + 2
    elif (host in _TWO_PARTS and len(parts) >= 2) or (len(parts) == 2 and host == "gitlab.com"):
        size = 2
    else:
        bad_address(text, "where the repository ends cannot be told", _add_git(text))
    directory = "/".join(parts[size:])
    slash = "/" if base.startswith("/") else ""
    repo = text[:start] + slash + "/".join(parts[:size])
    if _WEB_PAGE.match(directory):
        bad_address(text, "this is a page of the web site", f"write {redacted(repo)}.git/DIR@REF")
    return repo, f"/{directory}{at}{ref}"


def _add_git(text: str) -> str:
    return f"add '.git' after the repository's name in '{redacted(text)}'"
