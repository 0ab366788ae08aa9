"""`pkgupdate protect` and `unprotect`: places where local always wins, in the policy file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pkgupdate.cli import console
from pkgupdate.cli.completion import complete_package

if TYPE_CHECKING:
    from pkgupdate.merge.policy import Target

PackageOption = Annotated[
    Path,
    typer.Option(
        "--package",
        "-p",
        metavar="PKG",
        help="The package's folder.",
        exists=True,
        file_okay=False,
        autocompletion=complete_package,
    ),
]
_RESOURCE_HELP = "Glob on group/Kind/namespace/name, or on a file's path."
_PATH_HELP = "Path in the resource, as in reports; without it, the whole resource."


def protect(
    resource: Annotated[str, typer.Argument(metavar="RESOURCE", help=_RESOURCE_HELP)] = "",
    path: Annotated[str, typer.Argument(metavar="PATH", help=_PATH_HELP)] = "",
    show: Annotated[bool, typer.Option("--list", help="List the protected places.")] = False,
    package: PackageOption = Path(),
) -> None:
    """Let local always win at a place; upstream's changes there are withheld and reported."""
    from pkgupdate.cli.target import note_interruption
    from pkgupdate.errors import UsageError
    from pkgupdate.policy_edit import NEW_POLICY, with_protection
    from pkgupdate.policy_file import POLICY_FILE, read_policy_file
    from pkgupdate.update.checks import check_package

    note_interruption(package)
    policy = read_policy_file(package)
    protected = policy.protected if policy else ()
    if show:
        console.result("".join(f"{_shown(target)}\n" for target in protected))
        return
    if not resource:
        raise UsageError(
            "usage", "which resource?", hint="pkgupdate protect RESOURCE PATH, or protect --list"
        )
    check_package(package)
    target = _target(resource, path)
    if target in protected:
        console.note(f"already protected: {_shown(target)}")
        return
    text = _text(package) if policy else NEW_POLICY
    _write(package, with_protection(text, target))
    console.note(f"protected: {_shown(target)} (in {package / POLICY_FILE})")
    if hint := _stranger(package, target):
        console.note(f"note: {hint}")


def unprotect(
    resource: Annotated[str, typer.Argument(metavar="RESOURCE", help=_RESOURCE_HELP)],
    path: Annotated[str, typer.Argument(metavar="PATH", help=_PATH_HELP)] = "",
    package: PackageOption = Path(),
) -> None:
    """Take a protection back."""
    from pkgupdate.cli.target import note_interruption
    from pkgupdate.errors import Location, PolicyError
    from pkgupdate.policy_edit import without_protection
    from pkgupdate.policy_file import POLICY_FILE, read_policy_file

    note_interruption(package)
    policy = read_policy_file(package)
    target = _target(resource, path)
    if policy is None or target not in policy.protected:
        raise PolicyError(
            "not-protected",
            f"there is no protection {_shown(target)!r}",
            where=Location(str(package / POLICY_FILE)),
            hint="see `pkgupdate protect --list`",
        )
    _write(package, without_protection(_text(package), policy.protected, target))
    console.note(f"no longer protected: {_shown(target)}")


def _stranger(package: Path, target: Target) -> str:
    """A sentence if nothing in the package is called so: most often that is a slip."""
    from difflib import get_close_matches

    from pkgupdate.inspect.resource_tree import places, resource_tree
    from pkgupdate.upstream.text import printable

    found = list(places(resource_tree(package)))
    if any(target.names(resource, file) for file, resource in found):
        return ""
    names = {name for place in found for name in place if name}
    near = get_close_matches(target.resource, names, n=1)
    hint = f"; did you mean {printable(near[0])}?" if near else ""
    return f"nothing in the package is called {printable(target.resource)} now{hint}"


def _target(resource: str, path: str) -> Target:
    from pkgupdate.merge.policy import Target
    from pkgupdate.paths import parse_pattern

    return Target(resource, parse_pattern(path))


def _shown(target: Target) -> str:
    from pkgupdate.paths import format_path

    return f"{target.resource} {format_path(target.path)}".rstrip()


def _text(package: Path) -> str:
    from pkgupdate.policy_file import POLICY_FILE

    return (package / POLICY_FILE).read_bytes().decode("utf-8")


def _write(package: Path, text: str) -> None:
    from pkgupdate.cli.files import write_file
    from pkgupdate.package.tree import FileKind, FileState
    from pkgupdate.policy_file import POLICY_FILE

    write_file(package / POLICY_FILE, FileState(FileKind.FILE, text.encode("utf-8")))
