"""`pkgupdate match`: is what runs what the package says?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pkgupdate.cli import console

if TYPE_CHECKING:
    from pkgupdate.patch.changes import Change
    from pkgupdate.patch.match import Match
    from pkgupdate.patch.values import Data

_WIDTH = 60


class MatchFormat(StrEnum):
    """The form of the answer."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def match(
    desired: Annotated[
        Path, typer.Option(metavar="PKG", help="The package's folder, or one of its files.")
    ],
    live: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="What `kubectl get -o yaml` (or json) printed; `-` for stdin."
        ),
    ],
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH", help="A path or pattern to leave out, as spec.replicas. Repeatable."
        ),
    ] = None,
    last_applied_key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="The annotation that holds what was last applied."),
    ] = None,
    show_secrets: Annotated[
        bool, typer.Option("--show-secrets", help="Show the values of Secrets.")
    ] = False,
    form: Annotated[
        MatchFormat, typer.Option("--format", help="The form of the answer.")
    ] = MatchFormat.TEXT,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 if anything differs or is missing.")
    ] = False,
) -> int:
    """Compare every resource of a package with the live object, as the API server returns it.

    What the server adds by itself (defaults, status, managed fields) is no difference, nor is
    another spelling of the same quantity.
    """
    import json

    from pkgupdate.cli.resource_files import read_text, readable_files, resources_in
    from pkgupdate.cli.target import note_interruption
    from pkgupdate.patch import match as matching
    from pkgupdate.patch.last_applied import Annotator
    from pkgupdate.patch.maker import PatchMaker
    from pkgupdate.patch.options import ignore_path
    from pkgupdate.patch.resources import is_local_config, resources_of
    from pkgupdate.schema import SchemaSet

    note_interruption(desired)
    files, notes = readable_files(desired)
    for note in notes:
        console.note(note)
    resources = [r for r in resources_in(files) if not is_local_config(r) and not _is_kptfile(r)]
    schemas = SchemaSet(crds=[r for r in resources if r["kind"] == "CustomResourceDefinition"])
    annotator = Annotator(last_applied_key) if last_applied_key else Annotator()
    found = matching.match(
        resources,
        resources_of(read_text(live), name=live),
        PatchMaker(schemas, annotator),
        *(ignore_path(path) for path in ignore or ()),
    )
    if form is MatchFormat.JSON:
        console.result(json.dumps(_report(found, show_secrets), indent=2) + "\n")
    elif form is MatchFormat.MARKDOWN:
        console.result(_markdown(found, show_secrets))
    else:
        console.result(_text(found, show_secrets))
    differs = any(m.state is not matching.State.IN_SYNC for m in found)
    return 1 if exit_code and differs else 0


def _is_kptfile(resource: dict[str, Any]) -> bool:
    return str(resource["kind"]) == "Kptfile"


def _report(found: list[Match], show_secrets: bool) -> dict[str, Any]:
    from pkgupdate.patch.match import State
    from pkgupdate.report.as_json import API_VERSION

    return {
        "apiVersion": API_VERSION,
        "kind": "MatchReport",
        "summary": {state.value: sum(m.state is state for m in found) for state in State},
        "resources": [
            {
                "resource": str(m.identity),
                "state": m.state.value,
                "changes": [_change(m, change, show_secrets) for change in m.changes],
                "patch": _shown(m, m.patch, (), show_secrets),
            }
            for m in found
        ],
    }


def _change(m: Match, change: Change, show_secrets: bool) -> dict[str, Any]:
    """`absent` names the sides that have nothing there, as null is a value too."""
    from pkgupdate.document.values import MISSING
    from pkgupdate.paths import format_path

    sides = {"live": change.before, "desired": change.after}
    return {
        "path": format_path(change.path),
        "order": change.order,
        **{
            name: None if side is MISSING else _shown(m, side, change.path, show_secrets)
            for name, side in sides.items()
        },
        "absent": [name for name, side in sides.items() if side is MISSING],
    }


def _shown(m: Match, data: Data, path: Any, show_secrets: bool) -> Data:
    from pkgupdate.patch.secrets import hidden

    return data if show_secrets else hidden(m.identity.kind, data, path)


def _text(found: list[Match], show_secrets: bool) -> str:
    from pkgupdate.patch.match import State

    lines = []
    for m in found:
        style = "applied" if m.state is State.IN_SYNC else "collision"
        lines.append(f"{console.style(m.state.value, style)}  {m.identity}")
        lines += [f"  {_line(m, change, show_secrets)}" for change in m.changes]
    counts = (f"{sum(m.state is state for m in found)} {state.value}" for state in State)
    return "\n".join([*lines, ", ".join(counts)]) + "\n"


def _markdown(found: list[Match], show_secrets: bool) -> str:
    from pkgupdate.patch.match import State
    from pkgupdate.report.display import count
    from pkgupdate.report.markdown import code, escape, table

    open_ones = [m for m in found if m.state is not State.IN_SYNC]
    head = f"## ⚠ {len(open_ones)} of {count(len(found), 'resource')} not as the package says"
    if not open_ones:
        return f"## {count(len(found), 'resource')} as the package says\n"
    rows = [
        (code(str(m.identity)), m.state.value, escape(line))
        for m in open_ones
        for line in [_line(m, change, show_secrets) for change in m.changes] or [""]
    ]
    return "\n".join([head, "", *table(("resource", "state", "what"), rows)]) + "\n"


def _line(m: Match, change: Change, show_secrets: bool) -> str:
    import json

    from pkgupdate.document.values import MISSING
    from pkgupdate.paths import format_path

    if change.order:
        return f"{format_path(change.path)}: the items stand in another order"
    sides = []
    for side in (change.before, change.after):
        if side is MISSING:
            sides.append("(absent)")
        else:
            text = json.dumps(_shown(m, side, change.path, show_secrets), ensure_ascii=False)
            sides.append(text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…")
    return f"{format_path(change.path)}: live {sides[0]}, desired {sides[1]}"
