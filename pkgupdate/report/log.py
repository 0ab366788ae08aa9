"""Upstream's log as text, JSON and Markdown. Nothing in it is trusted: all is made printable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pkgupdate.report.as_json import API_VERSION
from pkgupdate.report.display import count
from pkgupdate.report.markdown import escape
from pkgupdate.report.text import Style, plain
from pkgupdate.upstream.text import clean, printable, redact

if TYPE_CHECKING:
    from pkgupdate.inspect.log import PackageLog
    from pkgupdate.upstream.history import Commit

KIND: Final = "PackageLog"
_COMMIT = 7


def render_log(log: PackageLog, *, oneline: bool = False, style: Style = plain) -> str:
    """The commits as `git log` shows them, or one line for each."""
    lines = [style(_title(log), "title")]
    for commit in log.commits:
        if oneline:
            subject = printable(commit.subject)
            lines.append(f"{style(commit.commit[:_COMMIT], 'M')} {commit.date[:10]} {subject}")
        else:
            lines += ["", *_commit(commit, style)]
    return "\n".join(lines) + "\n"


def render_log_markdown(log: PackageLog) -> str:
    """A list for a pull request."""
    lines = [f"### {escape(_title(log))}", ""]
    lines += (
        f"- `{commit.commit[:_COMMIT]}` {escape(commit.subject)} "
        f"({escape(commit.author)}, {commit.date[:10]})"
        for commit in log.commits
    )
    return "\n".join(lines).rstrip() + "\n"


def render_log_json(log: PackageLog) -> str:
    """The log for machines; texts are as upstream has them."""
    follows, lock = log.package.kptfile.require_upstream(), log.package.require_lock()
    data = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "package": {
            "name": log.package.name,
            "directory": str(log.package.root),
            "repo": redact(follows.repo),
            "upstreamDirectory": follows.directory,
        },
        "from": {"ref": lock.ref, "commit": lock.commit},
        "to": {"ref": log.target.ref, "commit": log.target.commit},
        "backward": log.is_backward,
        "commits": [
            {
                "commit": commit.commit,
                "author": commit.author,
                "email": commit.email,
                "date": commit.date,
                "subject": commit.subject,
                "body": commit.body,
            }
            for commit in log.commits
        ],
    }
    return json.dumps(data, indent=2) + "\n"


def _title(log: PackageLog) -> str:
    lock = log.package.require_lock()
    span = f"{lock.ref or lock.commit[:_COMMIT]}..{log.target.ref}"
    number = count(len(log.commits), "commit") if log.commits else "no commits"
    back = f"; {log.target.ref} lies before what was fetched" if log.is_backward else ""
    return printable(f"{log.package.name} {span}: {number}{back}")


def _commit(commit: Commit, style: Style) -> Iterator[str]:
    yield style(f"commit {commit.commit}", "M")
    yield f"Author: {printable(commit.author)} <{printable(commit.email)}>"
    yield f"Date:   {printable(commit.date)}"
    yield ""
    yield f"    {printable(commit.subject)}"
    if commit.body:
        yield ""
        yield from (f"    {line}" for line in clean(commit.body).split("\n"))
