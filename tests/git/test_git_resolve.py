"""Going through what a merge left open."""

from __future__ import annotations

import pytest
from git_repository import Repository, use_driver

from pkgupdate.cli.ask import Dialog, ask
from pkgupdate.errors import PkgUpdateError
from pkgupdate.integrations.git.resolve import open_files, settle

BASE = "a: 1\nb: 1\nc: 1\n"


@pytest.fixture
def conflicted(repository: Repository) -> Repository:
    files = {"x.yaml": BASE, "gone.yaml": BASE, "kept.yaml": BASE, "raw.bin": b"\0base"}
    repository.commit("base", dict(files))
    repository.git("checkout", "-q", "-b", "theirs")
    (repository.path / "kept.yaml").unlink()
    changed = {"x.yaml": "a: 3\nb: 1\nc: 3\n", "gone.yaml": BASE + "d: 1\n", "raw.bin": b"\0theirs"}
    repository.commit("theirs", dict(changed))
    repository.git("checkout", "-q", "main")
    (repository.path / "gone.yaml").unlink()
    changed = {"x.yaml": "a: 2\nb: 1\nc: 2\n", "kept.yaml": BASE + "e: 1\n", "raw.bin": b"\0ours"}
    repository.commit("ours", dict(changed))
    use_driver(repository)
    assert repository.run("git", "merge", "theirs").returncode
    return repository


class Person:
    """Answers from a list, and what was shown."""

    def __init__(self, *answers: str, value: str = "") -> None:
        self.answers = list(answers)
        self.value = value
        self.shown: list[str] = []

    def dialog(self) -> Dialog:
        return Dialog(lambda _: self.answers.pop(0), self.shown.append, lambda _: self.value)


def go_through(repository: Repository, person: Person) -> list[str]:
    files = open_files(repository.path)
    collisions = [decision for file in files for decision in file.collisions()]
    return settle(files, ask(collisions, person.dialog()), repository.path)


def test_blocks_and_whole_files(conflicted: Repository) -> None:
    files = open_files(conflicted.path)
    assert [(f.path, len(f.collisions())) for f in files] == [
        ("gone.yaml", 1),
        ("kept.yaml", 1),
        ("raw.bin", 1),
        ("x.yaml", 2),
    ]
    person = Person("u", "l", "u", "u", "l")
    assert go_through(conflicted, person) == []
    assert conflicted.read("x.yaml") == "a: 3\nb: 1\nc: 2\n"
    assert conflicted.read("gone.yaml") == BASE + "d: 1\n"
    assert conflicted.read("kept.yaml") == BASE + "e: 1\n"
    assert conflicted.read("raw.bin") == "\0theirs"
    assert conflicted.unmerged() == {}
    conflicted.git("commit", "-q", "--no-edit")
    assert any("a: 3" in line for line in person.shown)


def test_deletions_can_be_chosen(conflicted: Repository) -> None:
    assert go_through(conflicted, Person("l", "u", "l", "l", "l")) == []
    assert not (conflicted.path / "gone.yaml").exists()
    assert not (conflicted.path / "kept.yaml").exists()
    assert conflicted.unmerged() == {}


def test_a_value_can_be_written(conflicted: Repository) -> None:
    assert go_through(conflicted, Person("l", "l", "l", "e", "l", value="a: 9")) == []
    assert conflicted.read("x.yaml") == "a: 9\nb: 1\nc: 2\n"


def test_stopping_changes_nothing(conflicted: Repository) -> None:
    before = conflicted.git("status", "--porcelain")
    with pytest.raises(PkgUpdateError):
        go_through(conflicted, Person("u", "l", "q"))
    assert conflicted.git("status", "--porcelain") == before


def test_what_was_resolved_by_hand_is_left_alone(conflicted: Repository) -> None:
    conflicted.write({"x.yaml": BASE, "raw.bin": b"\0both"})
    assert [file.path for file in open_files(conflicted.path)] == ["gone.yaml", "kept.yaml"]


def test_markers_that_were_committed(repository: Repository) -> None:
    text = "kind: Secret\ndata:\n<<<<<<< a\n  k: c2VjcmV0\n=======\n  k: b3RoZXI=\n>>>>>>> b\n"
    repository.commit("oops", {"x.yaml": text})
    person = Person("u")
    assert go_through(repository, person) == []
    assert repository.read("x.yaml") == "kind: Secret\ndata:\n  k: b3RoZXI=\n"
    assert not any("c2VjcmV0" in line or "b3RoZXI" in line for line in person.shown)


def test_a_result_that_is_no_yaml_is_not_staged(repository: Repository) -> None:
    text = "a:\n<<<<<<< a\n  - 1\n=======\n  b: [\n>>>>>>> b\n"
    repository.commit("oops", {"x.yaml": text})
    assert go_through(repository, Person("u")) == ["x.yaml"]
    assert repository.git("status", "--porcelain") == " M x.yaml\n"


def test_the_command_needs_a_terminal(conflicted: Repository) -> None:
    done = conflicted.pkgupdate("resolve")
    assert done.returncode == 2 and "not-a-terminal" in done.stderr
    conflicted.git("reset", "-q", "--hard")
    assert "nothing to resolve" in conflicted.pkgupdate("resolve").stderr
