"""`pkgupdate diff`: what differs between the versions of a package."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pkgupdate.cli.options import load, target_argument, update_settings

if TYPE_CHECKING:
    from pkgupdate.inspect.versions import DiffType, Versions


class Type(StrEnum):
    """What is compared; `pkgupdate.inspect.versions.DiffType` explains each."""

    LOCAL = "local"
    REMOTE = "remote"
    COMBINED = "combined"
    THREE_WAY = "3way"


class DiffFormat(StrEnum):
    """Forms of the differences."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    DIFF = "diff"
    PATCHES = "patches"


def diff(
    context: typer.Context,
    package: Annotated[
        str, target_argument("The package, and the upstream ref to compare with.")
    ] = ".",
    diff_type: Annotated[
        Type | None,
        typer.Option(
            "--diff-type",
            help="local: the package with what was fetched (the default). remote: REF with what "
            "was fetched. combined: the package with REF (the default if REF is given). "
            "3way: both with what was fetched.",
        ),
    ] = None,
    form: Annotated[
        DiffFormat | None, typer.Option("--format", help="The form of the differences.")
    ] = None,
    diff_tool: Annotated[
        str | None,
        typer.Option(
            "--diff-tool", metavar="PROGRAM", help="Let a program compare (KPT_EXTERNAL_DIFF)."
        ),
    ] = None,
    diff_tool_opts: Annotated[
        str | None,
        typer.Option(
            "--diff-tool-opts", metavar="OPTIONS", help="Its options (KPT_EXTERNAL_DIFF_OPTS)."
        ),
    ] = None,
    show_secrets: Annotated[
        bool,
        typer.Option("--show-secrets", help="Show the values of Secrets (--format patches only)."),
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 1 if there are differences.")
    ] = False,
) -> int:
    """Show what differs: resource by resource, path by path.

    Without REF, the ref in the Kptfile is taken where one is needed.
    """
    from pkgupdate.cli import console
    from pkgupdate.cli.target import note_interruption, split_target
    from pkgupdate.errors import UsageError
    from pkgupdate.inspect.diff_tool import OPTIONS_VARIABLE, TOOL_VARIABLE, run_diff_tool
    from pkgupdate.inspect.versions import DiffType, open_versions

    root, ref = split_target(package)
    note_interruption(root)
    kind = DiffType(diff_type or (Type.COMBINED if ref else Type.LOCAL))
    if ref and kind is DiffType.LOCAL:
        console.note(f"note: {ref} plays no part in a diff of type local")
    if diff_tool and form:
        raise UsageError("usage", "--diff-tool and --format exclude each other")
    if show_secrets and form is not DiffFormat.PATCHES:
        raise UsageError("usage", "--show-secrets goes with --format patches only")
    tool = diff_tool or (None if form else os.environ.get(TOOL_VARIABLE))
    settings = update_settings(load(context, root), ref, None)
    with open_versions(root, ref, kind, settings) as versions:
        if tool:
            options = diff_tool_opts or os.environ.get(OPTIONS_VARIABLE, "")
            console.clear_progress()
            differs = run_diff_tool(versions, kind, tool, options)
        else:
            text, differs = _rendered(
                versions, kind, form or DiffFormat.TEXT, show_secrets=show_secrets
            )
            console.result(text, paged=True)
    return 1 if exit_code and differs else 0


def _rendered(
    versions: Versions, kind: DiffType, form: DiffFormat, *, show_secrets: bool
) -> tuple[str, bool]:
    """The differences in a form, and whether there are any."""
    from pkgupdate.cli import console
    from pkgupdate.errors import UsageError
    from pkgupdate.inspect.differences import differences, file_changes

    if form in (DiffFormat.TEXT, DiffFormat.JSON, DiffFormat.MARKDOWN):
        from pkgupdate.report.differences import render_json, render_markdown, render_text

        trees = versions.trees
        changes = {pair: differences(trees[pair[0]], trees[pair[1]]) for pair in kind.pairs}
        if form is DiffFormat.JSON:
            text = render_json(versions, kind, changes)
        elif form is DiffFormat.MARKDOWN:
            text = render_markdown(versions, kind, changes)
        else:
            text = render_text(versions, kind, changes, style=console.style)
        return text, any(changes.values())
    if len(kind.pairs) > 1:
        raise UsageError(
            "usage", f"a diff of type {kind.value} has the formats text, json and markdown only"
        )
    ((before, after),) = kind.pairs
    if form is DiffFormat.PATCHES:
        from pkgupdate.inspect.patches import package_patches
        from pkgupdate.report.patches import render_patches
        from pkgupdate.upstream.text import printable

        found = package_patches(versions.trees[before], versions.trees[after])
        for path in found.others:
            console.note(f"note: {printable(path)} differs too, and holds no resource to patch")
        text = render_patches(found.patches, show_secrets=show_secrets)
        return text, bool(found.patches or found.others)
    from pkgupdate.inspect.text_trees import text_trees
    from pkgupdate.report.unified import painted, render_diff

    texts = text_trees(versions.trees, versions.trees["original"])
    text = render_diff(file_changes(texts[before], texts[after]))
    return painted(text, console.style), bool(text)
