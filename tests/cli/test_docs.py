"""The first documents say what the program does."""

import re
from pathlib import Path

from pkgupdate.policy_file import read_policy_file
from pkgupdate.settings import SETTINGS

ROOT = Path(__file__).parents[2]


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


def test_python_of_the_readme_runs() -> None:
    examples = blocks("README.md", "python")
    assert examples
    for block in examples:
        exec(compile(block, "README.md", "exec"), {})


def test_policy_of_the_documentation_is_read(tmp_path: Path) -> None:
    (text,) = blocks("docs/policy.md", "yaml")
    (tmp_path / "pkgupdate.yaml").write_text(text)
    policy = read_policy_file(tmp_path)
    assert policy is not None
    assert policy.values == {"on_conflict": "fail"}
    assert len(policy.protected) == 2
    assert len(policy.schema) == 2


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "policy.md").read_text()
    for setting in SETTINGS:
        flag = "--" + setting.name.replace("_", "-")
        row = next(line for line in text.splitlines() if line.startswith(f"| {setting.key} |"))
        assert f"`{flag}`" in row
        assert f"`{setting.variable}`" in row
        assert all(choice in row for choice in setting.choices)
        assert row.endswith(("| both |",) if setting.where == "policy" else ("| user's file |",))
