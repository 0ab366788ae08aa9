"""Merging texts in tests: three texts in, decisions and the merged text out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.intent import apply_to_data
from pkgupdate.document.values import Value
from pkgupdate.merge.decisions import Decision, Kind
from pkgupdate.merge.documents import Place, merge_documents
from pkgupdate.merge.pipeline import merge_kptfiles
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.paths import format_path
from pkgupdate.schema import Schema, SchemaSet

SCHEMAS = SchemaSet()
PLACE = Place("file.yaml", "resource")


@dataclass
class Merged:
    documents: Sides[Document | None]
    decisions: list[Decision]

    @property
    def edits(self):
        return [edit for decision in self.decisions for edit in decision.edits]

    @property
    def text(self) -> str:
        assert self.documents.local is not None
        return apply_edits(self.documents.local, self.edits) if self.edits else self.local_text

    @property
    def local_text(self) -> str:
        assert self.documents.local is not None
        return self.documents.local.text

    @property
    def data(self) -> Value:
        assert self.documents.local is not None
        return apply_to_data(self.documents.local, self.edits)

    @property
    def collisions(self) -> list[Decision]:
        return [d for d in self.decisions if d.kind is Kind.COLLISION]

    @property
    def told(self) -> list[str]:
        """The decisions as `kind rule path [subject]`, in order."""
        return [tell(decision) for decision in self.decisions]


def tell(decision: Decision) -> str:
    words = [decision.kind.value, decision.rule.value, format_path(decision.path) or "."]
    if decision.subject != "value":
        words.append(decision.subject.value)
    return " ".join(words)


def parse(text: str | None) -> Document | None:
    return None if text is None else Document(text)


def merge(
    original: str | None,
    upstream: str | None,
    local: str,
    policy: Policy | None = None,
    schema: Schema | None = None,
    **options: object,
) -> Merged:
    """Merge three documents; the schema is that of the local resource unless given."""
    documents = Sides(parse(original), parse(upstream), parse(local))
    policy = replace(policy or Policy(), **options)
    if schema is None:
        schema = schema_of(documents.local)
    return Merged(documents, merge_documents(documents, PLACE, schema, policy))


def merge_kptfile(
    original: str | None,
    upstream: str | None,
    local: str,
    policy: Policy | None = None,
    is_root: bool = True,
    **options: object,
) -> Merged:
    documents = Sides(parse(original), parse(upstream), parse(local))
    policy = replace(policy or Policy(), **options)
    place = Place("Kptfile")
    return Merged(documents, merge_kptfiles(documents, place, policy, is_root=is_root))


def schema_of(document: Document | None) -> Schema:
    data = document.data if document is not None else {}
    if not isinstance(data, dict):
        return SCHEMAS.for_resource("", "")
    api_version, kind = (data.get(key, "") for key in ("apiVersion", "kind"))
    return SCHEMAS.for_resource(str(api_version), str(kind))
