"""The figures of the comparison with kpt are those that both give today."""

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
