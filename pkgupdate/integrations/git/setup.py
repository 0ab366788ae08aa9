"""Switching the merge driver and the hooks on and off, for one repository or for a user."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pkgupdate.errors import ApplyError, Location
from pkgupdate.integrations.git import hooks
from pkgupdate.integrations.git.attributes import PATTERNS, add_block, has_block, remove_block
from pkgupdate.integrations.git.process import Git, top_level

Scope: TypeAlias = Literal["local", "global"]

_NAME = "structural merge of Kptfiles and YAML (pkgupdate)"
# Git itself quotes what it puts in for %P and the labels, so that any path is one argument.
_ARGUMENTS = "%O %A %B %L %P"
_LABELS = " %S %X %Y"
_LABELS_SINCE = (2, 45)


@dataclass(frozen=True, slots=True)
class Status:
    """What is set up, as Git sees it from here.

    driver: the command of the merge driver, empty if there is none; driver_scope: where it is set.
    attributes_file: the file our lines belong in; has_attributes: they are there.
    merged_by_us: for each of our patterns, whether Git would use the driver for such a file at the
        root of the repository (the user's own lines may say otherwise).
    """

    scope: Scope
    driver: str
    driver_scope: str
    attributes_file: Path
    has_attributes: bool
    merged_by_us: dict[str, bool]
    hooks_directory: Path | None
    hooks: tuple[hooks.HookState, ...]
    notes: tuple[str, ...] = ()


def enable(scope: Scope, directory: Path | None = None, *, with_hooks: bool = True) -> Status:
    """Register the driver, write the attributes and install the hooks. Doing it twice is fine.

    Raises PackageError `not-a-repository`, ApplyError `hooks-not-writable`,
    `hook-aside-exists`, `attributes-not-writable`.
    """
    git = Git(top_of(scope, directory))
    program = _program()
    driver = f"{program} merge-driver {_ARGUMENTS}"
    if _git_version(git) >= _LABELS_SINCE:
        driver += _LABELS
    hooks_directory = _hooks_directory(git, scope)
    if with_hooks and hooks_directory:
        hooks.install(hooks_directory, program)
    _change_attributes(_attributes_file(git, scope), add_block)
    # Git refuses to merge where a driver has a name but no command.
    git.need("config", f"--{scope}", "merge.pkgupdate.driver", driver)
    git.need("config", f"--{scope}", "merge.pkgupdate.name", _NAME)
    return status(scope, directory)


def disable(scope: Scope, directory: Path | None = None) -> Status:
    """Undo `enable`: what it changed is as it was before. Raises as `enable` does."""
    git = Git(top_of(scope, directory))
    for key in ("merge.pkgupdate.name", "merge.pkgupdate.driver"):
        git.run("config", f"--{scope}", "--unset-all", key)
    _change_attributes(_attributes_file(git, scope), remove_block)
    hooks_directory = _hooks_directory(git, scope)
    if hooks_directory and hooks_directory.is_dir():
        hooks.uninstall(hooks_directory)
    return status(scope, directory)


def status(scope: Scope, directory: Path | None = None) -> Status:
    """What is set up now."""
    git = Git(top_of(scope, directory))
    where, _, driver = git.run("config", "--show-scope", "merge.pkgupdate.driver").text.partition(
        "\t"
    )
    attributes_file = _attributes_file(git, scope)
    hooks_directory = _hooks_directory(git, scope)
    found = tuple(hooks.state(hooks_directory)) if hooks_directory else ()
    return Status(
        scope,
        driver,
        where,
        attributes_file,
        has_block(_read(attributes_file)),
        _merged_by_us(git),
        hooks_directory,
        found,
        tuple(_notes(git, driver, scope, hooks_directory)),
    )


def top_of(scope: Scope, directory: Path | None) -> Path | None:
    """The root of the work tree, or the repository itself if it is bare; anywhere if global."""
    if scope == "global":
        return directory
    if Git(directory).run("rev-parse", "--is-bare-repository").text == "true":
        return Path(Git(directory).need("rev-parse", "--absolute-git-dir").text)
    return top_level(directory)


def _program() -> str:
    """How to start this program from a shell."""
    if shutil.which("pkgupdate"):
        return "pkgupdate"
    return shlex.quote(str(Path(sys.argv[0]).absolute()))


def _git_version(git: Git) -> tuple[int, ...]:
    match = re.search(r"(\d+)\.(\d+)", git.need("version").text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _hooks_directory(git: Git, scope: Scope) -> Path | None:
    """Where hooks are. Globally only if a directory is set: setting one would end all others."""
    if scope == "global":
        path = git.run("config", "--global", "--type=path", "core.hooksPath").text
        return Path(path) if path else None
    return (git.directory or Path()) / git.need("rev-parse", "--git-path", "hooks").text


def _attributes_file(git: Git, scope: Scope) -> Path:
    if scope == "global":
        path = git.run("config", "--global", "--type=path", "core.attributesFile").text
        if path:
            return Path(path)
        config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Path(config) / "git" / "attributes"
    assert git.directory is not None
    if git.run("rev-parse", "--is-bare-repository").text == "true":
        return git.directory / "info" / "attributes"
    return git.directory / ".gitattributes"


def _change_attributes(path: Path, change: Callable[[str | None], str | None]) -> None:
    old = _read(path)
    new = change(old)
    try:
        if new is None:
            path.unlink(missing_ok=True)
        elif new != old:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(new.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise ApplyError(
            "attributes-not-writable",
            "the attributes file cannot be changed",
            where=Location(str(path)),
            why=error.strerror or str(error),
        ) from error


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None


def _merged_by_us(git: Git) -> dict[str, bool]:
    names = {pattern: pattern.replace("*", "name") for pattern in PATTERNS}
    fields = git.run("check-attr", "-z", "merge", "--", *names.values()).names
    attributes = dict(zip(fields[::3], fields[2::3], strict=True))
    return {pattern: attributes.get(name) == "pkgupdate" for pattern, name in names.items()}


def _notes(git: Git, driver: str, scope: Scope, hooks_directory: Path | None) -> Iterator[str]:
    if driver and not _can_start(driver):
        yield f"the driver's program cannot be started: {driver.split(' merge-driver')[0]}"
    if scope == "global" and hooks_directory is None:
        yield "hooks belong to a repository: run `pkgupdate git enable` in each"
    if scope == "local":
        where = git.run("config", "--show-scope", "core.hooksPath").text.partition("\t")[0]
        if where and where not in ("local", "worktree"):
            yield f"core.hooksPath is a {where} setting: these hooks serve other repositories too"


def _can_start(driver: str) -> bool:
    try:
        words = shlex.split(driver)
    except ValueError:
        return False
    return bool(words) and shutil.which(words[0]) is not None
