"""`pkgupdate git enable`, `disable` and `status`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from git_repository import Repository

from pkgupdate.errors import ApplyError, PackageError
from pkgupdate.integrations.git import setup
from pkgupdate.integrations.git.attributes import add_block, has_block, remove_block

TEXTS = {
    "empty": "",
    "of the user": "*.yaml text\n/vendor/** -diff\n",
    "without a last newline": "*.png binary",
    "with CRLF": "*.png binary\r\n*.yaml text\r\n",
    "with a byte order mark": "\ufeff*.png binary\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_attributes_are_restored_exactly(text: str) -> None:
    once = add_block(text)
    assert has_block(once) and add_block(once) == once
    assert once.endswith(text.removeprefix("\ufeff"))
    assert remove_block(once) == text


def test_a_file_that_we_made_goes_again() -> None:
    made = add_block(None)
    assert add_block(made) == made
    assert remove_block(made) is None
    assert remove_block(made + "*.png binary\n") == "*.png binary\n"
    assert remove_block(None) is None


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (path.lstat().st_mode, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file() and "index" not in path.name and not path.name.endswith(".sample")
    }


def test_enable_twice_and_disable(repository: Repository) -> None:
    repository.commit("base", {"a": "", ".gitattributes": "*.png binary\n"})
    before = snapshot(repository.path)
    first = setup.enable("local", repository.path)
    assert first.driver == "pkgupdate merge-driver %O %A %B %L %P"
    assert first.driver_scope == "local"
    assert all(first.merged_by_us.values()) and all(h.installed for h in first.hooks)
    enabled = snapshot(repository.path)
    assert setup.enable("local", repository.path) == first
    assert snapshot(repository.path) == enabled
    off = setup.disable("local", repository.path)
    assert not off.driver and not off.has_attributes and not any(h.installed for h in off.hooks)
    assert snapshot(repository.path) == before
    setup.disable("local", repository.path)
    assert snapshot(repository.path) == before


def test_the_users_own_lines_go_before_ours(repository: Repository) -> None:
    repository.write({".gitattributes": "Kptfile merge=union\n"})
    status = setup.enable("local", repository.path)
    assert status.merged_by_us == {"Kptfile": False, "*.yaml": True, "*.yml": True}


def hook(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def test_an_earlier_hook_is_chained_and_put_back(repository: Repository) -> None:
    path = repository.path / ".git" / "hooks" / "pre-commit"
    hook(path, "echo earlier >> ran; exit ${FAIL:-0}\n")
    earlier = path.read_bytes()
    status = setup.enable("local", repository.path)
    assert [h.chained for h in status.hooks] == [False, True]
    repository.commit("one", {"a": "1"})
    assert repository.read("ran") == "earlier\n"
    failing = repository.run("git", "commit", "--allow-empty", "-m", "two", FAIL="3")
    assert failing.returncode != 0
    setup.disable("local", repository.path)
    assert path.read_bytes() == earlier and path.stat().st_mode & 0o111


def test_a_hook_that_is_not_executable_stays_off(repository: Repository) -> None:
    path = repository.path / ".git" / "hooks" / "pre-commit"
    hook(path, "exit 1\n")
    path.chmod(0o644)
    setup.enable("local", repository.path)
    repository.commit("one", {"a": "1"})
    setup.disable("local", repository.path)
    assert path.stat().st_mode & 0o111 == 0


def test_ours_is_found_where_another_manager_put_it(repository: Repository) -> None:
    path = repository.path / ".git" / "hooks" / "pre-commit"
    hook(path, "exit 0\n")
    setup.enable("local", repository.path)
    path.rename(path.with_name("pre-commit.legacy"))
    hook(path, "exec $(dirname $0)/pre-commit.legacy\n")
    manager = path.read_bytes()
    setup.enable("local", repository.path)
    assert path.read_bytes() == manager
    setup.disable("local", repository.path)
    assert path.read_bytes() == manager
    assert path.with_name("pre-commit.legacy").read_text() == "#!/bin/sh\nexit 0\n"


def test_two_hooks_are_never_put_on_top_of_each_other(repository: Repository) -> None:
    path = repository.path / ".git" / "hooks" / "pre-commit"
    hook(path, "exit 0\n")
    setup.enable("local", repository.path)
    path.unlink()
    hook(path, "exit 1\n")
    with pytest.raises(ApplyError) as caught:
        setup.enable("local", repository.path)
    assert caught.value.code == "hook-aside-exists"
    assert path.read_text() == "#!/bin/sh\nexit 1\n"


def test_hooks_path_is_honoured(repository: Repository) -> None:
    repository.git("config", "core.hooksPath", "ci/hooks")
    status = setup.enable("local", repository.path)
    assert status.hooks[0].path == repository.path / "ci/hooks" / "pre-merge-commit"
    assert status.hooks[0].path.exists()


def test_hooks_that_are_switched_off_are_an_error(repository: Repository) -> None:
    repository.git("config", "core.hooksPath", "/dev/null")
    with pytest.raises(ApplyError) as caught:
        setup.enable("local", repository.path)
    assert caught.value.code == "hooks-not-writable"
    assert setup.enable("local", repository.path, with_hooks=False).driver


def test_worktrees_share_driver_and_hooks(repository: Repository, tmp_path: Path) -> None:
    repository.commit("base", {"a": ""})
    other = tmp_path / "other"
    repository.git("worktree", "add", "-q", str(other))
    status = setup.enable("local", other)
    assert status.attributes_file == other / ".gitattributes"
    assert (repository.path / ".git" / "hooks" / "pre-commit").exists()
    assert setup.status("local", repository.path).driver


def test_bare_repositories_use_their_own_attributes(tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    status = setup.enable("local", bare)
    assert status.attributes_file == bare / "info" / "attributes"


def test_globally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    Path(os.environ["HOME"]).mkdir(exist_ok=True)
    status = setup.enable("global", tmp_path)
    assert status.driver_scope == "global" and status.hooks == ()
    assert status.attributes_file == tmp_path / "config" / "git" / "attributes"
    assert status.attributes_file.exists()
    setup.disable("global", tmp_path)
    assert not status.attributes_file.exists()
    assert (tmp_path / "gitconfig").read_text() == ""
    own = tmp_path / "own-attributes"
    own.write_text("*.png binary\n")
    subprocess.run(["git", "config", "--global", "core.attributesFile", str(own)], check=True)
    assert setup.enable("global", tmp_path).attributes_file == own
    setup.disable("global", tmp_path)
    assert own.read_text() == "*.png binary\n"


def test_outside_of_a_repository(tmp_path: Path) -> None:
    with pytest.raises(PackageError) as caught:
        setup.enable("local", tmp_path)
    assert caught.value.code == "not-a-repository"


def test_the_commands(repository: Repository) -> None:
    assert "hook        pre-commit: installed" in repository.pkgupdate("git", "enable").stdout
    shown = json.loads(repository.pkgupdate("git", "status", "--format", "json").stdout)
    assert shown["driver"].startswith("pkgupdate merge-driver %O %A %B %L %P")
    assert shown["mergedByUs"] == {"Kptfile": True, "*.yaml": True, "*.yml": True}
    assert "driver      not registered" in repository.pkgupdate("git", "disable").stdout
    assert repository.pkgupdate("git", "enable", "--local", "--global").returncode == 2
