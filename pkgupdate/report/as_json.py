"""The report for machines; `schemas/UpdateReport.json` is its JSON Schema."""

from __future__ import annotations

import json
from typing import Any

from pkgupdate.document.values import Missing, to_plain
from pkgupdate.merge.decisions import Kind
from pkgupdate.paths import format_path
from pkgupdate.report.changes import action
from pkgupdate.report.model import Item, PackageLine, Report

API_VERSION = "pkgupdate.dev/v1alpha1"
KIND = "UpdateReport"
_SIDES = ("original", "upstream", "local", "result")


def render_json(report: Report, **extra: Any) -> str:
    """The report as one JSON document; `extra` members are added at the top."""
    return json.dumps(report_data(report) | extra, indent=2, ensure_ascii=True) + "\n"


def report_data(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "command": report.command,
        "dryRun": report.dry_run,
        "packages": [_package(p) for p in report.packages],
        "summary": {kind.value: report.counts[kind] for kind in Kind},
        "decisions": [decision_data(item) for item in report.items],
        "files": [
            {
                "path": change.path,
                "action": action(change),
                "before": change.before.kind.value if change.before else None,
                "after": change.after.kind.value if change.after else None,
            }
            for change in report.changes
        ],
        "notes": list(report.notes),
    }


def decision_data(item: Item) -> dict[str, Any]:
    """One decision as plain data (docs/decision-format.md)."""
    decision = item.decision
    data: dict[str, Any] = {
        "file": decision.file,
        "resource": decision.resource,
        "path": format_path(decision.path),
        "kind": decision.kind.value,
        "subject": decision.subject.value,
        "rule": decision.rule.value,
        "changedBy": list(item.changed_by),
        "winner": item.winner,
        "absent": [s for s in _SIDES if isinstance(getattr(decision, s), Missing)],
        "message": item.message,
        "note": decision.note,
    }
    data |= {side: to_plain(getattr(decision, side)) for side in _SIDES}
    if decision.new_path:
        data["newPath"] = decision.new_path
    if decision.function:
        data["function"] = decision.function
    return data


def _package(package: PackageLine) -> dict[str, Any]:
    def end(ref: str, commit: str) -> dict[str, str] | None:
        return {"ref": ref, "commit": commit} if commit else None

    return {
        "directory": package.directory,
        "name": package.name,
        "repo": package.repo,
        "upstreamDirectory": package.upstream_directory,
        "strategy": package.strategy,
        "from": end(package.from_ref, package.from_commit),
        "to": end(package.to_ref, package.to_commit),
    }
