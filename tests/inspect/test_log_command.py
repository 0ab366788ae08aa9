"""`pkgupdate log`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inspect_repos import Monorepo
from inspect_run import Run


@pytest.fixture
def web(up: Monorepo, work: Path, run: Run) -> Path:
    """Fetched at v1.0.0; v1.2.0 has two commits more, one of them in another directory."""
    assert run("get", up.address("web", "v1.0.0"), "web").code == 0
    up.commit({"other/file": "x"}, "Elsewhere")
    up.commit({"web/run.sh": "more\n"}, "Evil \x1b[31m *subject*\n\nA body\nwith \x07 bell")
    up.git("tag", "v1.2.0")
    up.commit({"web/run.sh": "last\n"}, "Untagged")
    return work / "web"


@pytest.mark.parametrize(
    ("target", "subjects"),
    [
        ("web", ["Evil", "Scale up"]),
        ("web@v1.2.0", ["Evil", "Scale up"]),
        ("web@v1.1.0", ["Scale up"]),
        ("web@main", ["Untagged", "Evil", "Scale up"]),
        ("web@v1.0.0", []),
        ("web@~1.1", ["Scale up"]),
    ],
)
def test_commits_of_the_directory_newest_first(
    web: Path, run: Run, target: str, subjects: list[str]
) -> None:
    data = json.loads(run("log", target, "--format=json").out)
    assert [c["subject"].partition(" \x1b")[0] for c in data["commits"]] == subjects
    assert data["backward"] is False


def test_oneline(web: Path, up: Monorepo, run: Run) -> None:
    head = up.git("rev-parse", "v1.1.0")
    assert run("log", "web@v1.1.0", "--oneline").out == (
        f"web v1.0.0..v1.1.0: 1 commit\n{head[:7]} 2026-03-01 Scale up\n"
    )


@pytest.mark.parametrize(
    "options", [(), ("--oneline",), ("--format=markdown",), ("--format=json",)]
)
def test_nothing_of_upstream_reaches_the_terminal_raw(
    web: Path, run: Run, options: tuple[str, ...]
) -> None:
    out = run("log", "web", *options).out
    assert "Evil" in out and "\x1b" not in out and "\x07" not in out
    if options == ("--format=markdown",):
        assert "\\*subject\\*" in out


def test_a_ref_that_lies_before_the_fetch(web: Path, up: Monorepo, run: Run) -> None:
    assert run("update", "web@v1.2.0").code == 0
    outcome = run("log", "web@v1.1.0")
    assert outcome.out.startswith(
        "web v1.2.0..v1.1.0: 1 commit; v1.1.0 lies before what was fetched\n"
    )
    assert run("log", "web").out == "web v1.2.0..v1.2.0: no commits\n"


def test_an_unknown_ref(web: Path, run: Run) -> None:
    outcome = run("log", "web@v7")
    assert outcome.code == 3 and "error[ref-unknown]" in outcome.err
