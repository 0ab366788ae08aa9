"""The report as a unified diff of the files, in the form of `git diff`.

Values of Secrets are masked, characters that a terminal would act on are written as escapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import TYPE_CHECKING

from pkgupdate.document.stream import decode
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.report.mask import Mask
from pkgupdate.upstream.text import printable

if TYPE_CHECKING:
    from pkgupdate.package.changes import FileChange
    from pkgupdate.report.text import Style

_MODES = {
    FileKind.FILE: "100644",
    FileKind.EXEC: "100755",
    FileKind.LINK: "120000",
    FileKind.SUBMODULE: "160000",
}
_STYLES = {
    "diff --git ": "title",
    "--- ": "title",
    "+++ ": "title",
    "@@ ": "hint",
    "+": "A",
    "-": "D",
}


def render_diff(changes: Iterable[FileChange]) -> str:
    """The changes as one diff; empty if there are none."""
    return "".join(line for change in changes for line in _file(change))


def painted(diff: str, style: Style) -> str:
    """A diff with the style of each line: of a head, a hunk, an addition, a deletion."""
    return "".join(_painted(line, style) for line in diff.splitlines(keepends=True))


def _painted(line: str, style: Style) -> str:
    for start, what in _STYLES.items():
        if line.startswith(start):
            return style(line.removesuffix("\n"), what) + "\n"
    return line


def _file(change: FileChange) -> Iterator[str]:
    name = printable(change.path)
    before, after = change.before, change.after
    yield f"diff --git a/{name} b/{name}\n"
    yield from _mode_lines(before, after)
    if (before.content if before else b"") == (after.content if after else b""):
        return
    mask = Mask()
    old, new = (_lines(state, mask) for state in (before, after))
    old_name = f"a/{name}" if before else "/dev/null"
    new_name = f"b/{name}" if after else "/dev/null"
    if old is None or new is None:
        yield f"Binary or hidden contents of {old_name} and {new_name} differ\n"
        return
    for line in unified_diff(old, new, old_name, new_name):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _mode_lines(before: FileState | None, after: FileState | None) -> Iterator[str]:
    if before is None:
        assert after is not None
        yield f"new file mode {_MODES[after.kind]}\n"
    elif after is None:
        yield f"deleted file mode {_MODES[before.kind]}\n"
    elif before.kind is not after.kind:
        yield f"old mode {_MODES[before.kind]}\n"
        yield f"new mode {_MODES[after.kind]}\n"


def _lines(state: FileState | None, mask: Mask) -> list[str] | None:
    """The masked lines; None for what cannot be shown."""
    if state is None:
        return []
    text = decode(state.content)
    masked = None if text is None else mask.text(text)
    if masked is None:
        return None
    parts = masked.split("\n")
    lines = [_shown(line) + "\n" for line in parts[:-1]]
    return [*lines, _shown(parts[-1])] if parts[-1] else lines


def _shown(line: str) -> str:
    """The line with tabs kept, and every other control character made visible."""
    return "\t".join(printable(part) for part in line.split("\t"))
