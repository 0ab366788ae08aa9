"""`pkgupdate diff`: types, forms, tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_repos import APP, Monorepo, kpt, needs_kpt
from inspect_run import Run


@pytest.fixture
def web(up: Monorepo, work: Path, run: Run) -> Path:
    """A fork at v1.0.0 with a changed field, a changed Secret and a new file."""
    assert run("get", up.address("web", "v1.0.0"), "web").code == 0
    root = work / "web"
    app = root / "app.yaml"
    app.write_text(app.read_text().replace("replicas: 3", "replicas: 5").replace("b2xk", "bmV3"))
    (root / "note.txt").write_text("mine\n")
    return root


def test_local_is_the_default(web: Path, run: Run) -> None:
    outcome = run("diff", "web")
    assert outcome.code == 0
    assert outcome.out.splitlines()[2:] == [
        "app.yaml Secret/keys",
        "  ~ data.token: changed (hidden)",
        "app.yaml apps/Deployment/shop/app",
        "  ~ spec.replicas: 3 -> 5",
        "+ note.txt added",
        "",
        "3 differences in 2 resources and 1 file.",
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("web@v1.1.0",), "spec.replicas: 4 -> 5"),
        (("web@v1.1.0", "--diff-type=combined"), "spec.replicas: 4 -> 5"),
        (("web@v1.1.0", "--diff-type=remote"), "spec.replicas: 3 -> 4"),
        (("web@main", "--diff-type=remote"), "spec.replicas: 3 -> 4"),
        (("web@^1.0", "--diff-type=remote"), "spec.replicas: 3 -> 4"),
        (("web", "--diff-type=remote"), "No differences."),
        (("web@v1.1.0", "--diff-type=3way"), "changed on both sides (1)"),
    ],
)
def test_types(web: Path, run: Run, arguments: tuple[str, ...], expected: str) -> None:
    assert expected in run("diff", *arguments).out


def test_three_ways_show_all_three_values(web: Path, run: Run) -> None:
    data = json.loads(run("diff", "web@v1.1.0", "--diff-type=3way", "--format=json").out)
    (row,) = [d for d in data["differences"] if d["path"] == "spec.replicas"]
    assert (row["original"], row["upstream"], row["local"]) == (3, 4, 5)
    assert row["changedBy"] == ["upstream", "local"]
    (note,) = [d for d in data["differences"] if d["file"] == "note.txt"]
    assert note["changedBy"] == ["local"] and note["absent"] == ["original", "upstream"]


def test_markdown_has_what_both_sides_changed_first(web: Path, run: Run) -> None:
    out = run("diff", "web@v1.1.0", "--diff-type=3way", "--format=markdown").out
    parts = [part.splitlines() for part in out.split("\n### ")]
    assert [part[0] for part in parts[1:]] == ["⚠ 1 change on both sides", "Upstream", "Local"]
    assert [line for line in parts[1] if "spec.replicas" in line]
    assert [line for line in parts[2] if line.endswith("spec.replicas` | 3 -\\> 4 |")]


@pytest.mark.parametrize("form", ["text", "json", "markdown", "diff", "patches"])
def test_no_form_shows_a_secret(web: Path, run: Run, form: str) -> None:
    out = run("diff", "web", "--format", form).out
    assert "app" in out and "bmV3" not in out and "b2xk" not in out


def test_patches_bring_a_fresh_copy_to_the_local_values(
    web: Path, up: Monorepo, run: Run, tmp_path: Path
) -> None:
    kptfile = web / "Kptfile"
    kptfile.write_text(kptfile.read_text() + "info:\n  description: ours\n")
    (web / "new.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata:\n  name: new\n")
    assert run("get", up.address("web", "v1.0.0"), "fresh").code == 0
    hidden = run("diff", "web", "--format", "patches")
    assert "note.txt differs too" in hidden.err
    (tmp_path / "hidden.yaml").write_text(hidden.out)
    outcome = run("patch", "apply", "--patch", tmp_path / "hidden.yaml", "fresh")
    assert outcome.code == 3 and "patch-hidden" in outcome.err
    shown = run("diff", "web", "--format", "patches", "--show-secrets").out
    (tmp_path / "shown.yaml").write_text(shown)
    assert run("patch", "apply", "--patch", tmp_path / "shown.yaml", "fresh").code == 0
    fresh = web.parent / "fresh"
    assert (fresh / "app.yaml").read_bytes() == (web / "app.yaml").read_bytes()
    assert "description: ours" in (fresh / "Kptfile").read_text()
    assert "name: fresh" in (fresh / "Kptfile").read_text()
    assert (fresh / "service-new.yaml").read_text() == (web / "new.yaml").read_text()
    assert run("diff", "web", "--format", "text", "--show-secrets").code == 2


def test_a_unified_diff_leaves_out_what_the_fetch_set(web: Path, run: Run) -> None:
    out = run("diff", "web", "--format", "diff").out
    assert "-  replicas: 3\n" in out and "+  replicas: 5\n" in out and "+mine\n" in out
    assert "Kptfile" not in out and "kpt-merge" not in out


def test_exit_codes(web: Path, run: Run) -> None:
    assert run("diff", "web", "--exit-code").code == 1
    assert run("diff", "web", "--diff-type=remote", "--exit-code").code == 0
    assert run("diff", "web", "--format=diff", "--exit-code").code == 1
    assert run("diff", "web", "--diff-tool=diff", "--exit-code").code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("web", "--diff-tool=no-such-tool"), 2, "diff-tool-missing"),
        (("web", "--diff-tool=diff", "--diff-type=3way"), 3, "diff-tool-failed"),
        (("web", "--diff-tool=diff", "--format=json"), 2, "usage"),
        (("web", "--diff-tool=diff", "--diff-tool-opts='"), 2, "usage"),
        (("web", "--format=diff", "--diff-type=3way"), 2, "usage"),
        (("web@nope",), 3, "ref-unknown"),
        (("none",), 3, "package-missing"),
        (("plain",), 3, "upstream-missing"),
        (("unlocked",), 3, "lock-missing"),
    ],
)
def test_errors(web: Path, run: Run, arguments: tuple[str, ...], code: int, error: str) -> None:
    head = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: x}\n"
    follows = "upstream: {type: git, git: {repo: /r, directory: /, ref: v1}}\n"
    for name, text in (("plain", head), ("unlocked", head + follows)):
        (web.parent / name).mkdir()
        (web.parent / name / "Kptfile").write_text(text)
    outcome = run("diff", *arguments)
    assert outcome.code == code
    assert f"error[{error}]" in outcome.err


def tool(folder: Path) -> Path:
    """A diff tool that lists what it is given."""
    path = folder / "tool"
    path.write_text(
        '#!/bin/sh\nfor a in "$@"; do echo "[${a##*/}]"; done\n'
        'for a in "$@"; do [ -d "$a" ] && cd "$a" && find . ! -type d -printf "%p %M %l\\n"; done\n'
    )
    path.chmod(0o755)
    return path


def test_a_tool_gets_the_versions_in_kpts_order(web: Path, run: Run, tmp_path: Path) -> None:
    program = tool(tmp_path)
    run_tool = ("web@v1.1.0", "--diff-tool", program, "--diff-tool-opts", "-x 'a b'")
    heads = {
        kind: [
            line.strip("[]")
            for line in run("diff", *run_tool, "--diff-type", kind).out.splitlines()
            if line.startswith("[")
        ]
        for kind in ("local", "remote", "combined", "3way")
    }
    assert heads == {
        "local": ["-x", "a b", "local-v1.0.0", "remote-v1.0.0"],
        "remote": ["-x", "a b", "remote-v1.0.0", "target-v1.1.0"],
        "combined": ["-x", "a b", "local-v1.0.0", "target-v1.1.0"],
        "3way": ["-x", "a b", "local-v1.0.0", "remote-v1.0.0", "target-v1.1.0"],
    }


def test_a_tool_from_kpts_variables(
    web: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KPT_EXTERNAL_DIFF", str(tool(tmp_path)))
    monkeypatch.setenv("KPT_EXTERNAL_DIFF_OPTS", "-opt")
    assert run("diff", "web").out.startswith("[-opt]\n[local-v1.0.0]\n")
    assert "replicas: 3 -> 5" in run("diff", "web", "--format", "text").out


def test_links_and_modes_reach_the_tool_as_they_are(web: Path, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("not for the tool\n")
    (web / "linked-folder").symlink_to(outside)
    (web / "linked-file").symlink_to("/etc/hostname")
    (web / "run.sh").chmod(0o755)
    out = run("diff", "web", "--diff-tool", tool(tmp_path)).out
    assert f"./linked-folder lrwxrwxrwx {outside}\n" in out
    assert "./linked-file lrwxrwxrwx /etc/hostname\n" in out
    assert "./run.sh -rwxr-xr-x \n" in out
    assert "secret.txt" not in out
    assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("pkgupdate-diff-*"))


def test_a_subpackage_with_its_own_upstream_is_left_out(web: Path, up: Monorepo, run: Run) -> None:
    assert run("get", up.address("web", "v1.1.0"), "web/inner").code == 0
    outcome = run("diff", "web")
    assert "not compared: inner follows its own upstream" in outcome.out
    assert "inner/app.yaml" not in outcome.out


def test_a_tool_that_is_no_program(web: Path, run: Run, tmp_path: Path) -> None:
    program = tmp_path / "broken"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    outcome = run("diff", "web", "--diff-tool", program)
    assert outcome.code == 3 and "error[diff-tool-failed]" in outcome.err


def test_a_reader_that_goes_away_is_no_error(web: Path, tmp_path: Path) -> None:
    (web / "big.txt").write_text("line\n" * 100_000)
    done = subprocess.run(
        f"{sys.executable} -m pkgupdate diff web --format diff | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("diff --git") and done.stderr == ""


@needs_kpt
def test_a_package_fetched_by_kpt_has_no_differences(up: Monorepo, work: Path, run: Run) -> None:
    up.commit({"web/Kptfile": "# about\n" + (up.path / "web/Kptfile").read_text()})
    up.commit({"web/more.yaml": "# head\n" + APP.replace("\n", "   # odd  comment\n", 1)})
    up.git("tag", "v2.0.0")
    kpt("pkg", "get", f"{up.path}.git/web@v2.0.0", "web", cwd=work)
    assert "kpt-merge" in (work / "web/more.yaml").read_text()
    assert run("diff", "web").out.endswith("\nNo differences.\n")
    assert "upstream-identifier" in (work / "web/app.yaml").read_text()
    changed = run("diff", "web", "--format=diff").out
    assert "kpt-merge" not in changed and "upstream-identifier" not in changed
    assert "app.yaml" not in changed


@needs_kpt
def test_the_same_places_as_kpts_diff(up: Monorepo, work: Path, run: Run) -> None:
    kpt("pkg", "get", f"{up.path}.git/web@v1.0.0", "web", cwd=work)
    app = work / "web/app.yaml"
    app.write_text(app.read_text().replace("replicas: 3", "replicas: 5"))
    for kind, lines in (
        ("local", ("<   replicas: 5", ">   replicas: 3")),
        ("remote", ("<   replicas: 3", ">   replicas: 4")),
        ("combined", ("<   replicas: 5", ">   replicas: 4")),
    ):
        theirs = kpt("pkg", "diff", "web@v1.1.0", "--diff-type", kind, cwd=work)
        ours = run("diff", "web@v1.1.0", "--diff-type", kind, "--diff-tool", "diff").out
        for line in lines:
            assert line in theirs and line in ours
