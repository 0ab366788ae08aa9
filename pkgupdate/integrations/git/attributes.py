"""Our lines in a Git attributes file: put in, taken out, everything else byte for byte as it was.

The lines stand in a marked block at the top of the file. In attributes files the last match wins,
so whatever the user wrote for these files goes before ours.
"""

from __future__ import annotations

import re

PATTERNS = ("Kptfile", "*.yaml", "*.yml")

_BOM = "\ufeff"
_BEGIN = "# >>> pkgupdate: merge driver (written by `pkgupdate git enable`)"
_END = "# <<< pkgupdate"
_END_NEW = "# <<< pkgupdate, which made this file"
_BLOCK = re.compile(
    r"(?:^|(?<=\ufeff))# >>> pkgupdate:[^\n]*\n(?:[^\n]*\n)*?"
    r"(?P<end># <<< pkgupdate[^\n]*)(?:\n|\Z)",
    re.MULTILINE,
)


def add_block(text: str | None) -> str:
    """The text of an attributes file (None: there is none) with our lines, once and up to date."""
    is_new = text is None or _made_by_us(text)
    rest = _BLOCK.sub("", text or "")
    bom = _BOM if rest.startswith(_BOM) else ""
    newline = "\r\n" if "\r\n" in rest else "\n"
    end = _END_NEW if is_new else _END
    lines = [_BEGIN, *(f"{pattern} merge=pkgupdate" for pattern in PATTERNS), end]
    return bom + "".join(line + newline for line in lines) + rest.removeprefix(bom)


def remove_block(text: str | None) -> str | None:
    """The text without our lines: what it was before `add_block`, None if there was no file."""
    if text is None:
        return None
    rest = _BLOCK.sub("", text)
    return None if not rest and _made_by_us(text) else rest


def has_block(text: str | None) -> bool:
    """Are our lines in the file?"""
    return text is not None and _BLOCK.search(text) is not None


def _made_by_us(text: str) -> bool:
    block = _BLOCK.search(text)
    return block is not None and block["end"].strip() == _END_NEW
