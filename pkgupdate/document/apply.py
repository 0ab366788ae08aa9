"""Edits to text: the way in to all writing of documents.

The new text is always parsed again and compared with what the edits intend; where a splice does
not give that, other writers follow (see `fallback`), and at last an error, never a wrong file.
"""

from __future__ import annotations

from collections.abc import Iterable

from pkgupdate.document.changes import group_edits
from pkgupdate.document.document import BOM, Document
from pkgupdate.document.edits import Edit, SetMargin
from pkgupdate.document.intent import Intent
from pkgupdate.document.splice import spliced
from pkgupdate.document.verify import Expectation


def apply_edits(document: Document, edits: Iterable[Edit]) -> str:
    """The text of `document` (with its byte order mark) after `edits`.

    Raises DocumentError `edit-failed`, with file and line, if no writer gives a text that reads
    back as intended and keeps every comment outside of the edits.
    """
    edits = list(edits)
    margins = [edit for edit in edits if isinstance(edit, SetMargin)]
    text = _applied(document, [edit for edit in edits if not isinstance(edit, SetMargin)])
    if margins:
        from pkgupdate.document.margins import set_margins

        text = set_margins(text, margins)
    return BOM + text if document.bom else text


def _applied(document: Document, edits: list[Edit]) -> str:
    """The text with all edits but those of margins."""
    if not edits:
        return document.text
    changes = group_edits(edits)
    intent = Intent(document, changes)
    expectation = Expectation(document, changes, intent)
    if not document.has_odd_breaks:
        text = spliced(document, changes, intent, expectation)
        if text is not None:
            return text
    from pkgupdate.document.fallback import written_otherwise

    return written_otherwise(document, edits, intent, expectation)
