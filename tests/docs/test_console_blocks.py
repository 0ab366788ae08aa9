"""Every command that the documentation shows does what it shows."""

import shutil
from pathlib import Path

import pytest
from console_blocks import ROOT, fits, run, steps_of

PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if steps_of(page.read_text())
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    steps = steps_of(page.read_text())
    if any("kpt" in step.command.split() for step in steps) and not shutil.which("kpt"):
        pytest.skip("kpt is not installed")
    for step, output in zip(steps, run(steps, tmp_path.resolve()), strict=True):
        if step.shown is not None and not fits(step.shown, output):
            assert output == step.shown, f"$ {step.command}"


def test_there_are_such_pages() -> None:
    assert len(PAGES) > 3


@pytest.mark.parametrize(
    ("shown", "output", "expected"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\n", "a\n", True),
        ("…\nd\n", "a\nb\n", False),
    ],
)
def test_an_ellipsis_stands_for_any_lines(shown: str, output: str, expected: bool) -> None:
    assert fits(shown, output) is expected
