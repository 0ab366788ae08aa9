"""`pkgupdate merge`, `--on-conflict`, and asking."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from program import Run, run_alone

from pkgupdate import PkgUpdateError, merge_package, merge_yaml
from pkgupdate.cli import ask, collisions
from pkgupdate.cli.ask import Dialog
from pkgupdate.document.values import from_plain
from pkgupdate.merge.decisions import FreeValue

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n"
ORIGINAL = HEAD + "data:\n  a: x\n  b: x\n  c: x\n"
UPSTREAM = HEAD + "data:\n  a: u\n  b: u\n  c: u\n"
LOCAL = HEAD + "data:\n  a: l\n  b: l\n  c: x\n"


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    for name, text in (("o", ORIGINAL), ("u", UPSTREAM), ("l", LOCAL)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return [f"--{side}={tmp_path / side[0]}.yaml" for side in ("original", "upstream", "local")]


def test_output_may_be_the_local_file(run: Run, sides: list[str], tmp_path: Path) -> None:
    local = tmp_path / "l.yaml"
    local.chmod(0o640)
    outcome = run("merge", *sides, "--output", local)
    assert outcome.code == 0
    assert local.read_text() == UPSTREAM
    assert local.stat().st_mode & 0o777 == 0o640
    assert "  > upstream  u\n" in outcome.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.yaml", "o.yaml", "u.yaml"]


def test_output_to_stdout(run: Run, sides: list[str]) -> None:
    outcome = run("merge", *sides, "--output", "-", "--on-conflict", "local")
    assert outcome.out == LOCAL.replace("c: x", "c: u")
    assert "Collisions (2)" in outcome.err
    assert run("merge", *sides, "--output", "-", "--quiet").err == ""
    data = json.loads(run("merge", *sides, "--output", "-", "--format", "json").out)
    assert data["output"] == UPSTREAM


def test_without_output_nothing_is_written(run: Run, sides: list[str], tmp_path: Path) -> None:
    outcome = run("merge", *sides, "--format", "diff")
    assert "-  a: l\n" in outcome.out
    assert (tmp_path / "l.yaml").read_text() == LOCAL


def test_exit_code_and_fail(run: Run, sides: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    assert run("merge", *sides, "--output", out, "--exit-code").code == 1
    out.unlink()
    outcome = run("merge", *sides, "--output", out, "--on-conflict", "fail", "--format", "json")
    assert outcome.code == 3
    assert "error[collisions]: 2 collisions; nothing was written" in outcome.err
    assert json.loads(outcome.out)["dryRun"] is True
    assert not out.exists()


def test_absent_sides(run: Run, sides: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    assert run("merge", sides[1], "--output", out).code == 0
    assert out.read_text() == UPSTREAM
    outcome = run("merge", "--original", "/dev/null/none", *sides[1:], "--output", out)
    assert "/dev/null/none is not there and was taken as empty" in outcome.out
    (tmp_path / "o.yaml").write_text("")
    assert run("merge", *sides, "--output", out).code == 0
    assert run("merge", sides[0], sides[2].replace("l.yaml", "o.yaml"), "--output", out).code == 0


def test_deleted_on_both_sides(run: Run, sides: list[str], tmp_path: Path) -> None:
    (tmp_path / "out.yaml").write_text("old")
    assert run("merge", sides[0], "--output", tmp_path / "out.yaml").code == 0
    assert not (tmp_path / "out.yaml").exists()


def test_pipes_and_links(sides: list[str], tmp_path: Path) -> None:
    local, link = tmp_path / "l.yaml", tmp_path / "link.yaml"
    link.symlink_to("l.yaml")
    script = 'exec "$0" -m pkgupdate merge --original <(cat o.yaml) --upstream <(cat u.yaml) "$@"'
    options = ["--local=link.yaml", "--output=link.yaml", "-q"]
    subprocess.run(["bash", "-c", script, sys.executable, *options], check=True, cwd=tmp_path)
    assert local.read_text() == UPSTREAM
    assert link.is_symlink()


def test_dev_null_is_an_absent_file(run: Run, sides: list[str], tmp_path: Path) -> None:
    (tmp_path / "l.yaml").write_text(ORIGINAL)
    outcome = run(
        "merge", sides[0], "--upstream=/dev/null", sides[2], f"--output={tmp_path}/l.yaml"
    )
    assert "taken as empty" not in outcome.out
    assert not (tmp_path / "l.yaml").exists()


def package(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_folders(run: Run, tmp_path: Path) -> None:
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
    original = package(tmp_path / "o", Kptfile=kptfile, c_yaml=ORIGINAL, gone_txt="x\n")
    upstream = package(tmp_path / "u", Kptfile=kptfile, c_yaml=UPSTREAM, new_sh="#!/bin/sh\n")
    (upstream / "new.sh").chmod(0o755)
    (upstream / "link").symlink_to("c.yaml")
    local = package(tmp_path / "l", Kptfile=kptfile, c_yaml=LOCAL, gone_txt="x\n", mine_txt="m\n")
    sides = [f"--original={original}", f"--upstream={upstream}", f"--local={local}"]
    out = package(tmp_path / "out", other_txt="stays\n")
    assert run("merge", *sides, "--output", out).code == 0
    assert sorted(p.name for p in out.iterdir()) == sorted(
        ["Kptfile", "c.yaml", "link", "mine.txt", "new.sh", "other.txt"]
    )
    assert os.access(out / "new.sh", os.X_OK)
    assert (out / "link").readlink() == Path("c.yaml")
    assert (local / "gone.txt").exists()
    assert run("merge", *sides, "--output", local).code == 0
    assert sorted(p.name for p in local.iterdir()) == sorted(
        ["Kptfile", "c.yaml", "link", "mine.txt", "new.sh"]
    )
    assert run("merge", *sides, "--output", "-").code == 2
    assert run("merge", sides[0], f"--local={local / 'c.yaml'}").code == 2


def test_policy_file_of_the_local_folder_holds(run: Run, tmp_path: Path) -> None:
    policy = "apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\nonConflict: local\n"
    sides = [
        f"--original={package(tmp_path / 'o', c_yaml=ORIGINAL)}",
        f"--upstream={package(tmp_path / 'u', c_yaml=UPSTREAM)}",
        f"--local={package(tmp_path / 'l', c_yaml=LOCAL, pkgupdate_yaml=policy)}",
    ]
    assert run("merge", *sides, "--output", tmp_path / "l").code == 0
    assert "a: l" in (tmp_path / "l" / "c.yaml").read_text()


def test_ask_needs_a_terminal(sides: list[str]) -> None:
    outcome = run_alone("merge", *sides, "--on-conflict", "ask")
    assert outcome.code == 2
    assert "error[not-a-terminal]" in outcome.err


def dialog(*answers: str, edited: str | None = None) -> Dialog:
    lines: Iterator[str] = iter(answers)

    def read(_prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    return Dialog(read, said.append, lambda _text: edited)


said: list[str] = []


def collided() -> list:
    return collisions.collisions_of(merge_yaml(ORIGINAL, UPSTREAM, LOCAL))


@pytest.mark.parametrize(
    ("answers", "edited", "expected"),
    [
        (["u", "l"], None, ["upstream", "local"]),
        (["upstream", "?", "local"], None, ["upstream", "local"]),
        (["L"], None, ["local", "local"]),
        (["e", "u"], "z: 1\n", [FreeValue(from_plain({"z": 1})), "upstream"]),
        (["e", "u", "u"], "[", ["upstream", "upstream"]),
        (["e", "u", "u"], None, ["upstream", "upstream"]),
    ],
)
def test_answers(answers: list[str], edited: str | None, expected: list) -> None:
    said.clear()
    given = ask.ask(collided(), dialog(*answers, edited=edited))
    assert list(given.values()) == expected
    assert "  > upstream  u" in said


@pytest.mark.parametrize("answers", [["q"], ["u", "quit"], ["u"]])
def test_quitting_and_the_end_of_input_stop(answers: list[str]) -> None:
    with pytest.raises(PkgUpdateError) as caught:
        ask.ask(collided(), dialog(*answers))
    assert caught.value.code == "stopped"


def test_asked_merge_takes_the_answers(
    run: Run, sides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "terminal_dialog", lambda: dialog("e", "l", edited="mine"))
    out = tmp_path / "out.yaml"
    assert run("merge", *sides, "--output", out, "--on-conflict", "ask").code == 0
    assert out.read_text() == HEAD + "data:\n  a: mine\n  b: l\n  c: u\n"
    monkeypatch.setattr(ask, "terminal_dialog", lambda: dialog("u", "q"))
    before = out.read_text()
    assert run("merge", *sides, "--output", out, "--on-conflict", "ask").code == 3
    assert out.read_text() == before


def test_any_decision_can_be_flipped() -> None:
    def merge(choices):
        from pkgupdate import Policy

        return merge_yaml(ORIGINAL, UPSTREAM, LOCAL, policy=Policy(choices=choices))

    places = [".".join(map(str, d.path)) for d in merge({}).decisions]
    number = str(places.index("data.c") + 1)
    assert ask.flip(merge, dialog(number, "l", "")).text == UPSTREAM.replace("c: u", "c: x")
    assert ask.flip(merge, dialog("nonsense", "")).text == UPSTREAM


def test_python_api() -> None:
    assert merge_yaml(None, UPSTREAM, None).text == UPSTREAM
    assert merge_yaml(ORIGINAL, None, ORIGINAL).text is None
    assert merge_yaml(ORIGINAL, ORIGINAL, LOCAL).text == LOCAL
    merged = merge_package({"a.txt": b"x\n"}, {"a.txt": b"y\n"}, {"a.txt": b"x\n"})
    assert [change.path for change in merged.changes] == ["a.txt"]
    with pytest.raises(PkgUpdateError):
        merge_package("/nowhere", None, None)


def test_asking_at_a_terminal(sides: list[str], tmp_path: Path) -> None:
    terminal, other_end = os.openpty()
    command = [sys.executable, "-m", "pkgupdate", "merge", *sides, f"--output={tmp_path / 'out'}"]
    with subprocess.Popen(
        [*command, "--on-conflict=ask"], stdin=other_end, stderr=other_end, stdout=subprocess.PIPE
    ) as process:
        os.close(other_end)
        os.write(terminal, b"l\ne\nz\n")
        process.communicate(timeout=60)
    os.close(terminal)
    assert process.returncode == 0
    assert (tmp_path / "out").read_text() == HEAD + "data:\n  a: l\n  b: z\n  c: u\n"


def test_what_is_no_ordinary_file_is_written_to_and_not_replaced(
    run: Run, sides: list[str], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        assert run("merge", *sides, "--output", pipe).code == 0
        assert reader.communicate(timeout=60)[0] == UPSTREAM
    assert pipe.is_fifo()


def test_pipes_alone_are_taken_as_yaml(tmp_path: Path) -> None:
    command = (
        f"{sys.executable} -m pkgupdate merge --original <(printf 'a: 1\\nb: 1\\n')"
        " --upstream <(printf 'b: 1\\na: 2\\n') --local <(printf 'a: 1\\nb: 3\\n') --output -"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout in ("a: 2\nb: 3\n", "b: 3\na: 2\n")


def test_a_refused_merge_gives_no_merged_text(run: Run, sides: list[str]) -> None:
    refused = ("merge", *sides, "--output", "-", "--on-conflict", "fail")
    outcome = run(*refused)
    assert outcome.code == 3
    assert outcome.out.startswith("merged ")
    assert "error[collisions]" in outcome.err
    assert "output" not in json.loads(run(*refused, "--format", "json").out)
