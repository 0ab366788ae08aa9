"""Cases from public bug reports, and the pipeline examples: see testdata/cases/README.md."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pkgupdate.document.document import Document
from pkgupdate.merge.policy import Policy
from pkgupdate.paths import format_path

from .helpers import Merged, merge, merge_kptfile

CASES = Path(__file__).parents[2] / "testdata" / "cases"


@dataclass
class Case:
    folder: Path
    settings: dict[str, Any]

    def read(self, side: str) -> str:
        name = self.folder / side / "Kptfile"
        path = name if name.exists() else self.folder / f"{side}.yaml"
        return path.read_bytes().decode()

    def expected(self) -> list[str]:
        names = ["expected", "expected.local-wins", "expected.upstream-wins"]
        paths = [p for n in names for p in (self.folder / n / "Kptfile", self.folder / f"{n}.yaml")]
        return [path.read_bytes().decode() for path in paths if path.exists()]

    @property
    def policy(self) -> Policy:
        align = "align" in self.settings.get("options", [])
        return Policy(pipeline_fallback="align" if align else "replace")


def cases(pattern: str) -> list[Any]:
    found = []
    for folder in sorted(CASES.glob(pattern)):
        settings = folder / "case.json"
        data = json.loads(settings.read_text()) if settings.exists() else {"kind": "kptfile"}
        found.append(pytest.param(Case(folder, data), id=folder.name))
    assert found
    return found


def documents_of(text: str) -> list[str]:
    """The documents of a stream; each of these cases marks them by a line of three dashes."""
    if text.startswith("---"):
        return [text]
    parts = text.split("\n---\n")
    return [part + "\n" for part in parts[:-1]] + parts[-1:]


def run(case: Case) -> tuple[str, list[Merged]]:
    sides = [case.read(side) for side in ("original", "upstream", "local")]
    if case.settings["kind"] == "kptfile":
        merged = [merge_kptfile(*sides, case.policy)]
    else:
        merged = [
            merge(*parts, case.policy) for parts in zip(*map(documents_of, sides), strict=True)
        ]
    return "---\n".join(m.text for m in merged), merged


@pytest.mark.parametrize("case", cases("bugs/[CFTLK]*"))
def test_case_from_a_bug_report(case: Case) -> None:
    text, merged = run(case)
    expected = case.expected()
    if case.settings["compare"] == "bytes":
        assert text in expected
    else:
        data = [[Document(part).data for part in documents_of(whole)] for whole in expected]
        assert_same_but_for_order([Document(part).data for part in documents_of(text)], data)
    collisions = [decision for m in merged for decision in m.collisions]
    assert len(collisions) == case.settings["expected_conflicts"]
    told = [report_line(d) for m in merged for d in m.decisions if d.kind not in QUIET]
    for words in case.settings["must_report"]:
        assert any(words in line for line in told)


QUIET = ("applied", "agreed")


def report_line(decision) -> str:
    path = format_path(decision.path)
    if decision.function:
        path = format_path(decision.path[:2]) + " " + decision.function
    return f"{path}: {decision.note}"


def assert_same_but_for_order(data: Any, expected: list[Any]) -> None:
    """Two additions may stand in either order in these cases."""
    assert [unordered(d) for d in data] in [[unordered(e) for e in one] for one in expected]


def unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((unordered(item) for item in value), key=repr)
    return value


@pytest.mark.parametrize("case", cases("pipeline/*/"))
def test_pipeline_example(case: Case) -> None:
    text, _ = run(case)
    assert Document(text).data == Document(case.expected()[0]).data


@pytest.mark.parametrize("case", cases("bugs/[CFTLK]*") + cases("pipeline/*/"))
def test_second_merge_changes_nothing(case: Case) -> None:
    text, _ = run(case)
    upstream = documents_of(case.read("upstream"))
    for theirs, ours in zip(upstream, documents_of(text), strict=True):
        if case.settings["kind"] == "kptfile":
            again = merge_kptfile(theirs, theirs, ours, case.policy)
        else:
            again = merge(theirs, theirs, ours, case.policy)
        assert again.text == ours
