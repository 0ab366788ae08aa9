"""Long results at a terminal, page by page."""

from pathlib import Path

import pytest
from terminal import at_a_terminal

MANY = "".join(f"line {i}\n" for i in range(200))


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A merge whose diff is long, and a pager that only says that it was called."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("PAGER", raising=False)
    (tmp_path / "original.txt").write_text("")
    (tmp_path / "upstream.txt").write_text(MANY)
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nwc -l\necho paged\n")
    pager.chmod(0o755)
    monkeypatch.setenv("PKGUPDATE_PAGER", str(pager))
    named = [f"--{n}={tmp_path / n}.txt" for n in ("original", "upstream")]
    return ["merge", *named, f"--local={tmp_path}/original.txt", "--format=diff"]


def test_long_results_go_through_the_pager(sides: list[str]) -> None:
    code, shown = at_a_terminal(sides)
    assert (code, "paged" in shown, "line 100" in shown) == (0, True, False)


def test_short_results_do_not(sides: list[str]) -> None:
    assert "paged" not in at_a_terminal([*sides[:-1], "--format=text"])[1]


def test_no_pager(sides: list[str]) -> None:
    shown = at_a_terminal([*sides, "--no-pager"])[1]
    assert "line 100" in shown
    assert "paged" not in shown


@pytest.mark.parametrize("pager", ["", "cat", "no-such-pager", "'"])
def test_without_a_pager_all_is_printed(
    pager: str, sides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PKGUPDATE_PAGER", pager)
    code, shown = at_a_terminal(sides)
    assert (code, "line 199" in shown) == (0, True)


def test_leaving_the_pager_early_is_no_fault(
    sides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PKGUPDATE_PAGER", "head -c 1")
    code, shown = at_a_terminal(sides)
    assert code == 0
    assert "Traceback" not in shown


def test_pager_of_the_system_is_the_second_choice(
    sides: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PKGUPDATE_PAGER")
    monkeypatch.setenv("PAGER", str(tmp_path / "pager"))
    assert "paged" in at_a_terminal(sides)[1]


def test_a_diff_is_coloured_at_a_terminal(sides: list[str]) -> None:
    assert "\x1b[32m+line 3\x1b[0m" in at_a_terminal([*sides, "--no-pager"])[1]


def test_values_are_cut_to_the_terminal(tmp_path: Path, sides: list[str]) -> None:
    for name, letter in (("original", "o"), ("upstream", "u"), ("local", "l")):
        (tmp_path / f"{name}.yaml").write_text(f"a: {letter * 300}\n")
    named = [f"--{n}={tmp_path / n}.yaml" for n in ("original", "upstream", "local")]
    for columns in (40, 120):
        shown = at_a_terminal(["merge", *named, "--no-pager"], columns=columns)[1]
        (line,) = [line for line in shown.splitlines() if line.startswith("    original  o")]
        assert len(line.strip("\r")) == columns
