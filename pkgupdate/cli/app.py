"""The command tree, built from the registry; a command's module is imported when it is used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

from pkgupdate import __version__
from pkgupdate.cli.parameters import Command, Group
from pkgupdate.cli.registry import COMMANDS, GROUPS

_ABOUT = "Update forked Kubernetes configuration packages and keep your own changes."
_CONTEXT = {"help_option_names": ["-h", "--help"]}


def application() -> Any:
    """The root command; its `main(args=…)` runs the program."""
    return _group("", _ABOUT)


class LazyGroup(Group):
    """A group whose commands are those of the registry under `prefix`."""

    prefix = ""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names right below this group, in the order of the registry."""
        start = len(self.prefix)
        names = (name[start:].split(" ")[0] for name in COMMANDS if name.startswith(self.prefix))
        return list(dict.fromkeys(names))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command, or make the group, of that name; None if there is none."""
        name = self.prefix + cmd_name
        if name in GROUPS:
            return _group(name + " ", GROUPS[name])
        return _command(name) if name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is named first. Raises UsageError `usage`."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            from pkgupdate.errors import UsageError
            from pkgupdate.settings import near_match

            hint = near_match(args[0], tuple(names)) or f"see `{ctx.command_path} --help`"
            raise UsageError("usage", f"No such command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands from the registry alone, importing none of them."""
        helps = GROUPS | {name: entry.help for name, entry in COMMANDS.items()}
        rows = [(name, helps[self.prefix + name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _group(prefix: str, help_text: str) -> Any:
    """A group of commands; the root one (no prefix) has `--version` and completion."""
    group_class = type("Group", (LazyGroup,), {"prefix": prefix})
    app = typer.Typer(
        cls=group_class,
        help=help_text,
        invoke_without_command=True,
        rich_markup_mode=None,
        add_completion=not prefix,
        context_settings=_CONTEXT,
    )
    app.callback()(_root if not prefix else _only_help)
    return typer.main.get_command(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pkgupdate {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    _only_help(context)


def _only_help(context: typer.Context) -> None:
    """Without a command: the help, as a usage error."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), file=sys.stderr)
        raise typer.Exit(2)


def _command(name: str) -> Any:
    """Build a command from its function, with the options that it shares with others."""
    entry = COMMANDS[name]
    command = _built(_load(entry.target), name.split(" ")[-1])
    for group in (*entry.options, "common"):
        shared = _built(_load(f"pkgupdate.cli.options:{group}_options"), group)
        command.params.extend(param for param in shared.params if not param.expose_value)
    return command


def _load(target: str) -> Callable[..., None]:
    module, _, function = target.partition(":")
    loaded: Callable[..., None] = getattr(import_module(module), function)
    return loaded


def _built(function: Callable[..., None], name: str) -> Any:
    app = typer.Typer(rich_markup_mode=None, add_completion=False, context_settings=_CONTEXT)
    app.command(name, cls=Command)(function)
    return typer.main.get_command(app)
