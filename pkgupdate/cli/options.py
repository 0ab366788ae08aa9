"""Options that several commands share, each declared once.

A command names the groups it takes in the registry; their values are kept with the context and
reach the command through `load`.

Annotations are real objects here, not texts: Typer would evaluate each text several times over.
"""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pkgupdate.cli import console
from pkgupdate.cli.completion import complete_target

if TYPE_CHECKING:
    from pkgupdate.config import Config
    from pkgupdate.merge.decisions import Choices
    from pkgupdate.update.options import UpdateOptions

_FLAGS = "pkgupdate.flags"


def _keep(context: typer.Context, param: typer.CallbackParam, value: Any) -> None:
    context.meta.setdefault(_FLAGS, {})[param.name] = value


class Format(StrEnum):
    """The form of a report."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    DIFF = "diff"
    MUTATIONS = "mutations"


class OnConflictChoice(StrEnum):
    """Who wins a collision."""

    RULES = "rules"
    UPSTREAM = "upstream"
    LOCAL = "local"
    FAIL = "fail"
    ASK = "ask"


class PipelineFallback(StrEnum):
    """What a pipeline without a usable key does."""

    REPLACE = "replace"
    ALIGN = "align"


class Strategy(StrEnum):
    """How a package is updated."""

    RESOURCE_MERGE = "resource-merge"
    FAST_FORWARD = "fast-forward"
    FORCE_DELETE_REPLACE = "force-delete-replace"
    COPY_MERGE = "copy-merge"


def _flag(names: str, help_text: str, **more: Any) -> Any:
    """An option whose value is kept with the context instead of being passed on."""
    return typer.Option(names, help=help_text, callback=_keep, expose_value=False, **more)


_PLACE = "RESOURCE:PATH"


def policy_options(
    on_conflict: Annotated[
        OnConflictChoice | None,
        _flag("--on-conflict", "Who wins a collision; `fail` writes nothing, `ask` asks for each."),
    ] = None,
    protect: Annotated[
        list[str] | None,
        _flag("--protect", "Local always wins here. May be repeated.", metavar=_PLACE),
    ] = None,
    scope: Annotated[
        list[str] | None,
        _flag("--scope", "Take upstream's changes only here. May be repeated.", metavar=_PLACE),
    ] = None,
    pipeline_fallback: Annotated[
        PipelineFallback | None,
        _flag("--pipeline-fallback", "What to do with a pipeline that has no usable key."),
    ] = None,
    kpt_compat: Annotated[
        bool | None,
        _flag("--kpt-compat/--no-kpt-compat", "Merge as coarsely as kpt does."),
    ] = None,
    conflict_markers: Annotated[
        bool | None,
        _flag(
            "--conflict-markers/--no-conflict-markers",
            "Write Git's conflict markers where lines of a text file collide.",
        ),
    ] = None,
) -> None:
    """How collisions end."""


def update_options(
    strategy: Annotated[
        Strategy | None, _flag("--strategy", "How to update; else as the Kptfile says.")
    ] = None,
    allow_dirty: Annotated[
        bool | None,
        _flag("--allow-dirty/--no-allow-dirty", "Update in spite of uncommitted changes."),
    ] = None,
) -> None:
    """How a package is updated."""


def upstream_options(
    recurse: Annotated[
        bool | None, _flag("--recurse/--no-recurse", "Take subpackages of other upstreams along.")
    ] = None,
    merge_comments: Annotated[
        bool | None,
        _flag("--merge-comments/--no-merge-comments", "Add `# kpt-merge:` to new resources."),
    ] = None,
    require_signed: Annotated[
        bool | None,
        _flag("--require-signed/--no-require-signed", "Verify the signature of tag or commit."),
    ] = None,
) -> None:
    """What is taken from upstream."""


def network_options(
    prereleases: Annotated[
        bool | None,
        typer.Option(
            "--prereleases/--no-prereleases",
            "--prerelease",
            help="A version constraint may choose prereleases.",
            callback=_keep,
            expose_value=False,
        ),
    ] = None,
    offline: Annotated[
        bool | None, _flag("--offline/--no-offline", "Use only what the cache holds.")
    ] = None,
    timeout: Annotated[
        float | None,
        _flag("--timeout", "Give up on the network after so long.", metavar="SECONDS", min=0.1),
    ] = None,
    cache_dir: Annotated[
        Path | None, _flag("--cache-dir", "Where fetched repositories are kept.")
    ] = None,
) -> None:
    """How upstream is reached."""


def common_options(
    color: Annotated[
        console.Color | None,
        typer.Option(help="Colour the output.", callback=console.set_color, expose_value=False),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="No progress and no notes on stderr.",
            callback=console.set_quiet,
            expose_value=False,
        ),
    ] = False,
    pager: Annotated[
        bool,
        typer.Option(
            "--pager/--no-pager",
            help="Show long results page by page at a terminal.",
            callback=console.set_pager,
            expose_value=False,
        ),
    ] = True,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            help="Say more: every decision, and what git is asked.",
            callback=console.set_verbose,
            expose_value=False,
        ),
    ] = 0,
) -> None:
    """The options of every command."""


def target_argument(help_text: str) -> Any:
    """The argument that `pkgupdate.cli.target.split_target` reads."""
    return typer.Argument(metavar="PKG@REF", help=help_text, autocompletion=complete_target)


FormatOption = Annotated[Format, typer.Option("--format", help="The form of the report.")]
ExitCodeOption = Annotated[
    bool, typer.Option("--exit-code", help="Exit 1 on collisions; in a dry run, on any change.")
]


def load(context: typer.Context, package: Path | None) -> "Config":
    """The settings of this run: the flags given, the environment, the files."""
    from pkgupdate.config import load_config

    flags = {name: _plain(value) for name, value in context.meta.get(_FLAGS, {}).items()}
    protect, scope = flags.pop("protect", None) or (), flags.pop("scope", None) or ()
    return load_config(package, flags, protect=protect, scope=scope)


def update_settings(
    config: "Config", ref: str | None, choices: "Choices | None", *, in_detail: bool = False
) -> "UpdateOptions":
    """The settings as the update layer takes them, with its log. in_detail: see `Policy`."""
    options = config.update_options(ref, choices, in_detail=in_detail)
    return replace(options, log=console.log)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, StrEnum) else value
