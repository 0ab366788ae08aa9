"""The commits between two commits that touch a directory."""

from __future__ import annotations

from typing import NamedTuple

from pkgupdate.upstream.git import Gateway

_FORMAT = "%H%x00%an%x00%ae%x00%aI%x00%B"


class Commit(NamedTuple):
    """One commit. Author and message come from upstream: never print them unescaped.

    date: author date, ISO 8601 with offset.
    """

    commit: str
    author: str
    email: str
    date: str
    subject: str
    body: str


def log(gateway: Gateway, old: str, new: str, directory: str) -> list[Commit]:
    """Return the commits of `old..new` that touch `directory`, newest first.

    Both must be in the repository with their history. Raises GitFailure.
    """
    path = directory.strip("/") or "."
    output = gateway.run(
        "--literal-pathspecs",
        "log",
        "-z",
        "--no-color",
        "--no-show-signature",
        "--encoding=UTF-8",
        f"--format={_FORMAT}",
        f"{old}..{new}",
        "--",
        path,
    )
    fields = output.stdout.decode("utf-8", "replace").split("\0")
    commits = []
    for start in range(0, len(fields) - 4, 5):
        commit, author, email, date, message = fields[start : start + 5]
        subject, _, body = message.strip().partition("\n")
        commits.append(Commit(commit, author, email, date, subject, body.strip()))
    return commits
