"""docs/security.md names the limits as they are, and tests that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_limits() -> None:
    rows = re.findall(r"\| ([\d,]+) \| `([\w.]+)\.(\w+)` \|", PAGE)
    assert len(rows) > 8
    for value, module, name in rows:
        assert getattr(importlib.import_module(module), name) == int(value.replace(",", ""))


def test_all_of_this_folder_is_named() -> None:
    here = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}
    assert here <= set(re.findall(r"`(test_\w+\.py)`", PAGE))
    for path in re.findall(r"`(tests/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
