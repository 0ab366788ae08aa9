"""The layers of a merge, timed per KB: `pytest benchmarks/test_layers_bench.py`.

Each benchmark works on one resource of about 1.5 KB, of which each side edited two values. Below
the table of the plug-in stands what one KB takes, beside ruamel.yaml's round trip of the same text.
"""

from __future__ import annotations

import io
from typing import Any

from synthetic import resource

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.merge.documents import Place, merge_documents
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.schema import SchemaSet

ORIGINAL = resource(1, {})
UPSTREAM = resource(1, {"tag": "1.21.0", "cpu": 150})
LOCAL = resource(1, {"replicas": 5, "memory": 512})
SCHEMA = SchemaSet().for_resource("apps/v1", "Deployment")
PLACE = Place("r.yaml", "apps/Deployment/shop/web")


def merged(sides: Sides[Document | None]) -> list[Any]:
    return merge_documents(sides, PLACE, SCHEMA, Policy())


def test_parse(per_kb: Any) -> None:
    assert per_kb("parse", LOCAL, Document, LOCAL).root is not None


def test_merge_of_parsed_versions(per_kb: Any) -> None:
    sides: Sides[Document | None] = Sides(*map(Document, (ORIGINAL, UPSTREAM, LOCAL)))
    assert len(per_kb("merge of parsed versions", LOCAL, merged, sides)) == 4


def test_splice_with_its_check(per_kb: Any) -> None:
    local = Document(LOCAL)
    sides: Sides[Document | None] = Sides(Document(ORIGINAL), Document(UPSTREAM), local)
    edits = [edit for decision in merged(sides) for edit in decision.edits]
    assert "1.21.0" in per_kb("splice with its check", LOCAL, apply_edits, local, edits)


def test_all_of_it(per_kb: Any) -> None:
    def run() -> str:
        local = Document(LOCAL)
        decisions = merged(Sides(Document(ORIGINAL), Document(UPSTREAM), local))
        return apply_edits(local, [edit for decision in decisions for edit in decision.edits])

    assert per_kb("all of it", LOCAL, run) == resource(
        1, {"tag": "1.21.0", "cpu": 150, "replicas": 5, "memory": 512}
    )


def test_round_trip_of_ruamel_yaml(per_kb: Any) -> None:
    from ruamel.yaml import YAML

    def run() -> str:
        yaml = YAML()
        out = io.StringIO()
        yaml.dump(yaml.load(LOCAL), out)
        return out.getvalue()

    assert "web-00001" in per_kb("round trip of ruamel.yaml", LOCAL, run)
