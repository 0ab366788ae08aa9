"""What a failed git process means for the user: one table from git's words to an error.

git runs with LC_ALL=C, so its own texts are in English; what servers add may not be. The patterns
are compiled when a process has failed, which is rare.
"""

from __future__ import annotations

import re

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.git import GitFailure
from pkgupdate.upstream.remote import Remote
from pkgupdate.upstream.text import clean

_REFUSED = (
    r"not our ref|unadvertised object|does not support (?:shallow|--depth)|shallow capabilit"
    r"|no such remote ref|couldn't find remote ref|did not send all necessary objects"
)
_NOT_FOUND = (
    r"repository .*not found|not found: |does not exist|does not appear to be a git repo"
    r"|returned error: 404|project .* could not be found"
    r"|make sure you have the correct access rights"
)
_NO_CONNECTION = (
    r"could not resolve (?:host|proxy)|could not connect|failed to connect|couldn't connect"
    r"|unable to connect|connection (?:refused|timed out)|network is unreachable"
    r"|no route to host|unable to look up|name or service not known"
)
_BROKEN_OFF = (
    r"early eof|unexpected disconnect|hung up unexpectedly|rpc failed|connection reset|broken pipe"
    r"|transfer closed|invalid index-pack output|pack has bad object|bad pack header"
    r"|protocol error|expected flush|unexpected eof|expected .* after|unable to rewind rpc"
    r"|empty reply"
)
# The first that matches decides: an ssh log-in that fails also ends in "could not read".
_MEANINGS = (
    (
        "auth-failed",
        (
            r"authentication failed|could not read (?:username|password)|terminal prompts disabled"
            r"|permission denied \(|host key verification failed|returned error: 40[13]"
            r"|invalid (?:credentials|username)|access denied|not authorized"
        ),
        "access to {repo} was refused",
        "git takes credentials from its own helpers (git help credentials), ssh keys from the "
        "ssh agent; check that `git ls-remote {repo}` works",
    ),
    (
        "timeout",
        r"operation (?:too slow|timed out)",
        "the upstream repository {repo} did not answer in time",
        "try again, or give it more time",
    ),
    (
        "fetch-interrupted",
        _BROKEN_OFF,
        "the connection to {repo} broke off during the transfer",
        "run the command again; what was fetched before is kept",
    ),
    (
        "repo-unreachable",
        (
            f"{_NOT_FOUND}|{_NO_CONNECTION}|ssl |certificate|dubious ownership"
            r"|transport '.*' not allowed|valid: is this a git repo|unable to find remote helper"
            r"|returned error: \d+"
        ),
        "the upstream repository {repo} cannot be reached",
        "check the address, the network and that the repository exists",
    ),
    (
        "cache-unwritable",
        r"no space left|read-only file system|disk quota|: permission denied",
        "the cache of upstream repositories cannot be written",
        "free some space, or set PKGUPDATE_CACHE_DIR to another folder",
    ),
)


def refused_ids(failure: GitFailure) -> bool:
    """Say whether the server does not hand out commits by id, or has none of that id."""
    return _says(failure, _REFUSED)


def not_found(failure: GitFailure) -> bool:
    """Say whether there is no repository at the address."""
    return _says(failure, _NOT_FOUND) and not _says(failure, _NO_CONNECTION)


def meaning(failure: GitFailure, remote: Remote) -> UpstreamError | None:
    """Return the error to raise, or None if the fault may lie in the cache instead."""
    repo = remote.public
    if failure.timed_out:
        return UpstreamError(
            "timeout",
            f"the upstream repository {repo} did not answer in time",
            hint="try again, or give it more time",
        )
    for code, words, what, hint in _MEANINGS:
        if _says(failure, words):
            return UpstreamError(
                code,
                what.format(repo=repo),
                why=clean(failure.stderr, remote.secrets),
                hint=hint.format(repo=repo),
            )
    return None


def unexplained(failure: GitFailure, remote: Remote) -> UpstreamError:
    """Return the error for a failure of no known kind, after the cache was made anew."""
    return UpstreamError(
        "git-failed",
        f"git {failure.command} failed for {remote.public}",
        why=clean(failure.stderr, remote.secrets) or f"it ended with status {failure.status}",
    )


def _says(failure: GitFailure, pattern: str) -> bool:
    return re.search(pattern, failure.stderr, re.IGNORECASE) is not None
