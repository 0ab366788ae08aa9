"""`pkgupdate config show`: every setting and where it comes from."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pkgupdate.cli.completion import complete_package

_KEY = 17


class SettingsFormat(StrEnum):
    """Forms of the list of settings."""

    TEXT = "text"
    JSON = "json"


def show(
    context: typer.Context,
    package: Annotated[
        Path,
        typer.Argument(
            metavar="PKG",
            help="The package's folder.",
            autocompletion=complete_package,
            exists=True,
            file_okay=False,
        ),
    ] = Path(),
    form: Annotated[
        SettingsFormat, typer.Option("--format", help="The form of the list.")
    ] = SettingsFormat.TEXT,
) -> None:
    """Show each setting and where its value comes from."""
    import json

    from pkgupdate.cli import console
    from pkgupdate.cli.options import load
    from pkgupdate.config import user_file
    from pkgupdate.paths import format_path
    from pkgupdate.policy_file import POLICY_FILE
    from pkgupdate.report.as_json import API_VERSION
    from pkgupdate.settings import SETTINGS

    config = load(context, package)
    rows = [(s.key, config.values[s.name]) for s in SETTINGS]
    places = {
        name: [{"resource": t.resource, "path": format_path(t.path)} for t in targets]
        for name, targets in (("protect", config.protected), ("scope", config.scope))
    }
    if form is SettingsFormat.JSON:
        data = {
            "apiVersion": API_VERSION,
            "kind": "SettingList",
            "settings": {key: {"value": row.value, "source": row.source} for key, row in rows},
            **places,
        }
        console.result(json.dumps(data, indent=2) + "\n")
        return
    width = max(len(_shown(row.value)) for _, row in rows)
    lines = [f"{key:<{_KEY}} {_shown(row.value):<{width}} {row.source}" for key, row in rows]
    lines += [
        f"{name:<{_KEY}} {target['resource']} {target['path']}".rstrip()
        for name, targets in places.items()
        for target in targets
    ]
    for name, path in (("policy file", package / POLICY_FILE), ("user's file", user_file())):
        lines.append(f"{name:<{_KEY}} {path}" + ("" if path.exists() else " (there is none)"))
    console.result("\n".join(lines) + "\n")


def _shown(value: object) -> str:
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
