"""docs/merge-rules.md: its examples hold, and it has a section for every rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pkgupdate.merge.decisions import Rule
from pkgupdate.merge.policy import Policy, Target
from pkgupdate.paths import parse_pattern

from .helpers import PLACE, merge, merge_kptfile

PAGE = (Path(__file__).parents[2] / "docs" / "merge-rules.md").read_text()
FENCE = re.compile(r'```(?:yaml|text) title="(\w+)"\n(.*?)```', re.DOTALL)
POLICY = re.compile(r"^Policy: `(\w+): (.+)`$", re.MULTILINE)


def examples() -> list[Any]:
    found = []
    for title, body in re.findall(r"^##+ (.+?)\n(.*?)(?=^## |^### |\Z)", PAGE, re.DOTALL | re.M):
        blocks = FENCE.findall(body)
        for number in range(0, len(blocks), 5):
            example = dict(blocks[number : number + 5])
            assert set(example) == {"original", "upstream", "local", "merged", "decisions"}
            name = f"{title.strip('`')}-{number // 5 + 1}"
            found.append(pytest.param(example, policy_of(body), id=name))
    return found


def policy_of(section: str) -> Policy:
    stated = POLICY.search(section)
    if stated is None:
        return Policy()
    if stated[1] == "choices":
        return Policy(choices={(PLACE.file, PLACE.resource, stated[2], "value"): "local"})
    return Policy(**{stated[1]: (Target("*", parse_pattern(stated[2])),)})


@pytest.mark.parametrize(("example", "policy"), examples())
def test_example_on_the_page(example: dict[str, str], policy: Policy) -> None:
    sides = example["original"], example["upstream"], example["local"]
    run = merge_kptfile if "kind: Kptfile" in example["local"] else merge
    merged = run(*sides, policy)
    assert merged.text == example["merged"]
    assert merged.told == example["decisions"].splitlines()


def test_every_rule_has_a_section() -> None:
    assert set(re.findall(r"^### `([a-z-]+)`$", PAGE, re.M)) == {rule.value for rule in Rule}
