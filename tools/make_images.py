"""Draws terminal pictures of real output: a plan, a collision.

    python tools/make_images.py docs/images

The commands run on the example package of `testdata/example`, fetched, edited and updated in a
temporary folder.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text
from sandbox import Sandbox

EXAMPLE = Path(__file__).parents[1] / "testdata" / "example"
_WIDTH = 112


class Example(Sandbox):
    """An upstream repository with both versions, and a team's edited copy of the first."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, date="2025-03-01T12:00:00Z", FORCE_COLOR="1", COLUMNS=str(_WIDTH))
        for version in ("v1", "v2"):
            self._write("upstream", EXAMPLE / version)
            self.commit("upstream", version)
            self.run("upstream", "git", "tag", version)
        (folder / "yours").mkdir()
        self.run("yours", "git", "init", "--quiet", "--initial-branch=main")
        address = f"file://{folder}/upstream/.git/shop@v1"
        self.run("yours", sys.executable, "-m", "pkgupdate", "get", address, "--quiet")
        self.commit("yours", "Fetch shop v1")
        self.run("yours", "git", "apply", "--directory=shop", str(EXAMPLE / "local-edits.patch"))
        (folder / "yours" / "shop" / "hpa.yaml").unlink()
        self.commit("yours", "Make shop our own")

    def pkgupdate(self, *words: str) -> str:
        """Run the program as at a terminal with colours."""
        return self.run("yours", sys.executable, "-m", "pkgupdate", *words, "--color", "always")

    def _write(self, repository: str, source: Path) -> None:
        target = self.folder / repository / "shop"
        if not target.parent.exists():
            target.mkdir(parents=True)
            self.run(repository, "git", "init", "--quiet", "--initial-branch=main")
        for file in target.iterdir():
            file.unlink()
        for file in source.iterdir():
            (target / file.name).write_bytes(file.read_bytes())


def picture(title: str, command: str, output: str) -> str:
    """An SVG of a terminal in which the command was typed."""
    console = Console(
        record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, color_system="standard"
    )
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    console.print(Text.from_ansi(output.rstrip("\n")))
    svg = console.export_svg(title=title, unique_id=title.replace(" ", "-"))
    return re.sub(r"@font-face {.*?}\n", "", svg, flags=re.DOTALL)  # no fonts from elsewhere


def _block(report: str, first: str, last: str) -> str:
    """The lines of a report from the one that holds `first` to before the one that holds `last`."""
    lines = report.splitlines()
    start = next(number for number, line in enumerate(lines) if first in line)
    end = next(number for number, line in enumerate(lines) if last in line and number > start)
    return "\n".join(lines[start:end])


def main() -> None:
    """Write the pictures into a folder."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: make_images.py FOLDER")
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        example = Example(Path(folder))
        plan = example.pkgupdate("update", "shop@v2", "--dry-run")
        report = example.pkgupdate("update", "shop@v2", "--quiet")
    pictures = {
        "plan": picture("what an update would bring", "pkgupdate update shop@v2 --dry-run", plan),
        "collision": picture(
            "two collisions",
            "pkgupdate update shop@v2",
            _block(report, "Collisions", "Kept although"),
        ),
    }
    for name, svg in pictures.items():
        (target / f"{name}.svg").write_text(svg)


if __name__ == "__main__":
    main()
