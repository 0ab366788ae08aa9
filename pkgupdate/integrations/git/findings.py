"""What a check finds, and its forms: lines, JSON, annotations for GitHub, SARIF."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final

from pkgupdate import __version__


class Code(StrEnum):
    """The kinds of findings; docs/git.md describes each."""

    MARKERS = "conflict-markers"
    SYNTAX = "yaml-syntax"
    DUPLICATE_RESOURCE = "duplicate-resource"
    MERGE_COMMENT = "merge-comment-clash"
    DUPLICATE_FUNCTION = "duplicate-function"
    LOST_FUNCTION = "lost-function"
    LOCK = "lock-mismatch"
    CONFIG = "config-clash"


_ABOUT: Final = {
    Code.MARKERS: "A file holds conflict markers.",
    Code.SYNTAX: "A file cannot be read as YAML.",
    Code.DUPLICATE_RESOURCE: "A package holds a resource twice.",
    Code.MERGE_COMMENT: "Two resources claim to be the same one of upstream.",
    Code.DUPLICATE_FUNCTION: "A pipeline holds two functions of one name.",
    Code.LOST_FUNCTION: "A merge lost a function that neither side removed.",
    Code.LOCK: "What a package follows and what was fetched do not belong together.",
    Code.CONFIG: "A function has more than one kind of configuration.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. file: as the user knows it; line: 1-based, 0 for the whole file."""

    code: Code
    file: str
    line: int
    message: str
    hint: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two findings in different versions the same one."""
        return self.code, self.file, self.message


def as_text(findings: Sequence[Finding]) -> str:
    """One line for each, as compilers write them."""
    lines = []
    for finding in findings:
        spot = f"{finding.file}:{finding.line}" if finding.line else finding.file
        lines.append(f"{spot}: {finding.code.value}: {finding.message}")
        if finding.hint:
            lines.append(f"  hint: {finding.hint}")
    return "".join(line + "\n" for line in lines)


def as_json(findings: Sequence[Finding]) -> str:
    """A versioned object (docs/json.md)."""
    from pkgupdate.report.as_json import API_VERSION

    report = {"apiVersion": API_VERSION, "kind": "CheckReport"}
    return json.dumps(report | {"findings": [asdict(f) for f in findings]}, indent=2) + "\n"


def as_github(findings: Sequence[Finding]) -> str:
    """Workflow commands that GitHub shows beside the lines of a change."""
    lines = []
    for finding in findings:
        spot = f"file={_property(finding.file)}"
        if finding.line:
            spot += f",line={finding.line}"
        title = _property(f"pkgupdate {finding.code.value}")
        lines.append(f"::error {spot},title={title}::{_data(finding.message)}\n")
    return "".join(lines)


def as_sarif(findings: Sequence[Finding]) -> str:
    """SARIF 2.1.0, for code scanning."""
    rules = [{"id": code.value, "shortDescription": {"text": _ABOUT[code]}} for code in Code]
    driver = {"name": "pkgupdate", "version": __version__, "rules": rules}
    results = [
        {
            "ruleId": finding.code.value,
            "level": "error",
            "message": {"text": finding.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(finding.file)},
                        "region": {"startLine": max(finding.line, 1)},
                    }
                }
            ],
        }
        for finding in findings
    ]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2) + "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
