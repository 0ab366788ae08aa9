"""The pages of the site: all of them can be reached, and their links lead somewhere.

`scripts/docs` builds the site itself, and checks anchors, too.
"""

import re
from pathlib import Path

import pytest
from console_blocks import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_every_page_is_in_the_navigation() -> None:
    named = re.findall(r"^ *- [^:]+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) == {page.relative_to(DOCS).as_posix() for page in PAGES}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for link in LINK.findall(text):
        if not link.startswith(("http:", "https:", "#")):
            assert (page.parent / link.split("#")[0]).is_file(), link
