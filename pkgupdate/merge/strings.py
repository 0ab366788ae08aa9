"""Strings that both sides changed: JSON is merged as data, several lines are merged as lines."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pkgupdate.document.values import MaybeValue
from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Kind, Rule
from pkgupdate.merge.policy import OnConflict, Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.text import merge_lines
from pkgupdate.paths import format_path


class Combined(NamedTuple):
    """A merged string. `collisions`: how many places in it collided, told in `note`."""

    text: str
    rule: Rule
    collisions: int
    note: str


def combine(values: Sides[MaybeValue], on_conflict: OnConflict) -> Combined | None:
    """Merge three strings; None if they are not strings of several lines or JSON texts."""
    if not all(isinstance(value, str) for value in values):
        return None
    texts = values.map(str)
    if all(_looks_like_json(text) for text in texts):
        merged = _combine_json(texts, on_conflict)
        if merged is not None:
            return merged
    if not all("\n" in text.rstrip("\n") for text in (texts.upstream, texts.local)):
        return None
    lines = merge_lines(*texts, on_conflict=on_conflict)
    count = len(lines.conflicts)
    spots = ", ".join(str(hunk.line) for hunk in lines.conflicts)
    note = f"collides at line{'s' if count > 1 else ''} {spots}" if count else ""
    return Combined(lines.text, Rule.TEXT, count, note)


def _looks_like_json(text: str) -> bool:
    ends = text.strip()[:1] + text.strip()[-1:]
    return ends in ("{}", "[]")


def _combine_json(texts: Sides[str], on_conflict: OnConflict) -> Combined | None:
    """Merge as YAML flow documents, which JSON texts are; the local layout stays."""
    from pkgupdate.document.apply import apply_edits
    from pkgupdate.document.document import Document
    from pkgupdate.document.intent import apply_to_data
    from pkgupdate.document.values import to_plain
    from pkgupdate.merge.documents import Place, merge_documents
    from pkgupdate.schema import UNKNOWN

    try:
        for text in texts:
            _load(text)
        documents = texts.map(Document)
        decisions = merge_documents(
            Sides(*documents), Place(""), UNKNOWN, Policy(on_conflict=on_conflict)
        )
        edits = [edit for decision in decisions for edit in decision.edits]
        intended = to_plain(apply_to_data(documents.local, edits))
    except (ValueError, DocumentError):
        return None
    collisions = [d for d in decisions if d.kind is Kind.COLLISION]
    paths = ", ".join(format_path(d.path) or "the whole" for d in collisions)
    note = f"collides at {paths}" if collisions else ""
    try:
        merged = apply_edits(documents.local, edits)
        if _load(merged) == intended:
            return Combined(merged, Rule.JSON, len(collisions), note)
    except (ValueError, DocumentError):
        pass
    return Combined(_dump_like(texts.local, intended), Rule.JSON, len(collisions), note)


def _load(text: str) -> Any:
    """The data of a JSON text. Raises ValueError, also for a repeated key."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            raise ValueError("a key repeats")
        return data

    try:
        return json.loads(text, object_pairs_hook=unique)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _dump_like(text: str, data: Any) -> str:
    """The data as JSON, laid out as the text is: compact, on one line, or indented."""
    body = text.strip()
    end = text[len(text.rstrip()) :]
    if "\n" in body:
        second = body.split("\n")[1]
        indent: int | str = second[: len(second) - len(second.lstrip())] or 2
        return json.dumps(data, indent=indent, ensure_ascii=text.isascii()) + end
    is_compact = ": " not in body and ", " not in body
    separators = (",", ":") if is_compact else (", ", ": ")
    return json.dumps(data, separators=separators, ensure_ascii=text.isascii()) + end
