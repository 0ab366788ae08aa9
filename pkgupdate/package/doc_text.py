"""The text of one document of a file: what counts of it, and how it fits into another place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pkgupdate.document.document import BOM

if TYPE_CHECKING:
    from pkgupdate.document.stream import Part

_MARKER_LINE = re.compile(r"---[^\n]*\n?")
_HAS_MARKER = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?\n)*---(?=[ \t\n]|\Z)")
_MERGE_COMMENT = re.compile(r"^(metadata:)[ \t]*#[ \t]*kpt-merge:[^\r\n]*", re.MULTILINE)


def core_text(text: str) -> str:
    """The text without what may differ from file to file.

    That is separators, byte order mark, line ends, surrounding blank lines and the merge comment.
    """
    core = _MERGE_COMMENT.sub(r"\1", text.removeprefix(BOM), count=1).replace("\r\n", "\n")
    marker = _MARKER_LINE.match(core)
    if marker and marker[0].rstrip() == "---":
        core = core[marker.end() :]
    return core.strip("\n").removesuffix("\n...").rstrip("\n")


def fitted(text: str, slot: Part, *, is_last: bool) -> str:
    """The text as it has to be to take the place of `slot` in a file.

    It gets the slot's separator, byte order mark and line ends; `is_last` says that nothing follows
    the slot, so that a missing line end may be missing.
    """
    fit = text.removeprefix(BOM).replace("\r\n", "\n")
    place = slot.text.removeprefix(BOM).replace("\r\n", "\n")
    marker = _MARKER_LINE.match(fit)
    if _HAS_MARKER.match(place):
        if not _HAS_MARKER.match(fit):
            fit = "---\n" + fit
    elif marker and marker[0].rstrip() == "---":
        fit = fit[marker.end() :]
    if not is_last and not fit.endswith("\n"):
        fit += "\n"
    if "\r\n" in slot.text:
        fit = fit.replace("\n", "\r\n")
    return BOM + fit if slot.text.startswith(BOM) else fit
