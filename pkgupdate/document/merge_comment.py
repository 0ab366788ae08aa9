"""The merge comment ``metadata: # kpt-merge: NAMESPACE/NAME`` of a resource.

It holds the identity that the resource had when it was fetched, so that a local rename does not
lose the pairing with upstream. kpt writes it beside the `metadata` key and reads it from there.
The functions work on the text of one document, because they run for every new resource.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"^metadata:(?P<gap>[ \t]*)(?P<comment>#[^\r\n]*)?(?=\r?$)", re.MULTILINE)
_MERGE_COMMENT = re.compile(r"#\s*kpt-merge:\s*([^\s/]*)/([^\s/]+)\s*\Z")


def read_merge_comment(text: str) -> tuple[str, str] | None:
    """Namespace ('' for none) and name in the merge comment, None if there is none."""
    if "kpt-merge:" not in text:
        return None
    line = _LINE.search(text)
    match = _MERGE_COMMENT.match(line["comment"] or "") if line else None
    return (match[1], match[2]) if match else None


def add_merge_comment(text: str, namespace: str, name: str) -> str:
    """The text with this merge comment, in place of an earlier one; other bytes stay.

    Another comment beside `metadata:` moves to a line above. A document without a `metadata:` line
    (flow style) has no place for a merge comment and comes back unchanged.
    """
    line = _LINE.search(text)
    if line is None:
        return text
    comment = line["comment"] or ""
    above = ""
    if comment and not _MERGE_COMMENT.match(comment):
        newline = "\r\n" if text.startswith("\r\n", line.end()) else "\n"
        above = comment.rstrip() + newline
    new = f"{above}metadata: # kpt-merge: {namespace}/{name}"
    return text[: line.start()] + new + text[line.end() :]


def drop_merge_comment(text: str) -> str:
    """The text without its merge comment; other bytes stay."""
    if read_merge_comment(text) is None:
        return text
    line = _LINE.search(text)
    assert line is not None
    return text[: line.start()] + "metadata:" + text[line.end() :]
