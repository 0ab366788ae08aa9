"""A plan as a file: what an update started from, what it decided, what the files become.

The decisions are the redacted ones of a report; the files are whole, since `apply` needs no more
than the plan. So a plan is as secret as the package it is for.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pkgupdate.document.stream import decode
from pkgupdate.errors import Location, PackageError
from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import DiskTree, FileKind, FileState, blob_id, state_in
from pkgupdate.report.as_json import API_VERSION, report_data

if TYPE_CHECKING:
    from pkgupdate.report.model import Report

KIND: Final = "UpdatePlan"


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan that was read back.

    folder: the package, as it was named when the plan was made. changes: with the contents before
    as they are in the package now.
    """

    folder: Path
    changes: list[FileChange]


def package_hash(root: Path, plan: Path) -> str:
    """A hash of the paths, kinds and contents of all files of a package.

    plan: where the plan is stored; it does not count if that is in the package.
    """
    digest = hashlib.sha256()
    for path, entry in sorted(DiskTree(root).entries.items()):
        if (root / path).absolute() == plan.absolute():
            continue
        digest.update(f"{entry.kind} {entry.oid} {path}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def plan_text(root: Path, report: Report, plan: Path) -> str:
    """The plan of an update of the package at `root`, as JSON to be stored at `plan`."""
    data = report_data(report)
    del data["command"], data["dryRun"]
    data |= {
        "kind": KIND,
        "folder": str(root),
        "packageHash": package_hash(root, plan),
        "files": [
            {"path": change.path, "before": _before(change), "after": _after(change)}
            for change in report.changes
        ],
    }
    return json.dumps(data, indent=2) + "\n"


def read_plan(path: Path, root: Path | None) -> StoredPlan:
    """Read a plan for the package at `root` (None: where it was made).

    Raises PackageError `plan-unreadable`, `plan-outdated` if anything in the package changed.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if (data["apiVersion"], data["kind"]) != (API_VERSION, KIND):
            raise ValueError(f"it is not an {KIND} of {API_VERSION}")
        folder = root or Path(data["folder"])
        files = [(str(f["path"]), f["before"], _state(f["after"])) for f in data["files"]]
        expected = data["packageHash"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as e:
        raise PackageError(
            "plan-unreadable",
            "cannot read the plan",
            where=Location(str(path)),
            why=str(getattr(e, "strerror", None) or e),
            hint="make it with `pkgupdate plan`",
        ) from e
    tree = DiskTree(folder)
    if not folder.is_dir() or package_hash(folder, path) != expected:
        raise PackageError(
            "plan-outdated",
            "the package is not what the plan was made for",
            where=Location(str(folder)),
            why=_moved(tree, files) if folder.is_dir() else "there is no such folder",
            hint="make a new plan with `pkgupdate plan`",
        )
    return StoredPlan(folder, [FileChange(p, state_in(tree, p), after) for p, _, after in files])


def _moved(tree: DiskTree, files: list[tuple[str, Any, FileState | None]]) -> str:
    """Which of the plan's own files changed, if it is one of them."""
    for path, before, _ in files:
        now = tree.entries[path].oid if path in tree.entries else None
        if now != (before["blob"] if before else None):
            return f"{path} changed since"
    return "a file that the plan does not touch changed since"


def _before(change: FileChange) -> dict[str, str] | None:
    state = change.before
    return {"kind": state.kind.value, "blob": blob_id(state.content)} if state else None


def _after(change: FileChange) -> dict[str, str] | None:
    state = change.after
    if state is None:
        return None
    data = {"kind": state.kind.value, "blob": blob_id(state.content)}
    text = decode(state.content)
    if text is None:
        return data | {"base64": base64.b64encode(state.content).decode("ascii")}
    return data | {"text": text}


def _state(stored: dict[str, str] | None) -> FileState | None:
    if stored is None:
        return None
    if "text" in stored:
        content = stored["text"].encode("utf-8")
    else:
        content = base64.b64decode(stored["base64"], validate=True)
    if blob_id(content) != stored["blob"]:
        raise ValueError("the content of a file is not what its hash says")
    return FileState(FileKind(stored["kind"]), content)
