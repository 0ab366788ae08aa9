"""Entries of `results`: what a person must see of a merge, a summary, or what is wrong.

    message       one line, as in the other reports
    severity      error, warning or info
    resourceRef   the resource, where there is one
    field         path, currentValue (the local one), proposedValue (upstream's)
    file          path and index of the document
    tags          kind, rule and winner of the decision, or the code of the error

Nothing secret is in them: decisions come from a report, which has taken it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from pkgupdate.document.values import Missing, to_plain
from pkgupdate.errors import PkgUpdateError
from pkgupdate.integrations.krm.config import NAME as CONFIG_NAME
from pkgupdate.integrations.krm.resource_list import NAME
from pkgupdate.merge.decisions import Decision, Kind
from pkgupdate.package.identity import Identity
from pkgupdate.paths import format_path
from pkgupdate.report.model import Item, Report
from pkgupdate.report.text import package_line, summary
from pkgupdate.upstream.text import redact

Result: TypeAlias = "dict[str, Any]"
Locate: TypeAlias = Callable[[str, str], "tuple[dict[str, str], int] | None"]
"""Given file and resource as decisions name them: `resourceRef`, and the index in the file."""

ERROR = "error"
WARNING = "warning"
INFO = "info"


def result(message: str, severity: str, *, file: str = "", **more: Any) -> Result:
    """An entry; `more` are further fields."""
    found: Result = {"message": message, "severity": severity}
    if file:
        found["file"] = {"path": file}
    return found | more


def error_result(error: PkgUpdateError) -> Result:
    """What went wrong, in one entry."""
    parts = [error.what, error.why, error.hint]
    message = "; ".join(part.strip().replace("\n", ", ") for part in parts if part)
    where = error.where
    found = result(redact(message), ERROR, tags={"code": error.code})
    if where.file:
        place = f"{where.file}:{where.line}" if where.line else where.file
        found["message"] = f"{place}: {found['message']}"
        if where.file not in (NAME, CONFIG_NAME):
            found["file"] = {"path": where.file}
    if where.path:
        found["field"] = {"path": where.path}
    return found


def report_results(report: Report, locate: Locate, *, collision: str = WARNING) -> Iterator[Result]:
    """The decisions of a report that a person must see, its notes, and its summary.

    collision: the severity of collisions.
    """
    for item in report.items:
        if must_be_seen(item.decision):
            is_collision = item.decision.kind is Kind.COLLISION
            yield _decision(item, locate, collision if is_collision else WARNING)
    for note in report.notes:
        yield result(note, WARNING)
    for package in report.packages:
        yield result(package_line(package, report.dry_run), INFO)
    yield result(summary(report), INFO)


def must_be_seen(decision: Decision) -> bool:
    """Did upstream change something that was not taken, or that the local side changed too?"""
    if decision.kind is Kind.KEPT:
        return decision.upstream != decision.original
    return decision.kind in (Kind.COLLISION, Kind.WITHHELD)


def _decision(item: Item, locate: Locate, severity: str) -> Result:
    decision = item.decision
    file: dict[str, Any] = {"path": decision.new_path or decision.file}
    tags = {"kind": decision.kind.value, "rule": decision.rule.value, "winner": item.winner}
    found: Result = {"message": item.message, "severity": severity, "tags": tags}
    located = locate(decision.file, decision.resource)
    if located is not None:
        found["resourceRef"], file["index"] = located
    if decision.path:
        found["field"] = {"path": format_path(decision.path)} | {
            name: to_plain(value)
            for name, value in (
                ("currentValue", decision.local),
                ("proposedValue", decision.upstream),
            )
            if not isinstance(value, Missing)
        }
    return found | {"file": file}


def resource_ref(identity: Identity, api_version: str) -> dict[str, str]:
    """How the specification names a resource."""
    fields = {
        "apiVersion": api_version,
        "kind": identity.kind,
        "namespace": identity.namespace,
        "name": identity.name,
    }
    return {key: value for key, value in fields.items() if value}


def located(documents: Iterable[tuple[str, int, Identity, str]]) -> Locate:
    """Look resources up among documents: file, index, identity and API version of each.

    Earlier ones count first. A resource that has left its file is found in another one.
    """
    exact: dict[tuple[str, str], tuple[dict[str, str], int]] = {}
    anywhere: dict[str, tuple[dict[str, str], int]] = {}
    for file, index, identity, api_version in documents:
        found = resource_ref(identity, api_version), index
        exact.setdefault((file, str(identity)), found)
        anywhere.setdefault(str(identity), found)

    def locate(file: str, resource: str) -> tuple[dict[str, str], int] | None:
        return exact.get((file, resource)) or anywhere.get(resource)

    return locate
