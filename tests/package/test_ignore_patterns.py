"""Ignore patterns against `git check-ignore`, and in bounded time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pkgupdate.package.ignore_patterns import Rules

PATHS = [
    "a.yaml", "a.tmpl", "keep.tmpl", "dir/a.yaml", "dir/deep/a.yaml", "dir/deep/b.tmpl", "x/dir/c",
    "[a].yaml", "b[1]", "#no", "!no", "sp ", "ab", "abc", "a-b", "x/y/z/w", "x/z/w", "star*",
]  # fmt: skip
PATTERNS = [
    "*.tmpl", "*.tmpl\n!keep.tmpl", "dir/", "/dir", "dir/deep", "/deep", "deep/", "**/deep/*.yaml",
    "x/**/w", "x/**", "x/**\n!x/z/w", "x/*\n!x/z", "**", "a?c", "a[!b]*", "a[b-c]c", "\\#no", "#no",
    "\\!no", "sp\\ ", "sp ", "[[]a].yaml", "b[[]1]", "[a", "star\\*", "*a*b*", "/", "//", "",
    "a//b",
    "dir/**/", "*/deep", "!dir\ndir", "ab*c", "[]a]b", "[^x]*/z",
]  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignore")
    subprocess.run(["git", "init", "-q", root], check=True)
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return root


@pytest.mark.parametrize("patterns", PATTERNS)
def test_the_same_files_as_git(repository: Path, patterns: str) -> None:
    (repository / ".gitignore").write_text(patterns + "\n")
    done = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin", "--no-index"],
        cwd=repository,
        env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        input="\0".join(PATHS).encode(),
        capture_output=True,
        check=False,
    )
    ignored = [path for path in done.stdout.decode().split("\0") if path]
    rules = Rules(patterns.splitlines())
    assert [path for path in PATHS if rules.covers(path)] == ignored


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 60 + "b", "a" * 250),
        ("**/a/" * 30 + "b", "a/" * 200 + "c"),
        ("?*" * 60 + "x", "a" * 250),
        ("[ab]*" * 60 + "x", "ab" * 120),
    ],
)
def test_no_pattern_backtracks(
    pattern: str, path: str, calls: Callable[[Callable[[], object]], int]
) -> None:
    rules = Rules([pattern])
    assert not rules.covers(path)
    assert calls(lambda: Rules([pattern]).covers(path)) < 100 * len(pattern) * len(path)
