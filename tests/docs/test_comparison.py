"""The figures of the comparison with kpt are those that both give today."""

import re
import shutil
import subprocess
import sys

import pytest
from console_blocks import ROOT


@pytest.mark.skipif(not shutil.which("kpt"), reason="kpt is not installed")
def test_page_holds_the_present_comparison() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "compare_with_kpt.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    page = (ROOT / "docs" / "coming-from-kpt.md").read_text()
    assert page.split("<!-- comparison -->")[1] == f"\n{done.stdout}\n"


def test_readme_has_the_figures_of_the_page() -> None:
    page = (ROOT / "docs" / "coming-from-kpt.md").read_text()
    readme = (ROOT / "README.md").read_text()
    for row in ("lines changed", "comments lost", "values lost that nobody changed"):
        figures = [
            re.search(rf"^\| {row}.*? \|((?: \d+ \|)+)$", text, re.MULTILINE)
            for text in (page, readme)
        ]
        assert all(figures)
        assert len({figure[1] for figure in figures if figure}) == 1
    silent, _, _ = _cells(page, "local values overwritten, silently")
    _, reported, local = _cells(page, "local values overwritten, reported")
    assert (
        f"| local values overwritten | {silent}, silently | {reported}, reported | {local} |"
        in readme
    )


def _cells(page: str, row: str) -> list[str]:
    line = next(line for line in page.splitlines() if line.startswith(f"| {row} |"))
    return [cell.strip() for cell in line.split("|")[2:-1]]
