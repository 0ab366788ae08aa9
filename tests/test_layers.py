"""Imports point one way: a folder of the program imports only from those before it."""

import ast
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "pkgupdate"
LAYERS = (
    ("upstream", "schema"),
    ("document",),
    ("merge",),
    ("package",),
    ("patch",),
    ("update",),
    ("inspect",),
    ("report",),
    ("integrations",),
    ("cli",),
)
RANK = {folder: rank for rank, layer in enumerate(LAYERS) for folder in layer}


def imported_folders(file: Path) -> set[str]:
    """The folders of the program that a module imports from, wherever the import stands."""
    names = {
        name
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    parts = [name.split(".") for name in names]
    return {part[1] for part in parts if part[0] == "pkgupdate" and len(part) > 1} & RANK.keys()


@pytest.mark.parametrize("folder", RANK)
def test_a_folder_imports_only_from_those_before_it(folder: str) -> None:
    for file in (PROGRAM / folder).rglob("*.py"):
        for other in imported_folders(file) - {folder}:
            assert RANK[other] < RANK[folder], f"{file.relative_to(PROGRAM)} imports {other}"


def test_the_merge_knows_nothing_of_git() -> None:
    for file in (PROGRAM / "merge").rglob("*.py"):
        assert "upstream" not in imported_folders(file)


def test_every_folder_has_its_place() -> None:
    folders = {path.parent.name for path in PROGRAM.glob("*/__init__.py")}
    assert folders == set(RANK)


def test_the_page_names_every_folder_and_only_files_that_exist() -> None:
    page = (PROGRAM.parent / "docs" / "architecture.md").read_text()
    headings = {
        word.strip("`")
        for line in page.splitlines()
        if line.startswith("### ")
        for word in line[4:].split(", ")
    }
    assert headings == set(RANK)
    rows = [line for line in page.splitlines() if line.startswith("| ") and line.endswith(".py` |")]
    files = [row.split("`")[-2] for row in rows]
    assert len(files) > 10
    for file in files:
        root = PROGRAM.parent if file.startswith("tests/") else PROGRAM
        assert list(root.glob(file)), file
