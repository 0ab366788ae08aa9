"""docs/pkgupdate.1 is what the command tree says."""

import shutil
import subprocess
import sys

import pytest
from console_blocks import ROOT

from pkgupdate.cli.registry import COMMANDS

PAGE = ROOT / "docs" / "pkgupdate.1"


def test_page_is_in_step_with_the_commands(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = tmp_path_factory.mktemp("man") / "pkgupdate.1"
    subprocess.run([sys.executable, ROOT / "tools" / "make_man_page.py", made], check=True)
    assert PAGE.read_text() == made.read_text(), "run tools/make_man_page.py docs/pkgupdate.1"
    headings = {
        line.removeprefix(".SS pkgupdate ").replace("\\-", "-")
        for line in made.read_text().splitlines()
        if line.startswith(".SS ")
    }
    assert headings == set(COMMANDS)


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
def test_man_can_show_the_page() -> None:
    done = subprocess.run(
        ["man", "--warnings", "-l", PAGE], capture_output=True, text=True, check=False
    )
    assert "pkgupdate update" in done.stdout
    assert not done.stderr
