"""Block scalars at the end of a text: without a final newline, their value has none either."""

from __future__ import annotations

from pkgupdate.document.document import Document
from pkgupdate.document.nodes import Mapping, Scalar, Sequence


def last_block_scalar(document: Document) -> Scalar | None:
    """The block scalar that the document ends with, None if it ends with something else."""
    node = document.root
    while isinstance(node, Mapping | Sequence) and node.entries:
        node = node.entries[-1].value
    if not isinstance(node, Scalar) or node.style not in ("|", ">"):
        return None
    return None if document.text[node.end :].strip() else node


def indicator_end(document: Document, scalar: Scalar) -> int:
    """Offset just after the ``|`` or ``>`` of a block scalar."""
    start = scalar.start
    if scalar.anchor or scalar.tag:
        start = document.geometry.after_properties(scalar)
    return document.text.index(scalar.style, start) + 1


def close_block_scalar(document: Document) -> str:
    """The text (without byte order mark), made fit for a newline to be added at its end.

    A block scalar that is cut off there becomes ``|-``, which says that its value ends without one.
    """
    scalar = last_block_scalar(document)
    if scalar is None or document.text.endswith("\n") or scalar.text.endswith("\n"):
        return document.text
    position = indicator_end(document, scalar)
    header = document.text[scalar.start : document.geometry.line_end(scalar.start)]
    if "-" in header.partition("#")[0]:
        return document.text
    return document.text[:position] + "-" + document.text[position:]
