"""Asking about collisions, changing decisions of a plan one by one, and doing so at a terminal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from example import git
from program import Run
from terminal import at_a_terminal

from pkgupdate.cli import ask
from pkgupdate.cli.ask import Dialog
from pkgupdate.errors import PkgUpdateError
from pkgupdate.merge.decisions import Choices, Decision, Kind
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import PackageMerge
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.tree import FileKind, FileState, MemoryTree

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  a: {}\n  b: {}\n"
FUNCTIONS = (
    "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: p}}\npipeline:\n  mutators:\n"
    "    - {{image: f:1, configMap: {{a: {}}}}}\n    - {{image: f:1}}\n"
)
Files = dict[str, str | None]


def trees(files: dict[str, tuple[str | None, str | None, str | None]]) -> Sides[MemoryTree]:
    def side(number: int) -> MemoryTree:
        texts = {path: versions[number] for path, versions in files.items()}
        return MemoryTree(
            {
                path: FileState(FileKind.FILE, text.encode())
                for path, text in texts.items()
                if text is not None
            }
        )

    return Sides(side(0), side(1), side(2))


class Talk:
    """A dialog with prepared answers, and all that was shown in it."""

    def __init__(self, *answers: str, edited: str | None = None) -> None:
        self.answers: Iterator[str] = iter(answers)
        self.shown: list[str] = []
        self.dialog = Dialog(self._read, self.shown.append, lambda text: edited)

    def _read(self, prompt: str) -> str:
        self.shown.append(prompt)
        try:
            return next(self.answers)
        except StopIteration:
            raise EOFError from None


def flip(
    files: dict[str, tuple[str | None, str | None, str | None]], talk: Talk
) -> dict[str, str | None]:
    """The files after a person changed decisions; each in the end as local has it or as changed."""
    sides = trees(files)

    def merge(choices: Choices) -> PackageMerge:
        return merge_trees(sides, policy=Policy(choices=choices, in_detail=True))

    outcome = ask.flip(merge, talk.dialog)
    result = {path: versions[2] for path, versions in files.items()}
    for change in outcome.changes:
        result[change.path] = change.after.content.decode() if change.after else None
    return result


A, B = CONFIG.format("a", 1, 1), CONFIG.format("b", 1, 1)
FLIPS = {
    "a resource that upstream added": ((None, A, None), "l", None),
    "a resource that upstream deleted": ((A, None, A), "l", A),
    "a resource that upstream deleted and local changed": (
        (A, None, CONFIG.format("a", 1, 2)),
        "u",
        None,
    ),
    "a resource that local deleted and upstream changed": (
        (A, CONFIG.format("a", 2, 1), None),
        "u",
        CONFIG.format("a", 2, 1),
    ),
    "a field that upstream changed": ((A, CONFIG.format("a", 2, 1), A), "l", A),
    "a field that local changed": ((A, A + "# end\n", CONFIG.format("a", 2, 1)), "u", A),
    "a field that both changed": (
        (A, CONFIG.format("a", 2, 1), CONFIG.format("a", 3, 1)),
        "l",
        CONFIG.format("a", 3, 1),
    ),
}


@pytest.mark.parametrize("name", FLIPS)
def test_each_decision_can_be_changed(name: str) -> None:
    versions, answer, expected = FLIPS[name]
    talk = Talk("1", answer, "")
    result = flip({"a.yaml": versions}, talk)["a.yaml"]
    assert (result or "").removesuffix("# end\n") == (expected or "")


FILES = {
    "a file that upstream changed": (("a\n", "b\n", "a\n"), "l", "a\n"),
    "a file that upstream added": ((None, "b\n", None), "l", None),
    "a file that upstream deleted": (("a\n", None, "a\n"), "l", "a\n"),
    "lines that both changed": (("a\n", "b\n", "c\n"), "u", "b\n"),
    "a file that local deleted": (("a\n", "b\n", None), "u", "b\n"),
}


@pytest.mark.parametrize("name", FILES)
def test_decisions_about_files_can_be_changed(name: str) -> None:
    versions, answer, expected = FILES[name]
    talk = Talk("1", "e", answer, "")
    assert flip({"notes.txt": versions}, talk)["notes.txt"] == expected
    assert not any("[e]dit" in line for line in talk.shown)


def test_a_decision_that_was_changed_is_told_as_chosen() -> None:
    talk = Talk("1", "l", "1", "e", "")
    talk.dialog = Dialog(talk._read, talk.shown.append, lambda text: "7\n")
    flip({"a.yaml": (A, CONFIG.format("a", 2, 1), A)}, talk)
    listed = [line.strip() for line in talk.shown if line.strip().startswith("1  ")]
    assert [line.rpartition(": ")[2] for line in listed] == [
        "1 -> 2",
        "local 1 chosen",
        "7 written by hand",
    ]


def test_only_what_a_change_concerns_is_listed_again() -> None:
    talk = Talk("2", "l", "x", "?", "")
    versions = {"a.yaml": (A, CONFIG.format("a", 2, 3), A)}
    flip(versions, talk)
    listed = [line for line in talk.shown if " ConfigMap/a data." in line and "chosen" not in line]
    assert [line.split()[0] for line in listed if line.split()[0] in "12"] == ["1", "2", "1"]
    assert any("there is no decision 'x'" in line for line in talk.shown)


def test_a_lost_function_comes_back_or_is_written_anew() -> None:
    sides = tuple(FUNCTIONS.format(n) for n in (1, 2, 3))
    number = "2"
    kept = flip({"Kptfile": sides}, Talk(number, "l", ""))["Kptfile"]
    assert kept is not None and kept.count("image:") == 3 and "a: 3" in kept
    edited = "{image: mine}\n"
    written = flip({"Kptfile": sides}, Talk(number, "e", "", edited=edited))["Kptfile"]
    assert written is not None and "image: mine" in written and "a: 3" not in written


def collisions(files: dict[str, tuple[str | None, str | None, str | None]]) -> list[Decision]:
    merged = merge_trees(trees(files), policy=Policy())
    return [d for d in merged.decisions if d.kind is Kind.COLLISION]


def test_one_answer_for_all_of_a_kind() -> None:
    versions = (A, CONFIG.format("a", 2, 2), CONFIG.format("a", 3, 3))
    found = collisions({"a.yaml": versions, "x.txt": ("a\n", "b\n", "c\n")})
    talk = Talk("L", "u")
    answers = ask.ask(found, talk.dialog)
    assert [answers[d.key] for d in found] == ["local", "local", "upstream"]


def test_a_wrong_value_is_asked_for_again() -> None:
    found = collisions({"a.yaml": (A, CONFIG.format("a", 2, 1), CONFIG.format("a", 3, 1))})
    talk = Talk("e", "l", edited="{a: ")
    assert ask.ask(found, talk.dialog) == {found[0].key: "local"}
    assert any("this is not YAML" in line for line in talk.shown)


@pytest.mark.parametrize("answers", [["q"], []])
def test_quitting(answers: list[str]) -> None:
    found = collisions({"a.yaml": (A, CONFIG.format("a", 2, 1), CONFIG.format("a", 3, 1))})
    with pytest.raises(PkgUpdateError, match="nothing was written") as caught:
        ask.ask(found, Talk(*answers).dialog)
    assert caught.value.code == "stopped"


def test_at_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in (("original", 1), ("upstream", 2), ("local", 3)):
        (tmp_path / f"{name}.yaml").write_text(CONFIG.format("a", value, 1))
    sides = [f"--{n}={tmp_path / n}.yaml" for n in ("original", "upstream", "local")]
    output = tmp_path / "out.yaml"
    arguments = ["merge", *sides, f"--output={output}", "--on-conflict=ask"]
    code, shown = at_a_terminal(arguments, "q\n")
    assert code == 3
    assert "error[stopped]" in shown.replace("\x1b[1;31m", "").replace("\x1b[0m", "")
    assert not output.exists()
    code, shown = at_a_terminal(arguments, "e\n7\n")
    assert code == 0
    assert "> upstream  2" in shown
    assert output.read_text() == CONFIG.format("a", 7, 1)


KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {}\n"


@pytest.fixture
def nested(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with a dependent and an independent package in it, all of them in collision."""
    repo, yours = tmp_path / "up", tmp_path / "yours"
    packages = {"app": "app", "app/part": "part", "db": "db"}

    def fill(root: Path, places: dict[str, str], value: int) -> None:
        for place, name in places.items():
            (root / place).mkdir(parents=True, exist_ok=True)
            (root / place / "c.yaml").write_text(CONFIG.format(name, value, value))
            (root / place / "n.txt").write_text(f"{value}\n")

    def commit(root: Path) -> None:
        git(root, "add", "-A")
        git(root, "commit", "-qm", "next")

    git(tmp_path, "init", "-q", "-b", "main", str(repo))
    fill(repo, packages, 1)
    for place, name in packages.items():
        (repo / place / "Kptfile").write_text(KPTFILE.format(name))
    commit(repo)
    git(tmp_path, "init", "-q", "-b", "main", str(yours))
    monkeypatch.chdir(yours)
    assert run("get", f"file://{repo}/.git/app@main", "app").code == 0
    assert run("get", f"file://{repo}/.git/db@main", "app/db").code == 0
    fill(repo, packages, 2)
    commit(repo)
    fill(yours, {"app": "app", "app/part": "part", "app/db": "db"}, 3)
    commit(yours)
    return yours / "app"


