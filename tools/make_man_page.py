"""Writes the man page from the command tree.

python tools/make_man_page.py docs/pkgupdate.1
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pkgupdate import __version__
from pkgupdate.cli.app import application
from pkgupdate.settings import SETTINGS

_ABOUT = """
A configuration package is a folder of Kubernetes YAML with a Kptfile. pkgupdate fetches one from an
upstream Git repository and later brings upstream's changes into the local copy: every resource is
merged from three versions (what was fetched, what upstream has now, what is there), and written
back with its comments and its layout. Where both sides changed the same thing, a stated rule
decides, and the report shows all three values.
"""
_COMMON = {"--color", "--quiet", "--verbose", "--pager", "--help"}
_EXIT_CODES = {
    "0": "Done. Collisions that a rule decided are no failure.",
    "1": "With --exit-code: collisions or changes; a check found something.",
    "2": "The command line is wrong.",
    "3": "An expected failure; the package is as it was.",
    "4": "A fault of pkgupdate. The message names a log that holds no secrets.",
    "130": "Interrupted.",
}
_FILES = {
    "Kptfile": "What a package follows, and what was fetched last.",
    "pkgupdate.yaml": "The policy of a package: who wins, protected paths, scope, list rules.",
    "~/.config/pkgupdate/config.yaml": "The user's settings; PKGUPDATE_CONFIG names another file.",
}
_VARIABLES = {
    "PKGUPDATE_CONFIG": "The user's settings file.",
    "PKGUPDATE_STATE_DIR": "Where journals of updates are kept.",
    "KPT_CACHE_DIR": "The cache is the folder pkgupdate in it, if PKGUPDATE_CACHE_DIR is not set.",
    "NO_COLOR, FORCE_COLOR": "No colour, or colour even where there is no terminal.",
}


def man_page() -> str:
    """The page as roff."""
    root = application()
    context = _context(root, "pkgupdate", None)
    commands = list(_commands(root, context, ()))
    lines = [
        f'.TH PKGUPDATE 1 "" "pkgupdate {__version__}" "User Commands"',
        *_section("NAME", f"pkgupdate \\- {_text(root.help)[:1].lower()}{_text(root.help)[1:-1]}"),
        *_section("SYNOPSIS", ".B pkgupdate", ".I COMMAND", "[OPTIONS] [ARGS]"),
        *_section("DESCRIPTION", _text(_ABOUT)),
        *_section("COMMANDS"),
    ]
    for path, command, its_context in commands:
        lines += _command(path, command, its_context)
    lines += _section("OPTIONS OF EVERY COMMAND")
    _, command, context = commands[0]
    for parameter in (p for p in command.params if _COMMON & set(p.opts)):
        lines += _entry(_spelling(parameter, context), parameter.help)
    settings = {setting.variable: f"As --{setting.name.replace('_', '-')}." for setting in SETTINGS}
    for title, table in (
        ("EXIT STATUS", _EXIT_CODES),
        ("ENVIRONMENT", settings | _VARIABLES),
        ("FILES", _FILES),
    ):
        lines += _section(title)
        for name, meaning in table.items():
            lines += _entry(name, meaning)
    lines += _section("SEE ALSO", ".BR git (1)")
    return "\n".join(lines) + "\n"


def _commands(
    group: Any, context: Any, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = _context(command, name, context)
        if hasattr(command, "list_commands"):
            yield from _commands(command, inner, (*path, name))
        else:
            yield (*path, name), command, inner


def _context(command: Any, name: str, parent: Any) -> Any:
    return command.make_context(name, [], parent=parent, resilient_parsing=True)


def _command(path: tuple[str, ...], command: Any, context: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join(
        [
            "[OPTIONS]",
            *(
                _spelling(p, context) if p.required else f"[{_spelling(p, context)}]"
                for p in arguments
            ),
        ]
    )
    name = _text(" ".join(("pkgupdate", *path)))
    lines = [f".SS {name}", f".B {name}", _text(usage)]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [".PP", _text(paragraph)]
    for parameter in command.params:
        if parameter.help and not parameter.hidden and not _COMMON & set(parameter.opts):
            lines += _entry(_spelling(parameter, context), parameter.help)
    return lines


def _spelling(parameter: Any, context: Any) -> str:
    """``-o, --output FILE``, ``--recurse / --no-recurse``, or the name of an argument.

    Typer marks types in its own way, which differs from version to version: ``<text|json>``.
    """
    spelling: str = parameter.get_help_record(context)[0]
    if parameter.param_type_name == "argument":
        return spelling.split(" <")[0].strip("[]{}")
    return re.sub(r"[<[](\w.*)[]>]$", lambda m: m[1] if "|" in m[1] else m[1].upper(), spelling)


def _section(title: str, *lines: str) -> list[str]:
    return [f".SH {title}", *lines]


def _entry(name: str, meaning: str) -> list[str]:
    return [".TP", f".B {_text(name)}", _text(meaning)]


def _text(text: str) -> str:
    """Plain text as one line of roff."""
    line = re.sub(r"\s+", " ", text).strip().replace("`", "")
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(man_page())
