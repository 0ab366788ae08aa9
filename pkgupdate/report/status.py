"""Where packages stand, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pkgupdate.inspect.differences import extent
from pkgupdate.report.as_json import API_VERSION
from pkgupdate.report.differences import difference_data, difference_lines, extent_text
from pkgupdate.report.display import count
from pkgupdate.report.markdown import code, escape, table
from pkgupdate.report.text import Style, plain
from pkgupdate.upstream.text import clean, printable, redact

if TYPE_CHECKING:
    from pkgupdate.inspect.status import PackageStatus
    from pkgupdate.upstream.resolve import Resolved

KIND: Final = "PackageStatusList"
_COMMIT = 7
_HEAD = ("PACKAGE", "REF", "COMMIT", "NEWEST", "BEHIND", "LOCAL CHANGES")
_NONE = "-"
_STATES = {
    "interrupted": "an update broke off; run: pkgupdate recover {root}",
    "unmerged": "a Git merge left conflicts; resolve and commit them",
}


def render_status(
    statuses: Sequence[PackageStatus], *, style: Style = plain, verbose: bool = False
) -> str:
    """A table of the packages. verbose: each local change as well."""
    rows = [_row(status) for status in statuses]
    table = [_HEAD, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(_HEAD) - 1)]
    lines = [style(_joined(_HEAD, widths), "title")]
    for status, row in zip(statuses, rows, strict=True):
        lines.append(_joined(row, widths))
        lines += (f"  {line}" for line in _below(status, style, verbose))
    return "\n".join(lines) + "\n"


def render_outdated(statuses: Sequence[PackageStatus], *, style: Style = plain) -> str:
    """A line for each package that is behind, and for each that nothing is known of."""
    lines = [line for status in statuses for line in _outdated(status, style)]
    return "\n".join(lines or ["Everything is up to date."]) + "\n"


def render_status_markdown(statuses: Sequence[PackageStatus]) -> str:
    """For a pull request or the summary of a job: what needs attention, then a table."""
    attention = [
        f"> **Warning:** {escape(f'{status.root}: {line}')}"
        for status in statuses
        for line in _below(status, plain, verbose=False)
    ]
    if not statuses:
        return "Everything is up to date.\n"
    width = len(_HEAD) - all(status.local_changes is None for status in statuses)
    rows = ([code(row[0]), *map(escape, row[1:width])] for row in map(_row, statuses))
    lines = list(table([cell.lower() for cell in _HEAD[:width]], rows))
    return "\n\n".join(["\n".join(block) for block in (attention, lines) if block]) + "\n"


def render_status_json(statuses: Sequence[PackageStatus]) -> str:
    """All that is known, for machines."""
    data = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "packages": [_data(status) for status in statuses],
    }
    return json.dumps(data, indent=2) + "\n"


def error_line(status: PackageStatus) -> str:
    """Why something is not known, on one line without secrets; empty if all is known."""
    error = status.error
    if error is None:
        return ""
    first = clean(error.what).replace("\n", " ")
    return f"error[{error.code}]: {first}"


def _joined(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
    return "  ".join([*cells, row[-1]]).rstrip()


def _row(status: PackageStatus) -> tuple[str, ...]:
    follows, lock = status.follows, status.lock
    name = printable(str(status.root))
    if status.package is not None and follows is None:
        return name, _NONE, _NONE, _NONE, _NONE, "follows no upstream"
    changes = status.local_changes
    return (
        name,
        printable((lock.ref if lock else "") or (follows.ref if follows else "")) or _NONE,
        lock.commit[:_COMMIT] if lock else _NONE,
        _newest(status),
        "?" if status.commits_behind is None else count(status.commits_behind, "commit"),
        "?" if changes is None else _NONE if not changes else extent_text(extent(changes)),
    )


def _newest(status: PackageStatus) -> str:
    newest, lock = status.newest, status.lock
    if newest is None:
        return "?"
    if newest.kind == "tag" and not (lock and newest.ref == lock.ref):
        return printable(newest.ref)
    is_same = lock is not None and newest.commit.startswith(lock.commit)
    return _NONE if is_same else newest.commit[:_COMMIT]


def _below(status: PackageStatus, style: Style, verbose: bool) -> Iterator[str]:
    if status.state.value in _STATES:
        yield style(_STATES[status.state.value].format(root=printable(str(status.root))), "warning")
    if status.error:
        yield style(error_line(status), "error")
    if verbose:
        yield from difference_lines(status.local_changes or (), style)


def _outdated(status: PackageStatus, style: Style) -> Iterator[str]:
    name, lock, newest = printable(str(status.root)), status.lock, status.newest
    if status.error:
        yield f"{name}: {style(error_line(status), 'error')}"
    elif status.is_behind and lock and newest:
        commits = count(status.commits_behind or 0, "commit")
        old, new = lock.ref or lock.commit[:_COMMIT], newest.ref
        if old == new:
            old, new = (f"{old} ({c[:_COMMIT]})" for c in (lock.commit, newest.commit))
        yield f"{style('Update', 'title')} {name} {printable(f'{old} -> {new}')} ({commits})"


def _data(status: PackageStatus) -> dict[str, Any]:
    follows, lock, changes = status.follows, status.lock, status.local_changes
    return {
        "directory": str(status.root),
        "name": status.package.name if status.package else "",
        "repo": redact(follows.repo) if follows else None,
        "upstreamDirectory": follows.directory if follows else None,
        "ref": follows.ref if follows else None,
        "lock": {"ref": lock.ref, "commit": lock.commit} if lock else None,
        "newest": _newest_data(status.newest),
        "behind": status.is_behind,
        "commitsBehind": status.commits_behind,
        "changed": status.is_changed,
        "localChanges": None
        if changes is None
        else {**extent(changes)._asdict(), "differences": [difference_data(d) for d in changes]},
        "state": status.state.value,
        "error": {
            "code": status.error.code,
            "message": clean(status.error.what),
            "why": clean(status.error.why),
            "hint": clean(status.error.hint),
        }
        if status.error
        else None,
    }


def _newest_data(newest: Resolved | None) -> dict[str, str] | None:
    if newest is None:
        return None
    return {"ref": newest.ref, "commit": newest.commit, "kind": newest.kind}