def test_answers_reach_the_packages_inside(
    nested: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each package has two fields and a line of text that collide
    talk = Talk("l", "u", "l", "e", "u", "u", "u", "l", "u", edited="7\n")
    monkeypatch.setattr(ask, "terminal_dialog", lambda: talk.dialog)
    outcome = run("update", "app", "--on-conflict", "ask", "--format", "json")
    assert outcome.code == 0, outcome.err
    found = {
        place: (nested / place / "c.yaml").read_text().split("\ndata:\n")[1]
        + (nested / place / "n.txt").read_text()
        for place in ("", "part", "db")
    }
    asked = [line.split(":")[0].strip() for line in talk.shown if ": changed on both" in line]
    assert len(asked) == len(set(asked)) == 9
    chosen = {d["rule"] for d in json.loads(outcome.out)["decisions"] if d["kind"] == "collision"}
    assert chosen <= {"choice", "text"}
    assert found == {
        "": "  a: 3\n  b: 2\n3\n",
        "part": "  a: 7\n  b: 2\n2\n",
        "db": "  a: 2\n  b: 3\n2\n",
    }


def test_a_plan_that_was_edited_is_applied_as_it_is(
    nested: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "plan.json"
    talk = Talk()
    monkeypatch.setattr(ask, "terminal_dialog", lambda: talk.dialog)
    assert run("plan", "app", "--edit", "-o", plan).code == 3
    assert not plan.exists()
    listed = [line.strip() for line in talk.shown if "c.yaml ConfigMap" in line]
    number = next(line for line in listed if "db/c.yaml ConfigMap/db data.b" in line).split()[0]
    talk.answers = iter([number, "l", ""])
    assert run("plan", "app", "--edit", "-o", plan).code == 0
    assert run("apply", plan).code == 0
    assert (nested / "db" / "c.yaml").read_text() == CONFIG.format("db", 2, 3)
    assert (nested / "c.yaml").read_text() == CONFIG.format("app", 2, 2)
