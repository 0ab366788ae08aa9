"""Installing hooks beside those that are there already.

A hook that exists is moved aside (`pre-commit.before-pkgupdate`) and run first by ours; taking ours
out moves it back. Files of other hook managers are treated like any other hook. Ours is known by a
line in it, wherever another manager may have moved it since.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pkgupdate.errors import ApplyError, Location

HOOKS = ("pre-merge-commit", "pre-commit")
"""`pre-merge-commit` runs when a merge went well, `pre-commit` when conflicts were resolved."""

_MARK = "# pkgupdate-hook"
_ASIDE = ".before-pkgupdate"

# Outside of merges `pre-commit` has nothing to check, and says so without starting Python.
_ONLY_IN_MERGES = """\
merging=
for head in MERGE_HEAD CHERRY_PICK_HEAD REBASE_HEAD; do
  test -f "$(git rev-parse --git-path "$head")" && merging=yes
done
test "$merging" || exit 0
"""
_SCRIPT = """\
#!/bin/sh
{mark} {name}: stops a merge that leaves a package half merged; undo: `pkgupdate git disable`
earlier="$(dirname "$0")/{name}{aside}"
if test -x "$earlier"; then
  "$earlier" "$@" || exit
fi
{guard}command -v {program} >/dev/null || {{
  echo "warning: pkgupdate is not installed; merged packages are not checked" >&2
  exit 0
}}
exec {program} hook run {name}
"""


@dataclass(frozen=True, slots=True)
class HookState:
    """One hook: `installed` is ours, `chained` is an earlier one that ours runs first."""

    name: str
    path: Path
    installed: bool
    chained: bool


def hook_script(name: str, program: str) -> str:
    """The text of our hook. `program`: how to start pkgupdate, quoted for the shell."""
    guard = _ONLY_IN_MERGES if name == "pre-commit" else ""
    return _SCRIPT.format(mark=_MARK, name=name, aside=_ASIDE, guard=guard, program=program)


def state(directory: Path) -> list[HookState]:
    """What is installed in a hooks directory."""
    return [
        HookState(name, directory / name, bool(ours), any(_aside(p, name).exists() for p in ours))
        for name in HOOKS
        for ours in [_ours(directory, name)]
    ]


def install(directory: Path, program: str) -> None:
    """Install our hooks, or bring them up to date. Raises ApplyError `hooks-not-writable`."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in HOOKS:
            for path in _ours(directory, name) or [directory / name]:
                if not _is_ours(path) and _exists(path):
                    _move_aside(path, name)
                _write(path, hook_script(name, program))
    except OSError as error:
        raise _not_writable(directory, error) from error


def uninstall(directory: Path) -> None:
    """Take our hooks out and put earlier ones back. Raises ApplyError `hooks-not-writable`."""
    try:
        for name in HOOKS:
            for path in _ours(directory, name):
                aside = _aside(path, name)
                if _exists(aside):
                    aside.replace(path)
                else:
                    path.unlink()
    except OSError as error:
        raise _not_writable(directory, error) from error


def _ours(directory: Path, name: str) -> list[Path]:
    """Files of ours for this hook; another hook manager may have moved one to `NAME.legacy`."""
    return [path for path in sorted(directory.glob(name + "*")) if _is_ours(path, name)]


def _is_ours(path: Path, name: str = "") -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    return f"{_MARK} {name}".encode() in path.read_bytes()[:400]


def _aside(path: Path, name: str) -> Path:
    return path.with_name(name + _ASIDE)


def _move_aside(path: Path, name: str) -> None:
    aside = _aside(path, name)
    if _exists(aside):
        raise ApplyError(
            "hook-aside-exists",
            f"the hook {name} was replaced by another one, and an earlier one still lies beside it",
            where=Location(str(aside)),
            hint=f"move {aside.name} away, or put what it does into {name}, and try again",
        )
    path.rename(aside)


def _exists(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.chmod(0o755)
    temporary.replace(path)


def _not_writable(directory: Path, error: OSError) -> ApplyError:
    return ApplyError(
        "hooks-not-writable",
        "the hooks directory cannot be changed",
        where=Location(str(directory)),
        why=error.strerror or str(error),
        hint="see `git config core.hooksPath`; `pkgupdate git enable --no-hooks` does without",
    )
