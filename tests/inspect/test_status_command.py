"""`pkgupdate status` and `outdated`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_repos import APP, Monorepo, kptfile
from inspect_run import Outcome, Run


def packages(outcome: Outcome) -> dict[str, dict[str, Any]]:
    return {p["directory"]: p for p in json.loads(outcome.out)["packages"]}


@pytest.fixture
def web(up: Monorepo, work: Path, run: Run) -> Path:
    assert run("get", up.address("web", "v1.0.0"), "web").code == 0
    return work / "web"


def test_status_of_a_changed_package_that_is_behind(web: Path, run: Run) -> None:
    app = web / "app.yaml"
    app.write_text(app.read_text().replace("app:1", "app:2").replace("b2xk", "bmV3"))
    outcome = run("status")
    head, row = outcome.out.splitlines()
    assert outcome.code == 0
    assert head.split() == ["PACKAGE", "REF", "COMMIT", "NEWEST", "BEHIND", "LOCAL", "CHANGES"]
    assert row.split()[:2] == ["web", "v1.0.0"]
    assert row.endswith("v1.1.0  1 commit  2 differences in 2 resources")
    verbose = run("status", "-v").out
    assert "spec.template.spec.containers[name=main].image: app:1 -> app:2" in verbose
    assert "bmV3" not in verbose and "b2xk" not in run("status", "--format=json").out


def test_json(web: Path, run: Run) -> None:
    found = packages(run("status", "--format", "json"))["web"]
    assert found["lock"]["ref"] == found["ref"] == "v1.0.0"
    assert found["newest"]["ref"] == "v1.1.0" and found["newest"]["kind"] == "tag"
    assert (found["behind"], found["commitsBehind"], found["changed"]) == (True, 1, False)
    assert found["localChanges"] == {"resources": 0, "files": 0, "paths": 0, "differences": []}
    assert (found["state"], found["error"]) == ("settled", None)


def test_markdown(web: Path, run: Run) -> None:
    head = "| package | ref | commit | newest | behind |"
    first, _, row = run("outdated", "--format=markdown").out.splitlines()
    assert first == head and row.startswith("| `web` | v1.0.0 | ")
    (web / "Kptfile").write_text("[")
    out = run("status", "--format=markdown").out
    assert out.startswith("> **Warning:** web: error\\[kptfile-broken\\]")


def test_outdated(web: Path, run: Run) -> None:
    assert run("outdated").out == "Update web v1.0.0 -> v1.1.0 (1 commit)\n"
    assert set(packages(run("outdated", "--format=json"))) == {"web"}
    assert run("update", "web@v1.1.0").code == 0
    assert run("outdated").out == "Everything is up to date.\n"


def test_exit_codes(web: Path, run: Run) -> None:
    assert run("status").code == run("outdated").code == 0
    assert run("status", "--exit-code").code == run("outdated", "--exit-code").code == 1
    assert run("update", "web@v1.1.0").code == 0
    assert run("status", "--exit-code").code == run("outdated", "--exit-code").code == 0
    (web / "note.txt").write_text("mine\n")
    assert run("status", "--exit-code").code == 1
    assert run("outdated", "--exit-code").code == 0


def test_one_trip_for_five_packages_of_one_repository(tmp_path: Path, work: Path, run: Run) -> None:
    up = Monorepo(tmp_path / "many")
    names = [f"p{n}" for n in range(5)]
    up.commit({f"{n}/Kptfile": kptfile(n) for n in names} | {f"{n}/app.yaml": APP for n in names})
    up.git("tag", "v1.0.0")
    up.commit({f"{n}/app.yaml": APP.replace("replicas: 3", "replicas: 9") for n in names[:3]})
    up.git("tag", "v1.1.0")
    for name in names:
        assert run("get", up.address(name, "v1.0.0"), name).code == 0
    shutil.rmtree(tmp_path / "cache")
    outcome = run("status", "-v", "--format=json")
    found = packages(outcome)
    assert {name: p["commitsBehind"] for name, p in found.items()} == {
        "p0": 1,
        "p1": 1,
        "p2": 1,
        "p3": 0,
        "p4": 0,
    }
    assert {p["newest"]["ref"] for p in found.values()} == {"v1.1.0"}
    assert [git for git in asked(outcome) if git != "fetch"] == ["ls-remote"]
    assert asked(outcome).count("fetch") <= 2  # the history of all, then the files of all
    assert asked(run("status", "-v")) == ["ls-remote"]
    assert asked(run("status", "-v", "--offline")) == []


def asked(outcome: Outcome) -> list[str]:
    """The git commands that talked to the upstream."""
    words = [line.split() for line in outcome.err.splitlines()]
    return [w[1] for w in words if w[0] == "git" and w[1] in ("ls-remote", "fetch")]


NEWEST = [
    # name, tags (the first is fetched), the ref in the Kptfile, options, newest
    ("highest of the series", ["v1.0.0", "v1.2.0", "v1.10.0"], "v1.0.0", (), "v1.10.0"),
    ("no prerelease", ["v1.0.0", "v1.1.0-rc.1"], "v1.0.0", (), "v1.0.0"),
    ("if asked for", ["v1.0.0", "v1.1.0-rc.1"], "v1.0.0", ("--prerelease",), "v1.1.0-rc.1"),
    ("from prerelease", ["v1.0.0-rc.1", "v1.0.0-rc.2"], "v1.0.0-rc.1", (), "v1.0.0-rc.2"),
    ("of the directory", ["web/v1.0.0", "web/v1.1.0", "v9.0.0"], "web/v1.0.0", (), "web/v1.1.0"),
    ("short form", ["web/v1.0.0", "web/v1.1.0", "v9.0.0"], "v1.0.0", (), "web/v1.1.0"),
    ("of the repository", ["v1.0.0", "v1.1.0", "web/v9.0.0"], "v1.0.0", (), "v1.1.0"),
    ("not back", ["v2.0.0", "v1.0.0"], "v2.0.0", (), "v2.0.0"),
    ("a constraint", ["v1.0.0", "v1.5.0", "v2.0.0"], "^1.0", (), "v1.5.0"),
    ("a branch", ["v1.0.0", "v1.1.0"], "main", (), "main"),
    ("a commit", ["v1.0.0", "v1.1.0"], "COMMIT", (), "v1.1.0"),
    ("a tag that is no version", ["stable", "v1.1.0"], "stable", (), "stable"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tags", "ref", "options", "expected"), [row[1:] for row in NEWEST], ids=[r[0] for r in NEWEST]
)
def test_newest(
    tags: list[str],
    ref: str,
    options: tuple[str, ...],
    expected: str,
    tmp_path: Path,
    work: Path,
    run: Run,
) -> None:
    up = Monorepo(tmp_path / "up")
    commits = []
    for number, tag in enumerate(tags):
        commits.append(up.commit({"web/Kptfile": kptfile("web"), "web/n.txt": f"{number}\n"}))
        up.git("tag", tag)
    follows = commits[0] if ref == "COMMIT" else ref
    fetched = follows if ref not in ("^1.0", "main") else tags[0]
    assert run("get", up.address("web", fetched), "web").code == 0
    file = work / "web/Kptfile"
    file.write_text(file.read_text().replace(f"ref: {fetched}", f"ref: {follows}", 1))
    found = packages(run("status", "--format=json", *options))["web"]
    assert found["error"] is None
    assert found["newest"]["ref"] == expected
    assert found["behind"] == (expected not in (tags[0], "stable", follows) or ref == "main")


def test_a_branch_is_behind_by_the_commits_of_its_directory(
    up: Monorepo, work: Path, run: Run
) -> None:
    assert run("get", up.address("web", "main"), "web").code == 0
    up.commit({"other/file": "x"})
    assert packages(run("status", "--format=json"))["web"]["commitsBehind"] == 0
    assert run("outdated").out == "Everything is up to date.\n"
    head = up.commit({"web/run.sh": "echo more\n"})
    assert packages(run("status", "--format=json"))["web"]["commitsBehind"] == 1
    assert f"-> main ({head[:7]}) (1 commit)" in run("outdated").out


def test_a_package_that_was_pointed_at_another_repository(
    web: Path, up: Monorepo, run: Run, tmp_path: Path
) -> None:
    other = Monorepo(tmp_path / "other")
    other.commit({"web/Kptfile": kptfile("web")})
    other.git("tag", "v1.3.0")
    text = (web / "Kptfile").read_text()
    (web / "Kptfile").write_text(text.replace(str(up.path), str(other.path), 1))
    found = packages(run("status", "--format=json"))["web"]
    assert found["error"] is None and found["newest"]["ref"] == "v1.3.0"
    assert found["commitsBehind"] is None and found["localChanges"]["paths"] == 0


def test_a_tag_goes_before_a_branch_of_that_name(web: Path, up: Monorepo, run: Run) -> None:
    up.git("branch", "v1.0.0")
    assert packages(run("status", "--format=json"))["web"]["newest"]["ref"] == "v1.1.0"


def test_offline_works_from_the_cache(web: Path, up: Monorepo, run: Run, tmp_path: Path) -> None:
    online = run("status", "--format=json")
    up.path.rename(tmp_path / "gone")
    assert run("status", "--format=json", "--offline").out == online.out
    shutil.rmtree(tmp_path / "cache")
    outcome = run("status", "--offline")
    assert outcome.code == 3
    assert "error[offline-miss]" in outcome.out


def test_what_cannot_be_reached_has_an_error_of_its_own(
    web: Path, up: Monorepo, run: Run, tmp_path: Path
) -> None:
    other = Monorepo(tmp_path / "other")
    other.commit({"db/Kptfile": kptfile("db")})
    other.git("tag", "v1.0.0")
    assert run("get", other.address("db", "v1.0.0"), "db").code == 0
    shutil.rmtree(other.path)
    outcome = run("status")
    assert outcome.code == 3
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "PACKAGE",
        "db",
        "error[repo-unreachable]:",
        "web",
    ]
    assert "1 commit" in lines[3] and "hint:" in outcome.err
    found = packages(run("status", "--format=json"))
    assert found["db"]["error"]["code"] == "repo-unreachable"
    assert found["db"]["lock"]["ref"] == "v1.0.0" and found["web"]["error"] is None
    assert "db: error[repo-unreachable]" in run("outdated").out


def test_a_commit_that_is_gone_is_an_error_of_its_package_alone(
    web: Path, up: Monorepo, run: Run, tmp_path: Path
) -> None:
    assert run("get", up.address("web", "v1.0.0"), "two").code == 0
    file = web.parent / "two/Kptfile"
    commit = up.git("rev-parse", "v1.0.0")
    file.write_text(file.read_text().replace(commit, "1" * 40))
    shutil.rmtree(tmp_path / "cache")
    outcome = run("status", "--format=json")
    assert outcome.code == 3
    found = packages(outcome)
    assert found["two"]["error"]["code"] == "commit-gone"
    assert found["two"]["newest"]["ref"] == "v1.1.0"
    assert found["web"]["error"] is None and found["web"]["commitsBehind"] == 1


def test_packages_are_found_at_any_depth(web: Path, up: Monorepo, run: Run) -> None:
    sub = web / "sub"
    sub.mkdir()
    (sub / "Kptfile").write_text(kptfile("sub"))  # part of web
    alone = web.parent / "deep/er"
    alone.mkdir(parents=True)
    (alone / "Kptfile").write_text(kptfile("er"))  # follows nothing
    hidden = web.parent / ".git/x"
    hidden.mkdir(parents=True)
    (hidden / "Kptfile").write_text(kptfile("x"))
    (web.parent / "link").symlink_to(web)
    assert run("get", up.address("web", "v1.1.0"), "web/inner").code == 0
    outcome = run("status")
    rows = {line.split()[0]: line for line in outcome.out.splitlines()[1:]}
    assert set(rows) == {"web", "web/inner", "deep/er"}
    assert rows["deep/er"].endswith("follows no upstream")
    assert set(packages(run("status", "web/inner", "deep", "--format=json"))) == {
        "web/inner",
        "deep/er",
    }


def test_half_done_updates_are_told(web: Path, run: Run) -> None:
    from pkgupdate.update.state import make_state_directory

    (make_state_directory(web) / "pending").write_bytes(b"")
    for command in ("diff", "outdated", "log", "tree", "check"):
        assert "broke off; run: pkgupdate recover web" in run(command, "web").err
    outcome = run("status", "--exit-code", "web")
    assert "an update broke off; run: pkgupdate recover web" in outcome.out
    assert outcome.code == 1


def test_git_conflicts_are_told(tmp_path: Path, up: Monorepo, run: Run) -> None:
    fork = Monorepo(tmp_path / "fork")
    assert run("get", up.address("web", "v1.1.0"), fork.path / "web").code == 0
    fork.commit({}, "fetch")
    fork.git("switch", "-q", "-c", "side")
    fork.commit({"web/run.sh": "one\n"})
    fork.git("switch", "-q", "main")
    fork.commit({"web/run.sh": "two\n"})
    with pytest.raises(Exception, match="merge"):
        fork.git("merge", "-q", "side")
    outcome = run("status", fork.path)
    assert "a Git merge left conflicts" in outcome.out
    assert next(iter(packages(run("status", fork.path, "--format=json")).values()))["state"] == (
        "unmerged"
    )


@pytest.mark.parametrize(
    ("text", "error"), [("a: [\n", "kptfile-broken"), ("upstream: x\n", "kptfile-broken")]
)
def test_a_broken_kptfile_hides_no_other_package(
    web: Path, run: Run, text: str, error: str
) -> None:
    (web.parent / "bad").mkdir()
    (web.parent / "bad/Kptfile").write_text(text)
    outcome = run("status")
    assert outcome.code == 3
    assert f"error[{error}]" in outcome.out and "1 commit" in outcome.out


def test_no_package(work: Path, run: Run) -> None:
    assert "error[kptfile-missing]" in run("status").err
    assert "error[package-missing]" in run("status", "nowhere").err
