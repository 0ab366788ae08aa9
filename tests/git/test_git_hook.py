"""The hooks: half merged packages do not get into a commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository, use_driver

from pkgupdate.errors import PkgUpdateError
from pkgupdate.integrations.git import setup
from pkgupdate.integrations.git.hook_run import run_hook

HEAD = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"


def lock(ref: str = "v1", commit: str = "1" * 40, lock_ref: str = "") -> str:
    return (
        "upstream:\n  type: git\n  git:\n    repo: https://example.com/catalog\n"
        f"    directory: /shop\n    ref: {ref}\n"
        "upstreamLock:\n  type: git\n  git:\n    repo: https://example.com/catalog\n"
        f"    directory: /shop\n    ref: {lock_ref or ref}\n    commit: {commit}\n"
    )


def functions(*names: str) -> str:
    lines = "".join(f"    - name: {name}\n      image: {name}:v1\n" for name in names)
    return f"pipeline:\n  mutators:\n{lines}"


KPTFILE = HEAD + lock() + functions("a", "b")


def config_map(name: str, comment: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:{comment}\n  name: {name}\ndata:\n  k: v\n"


CM = config_map("settings")


@pytest.fixture
def merging(repository: Repository) -> Repository:
    """A package that both branches changed."""
    repository.commit("base", {"shop/Kptfile": KPTFILE, "shop/cm.yaml": CM, "README": "x\n"})
    repository.git("checkout", "-q", "-b", "theirs")
    files = {"shop/Kptfile": HEAD + lock() + functions("a", "b", "theirs")}
    repository.commit("theirs", files)
    repository.git("checkout", "-q", "main")
    repository.commit("ours", {"shop/cm.yaml": CM.replace("k: v", "k: w")})
    return repository


def merge_and_spoil(repository: Repository, files: dict[str, str | bytes]) -> list[tuple[str, str]]:
    """Merge without committing, stage these files, and give what the hook finds."""
    repository.run("git", "merge", "--no-commit", "--no-ff", "theirs")
    repository.write(files)
    repository.git("add", "-A")
    return [(f.code.value, f.file) for f in run_hook(directory=repository.path).findings]


def test_a_whole_package_passes(merging: Repository) -> None:
    assert merge_and_spoil(merging, {}) == []


SPOILED = {
    "markers": (
        {"shop/cm.yaml": "<<<<<<< a\nk: 1\n=======\nk: 2\n>>>>>>> b\n"},
        ("conflict-markers", "shop/cm.yaml"),
    ),
    "no YAML": ({"shop/cm.yaml": "a: [\n"}, ("yaml-syntax", "shop/cm.yaml")),
    "key twice": ({"shop/cm.yaml": CM + "  k: w\n"}, ("yaml-syntax", "shop/cm.yaml")),
    "resource twice": ({"shop/other.yaml": CM}, ("duplicate-resource", "shop/other.yaml")),
    "merge comments": (
        {"shop/other.yaml": config_map("x", " # kpt-merge: /settings")},
        ("merge-comment-clash", "shop/other.yaml"),
    ),
    "function twice": (
        {"shop/Kptfile": HEAD + lock() + functions("a", "b", "theirs", "a")},
        ("duplicate-function", "shop/Kptfile"),
    ),
    "function lost": (
        {"shop/Kptfile": HEAD + lock() + functions("a", "b")},
        ("lost-function", "shop/Kptfile"),
    ),
    "two configurations": (
        {
            "shop/Kptfile": HEAD
            + lock()
            + functions("a", "b", "theirs")
            + "      configMap:\n        a: b\n      configPath: c.yaml\n"
        },
        ("config-clash", "shop/Kptfile"),
    ),
    "lock of another ref": (
        {"shop/Kptfile": HEAD + lock("v2", lock_ref="v1") + functions("a", "b", "theirs")},
        ("lock-mismatch", "shop/Kptfile"),
    ),
}


@pytest.mark.parametrize(("files", "expected"), SPOILED.values(), ids=SPOILED)
def test_what_stops_a_merge(
    merging: Repository, files: dict[str, str | bytes], expected: tuple[str, str]
) -> None:
    assert merge_and_spoil(merging, files) == [expected]


def test_a_lock_from_two_sides(repository: Repository) -> None:
    repository.commit("base", {"Kptfile": HEAD + lock()})
    repository.git("checkout", "-q", "-b", "theirs")
    repository.commit("theirs", {"Kptfile": HEAD + lock("v2", "2" * 40)})
    repository.git("checkout", "-q", "main")
    repository.commit("ours", {"Kptfile": HEAD + lock("v3", "3" * 40)})
    mixed = {"Kptfile": HEAD + lock("v3", "2" * 40)}
    assert merge_and_spoil(repository, mixed) == [("lock-mismatch", "Kptfile")]
    assert merge_and_spoil(repository, {"Kptfile": HEAD + lock("v3", "3" * 40)}) == []


def test_what_was_wrong_before_stops_nothing(repository: Repository) -> None:
    files = {"shop/Kptfile": KPTFILE, "shop/a.yaml": CM, "shop/b.yaml": CM, "shop/bad.yaml": "a: ["}
    repository.commit("base", dict(files))
    repository.git("checkout", "-q", "-b", "theirs")
    repository.commit("theirs", {"shop/Kptfile": HEAD + lock() + functions("a", "b", "c")})
    repository.git("checkout", "-q", "main")
    repository.commit("ours", {"shop/new.txt": "x"})
    assert merge_and_spoil(repository, {}) == []


def test_a_removed_function_is_not_lost(merging: Repository) -> None:
    merging.commit("remove b", {"shop/Kptfile": HEAD + lock() + functions("a")})
    spoiled = {"shop/Kptfile": HEAD + lock() + functions("a", "theirs")}
    assert merge_and_spoil(merging, spoiled) == []


def test_packages_inside_packages_are_apart(merging: Repository) -> None:
    inner = {"shop/inner/Kptfile": HEAD, "shop/inner/cm.yaml": CM}
    assert merge_and_spoil(merging, dict(inner)) == []


def test_templates_and_ignored_files_are_no_yaml(merging: Repository) -> None:
    files = {
        "shop/tmpl.yaml": "{{ if .x }}\na: [\n",
        "shop/.krmignore": "raw/\n",
        "shop/raw/x.yaml": "a: [\n",
    }
    assert merge_and_spoil(merging, dict(files)) == []


def test_outside_of_merges_nothing_is_checked(repository: Repository) -> None:
    repository.commit("base", {"Kptfile": KPTFILE})
    repository.write({"bad.yaml": "a: ["})
    repository.git("add", "-A")
    assert run_hook(directory=repository.path).findings == []
    assert repository.pkgupdate("hook", "run", "pre-commit").returncode == 0


def duplicate_on_both_sides(repository: Repository) -> None:
    """Git alone merges this cleanly, and wrongly: one resource in two files."""
    repository.commit("base", {"shop/Kptfile": KPTFILE})
    repository.git("checkout", "-q", "-b", "theirs")
    repository.commit("theirs", {"shop/one.yaml": CM})
    repository.git("checkout", "-q", "main")
    repository.commit("ours", {"shop/two.yaml": CM})


def test_the_installed_hook_stops_a_clean_merge(repository: Repository) -> None:
    duplicate_on_both_sides(repository)
    setup.enable("local", repository.path)
    head = repository.git("rev-parse", "HEAD")
    done = repository.run("git", "merge", "--no-edit", "theirs")
    assert done.returncode != 0
    assert "duplicate-resource: ConfigMap/settings" in done.stdout + done.stderr
    assert repository.git("rev-parse", "HEAD") == head
    again = repository.run("git", "commit", "-q", "--no-edit")
    assert again.returncode != 0
    (repository.path / "shop" / "two.yaml").unlink()
    repository.git("add", "-A")
    repository.git("commit", "-q", "--no-edit")
    assert len(repository.git("log", "-1", "--format=%P").split()) == 2


def test_the_hook_runs_after_conflicts_and_picks(merging: Repository) -> None:
    setup.enable("local", merging.path)
    merging.git("config", "--remove-section", "merge.pkgupdate")
    merging.git("add", ".gitattributes")
    merging.git("commit", "-q", "-m", "attributes")
    merging.commit("ours", {"shop/Kptfile": HEAD + lock() + functions("a", "b", "ours")})
    for command in (("merge", "theirs"), ("cherry-pick", "theirs")):
        assert merging.run("git", *command).returncode
        merging.write({"shop/Kptfile": HEAD + lock() + functions("a", "b", "theirs")})
        merging.git("add", "-A")
        stopped = merging.run("git", "commit", "-q", "--no-edit")
        assert stopped.returncode and "lost-function" in stopped.stdout + stopped.stderr
        merging.git(command[0], "--abort")


def test_fix_merges_again_and_stages(merging: Repository) -> None:
    merging.commit("ours", {"shop/Kptfile": HEAD + lock() + functions("a", "b", "ours")})
    assert merge_and_spoil(merging, {"shop/Kptfile": HEAD + lock() + functions("a", "b")})
    outcome = run_hook(fix=True, directory=merging.path)
    assert outcome.findings == [] and outcome.fixed == ["shop"]
    both = HEAD + lock() + functions("a", "b", "ours", "theirs")
    assert merging.read("shop/Kptfile") == both == merging.git("show", ":shop/Kptfile")
    merging.git("commit", "-q", "--no-edit")
    assert merging.git("status", "--porcelain") == ""


def test_fix_joins_a_resource_that_came_twice(repository: Repository) -> None:
    duplicate_on_both_sides(repository)
    repository.git("merge", "--no-commit", "theirs")
    outcome = run_hook(fix=True, directory=repository.path)
    assert outcome.findings == []
    assert sorted(repository.git("ls-files", "shop").split()) == ["shop/Kptfile", "shop/two.yaml"]


def test_fix_leaves_collisions_to_a_person(merging: Repository) -> None:
    merging.git("checkout", "-q", "theirs")
    merging.commit("more", {"shop/cm.yaml": CM.replace("k: v", "k: x")})
    merging.git("checkout", "-q", "main")
    merge_and_spoil(merging, {"shop/cm.yaml": "<<<<<<< a\nk: 1\n=======\nk: 2\n>>>>>>> b\n"})
    outcome = run_hook(fix=True, directory=merging.path)
    assert [f.code.value for f in outcome.findings] == ["conflict-markers"]
    assert "<<<<<<< ours\n  k: w\n=======\n  k: x\n>>>>>>> theirs\n" in merging.read("shop/cm.yaml")


def test_the_driver_and_the_hook_together(merging: Repository) -> None:
    merging.commit("ours", {"shop/Kptfile": HEAD + lock() + functions("a", "b", "ours")})
    setup.enable("local", merging.path)
    use_driver(merging)
    merging.git("merge", "-q", "--no-edit", "theirs")
    assert merging.read("shop/Kptfile") == HEAD + lock() + functions("a", "b", "ours", "theirs")


def test_hooks_in_a_linked_worktree(merging: Repository, tmp_path: Path) -> None:
    setup.enable("local", merging.path, with_hooks=True)
    merging.commit("attributes")
    other = tmp_path / "linked"
    merging.git("worktree", "add", "-q", str(other), "theirs")
    (other / "shop" / "copy.yaml").write_text(CM)
    for command in ("add -A", "commit -q -m copy", "merge --no-commit --no-ff main"):
        merging.git("-C", str(other), *command.split())
    (other / "shop" / "second.yaml").write_text(config_map("settings"))
    merging.git("-C", str(other), "add", "-A")
    stopped = merging.run("git", "-C", str(other), "commit", "-q", "--no-edit")
    assert stopped.returncode and "shop/second.yaml" in stopped.stdout + stopped.stderr
    merging.git("-C", str(other), "rm", "-q", "-f", "shop/second.yaml")
    merging.git("-C", str(other), "commit", "-q", "--no-edit")


def test_several_branches_at_once(merging: Repository) -> None:
    merging.git("checkout", "-q", "-b", "third", "theirs~1")
    merging.commit("third", {"shop/third.yaml": config_map("third")})
    merging.git("checkout", "-q", "main")
    merging.git("merge", "-q", "--no-commit", "theirs", "third")
    merging.write({"shop/again.yaml": config_map("third")})
    merging.git("add", "-A")
    found = run_hook(directory=merging.path).findings
    assert [f.file for f in found] == ["shop/third.yaml"]
    with pytest.raises(PkgUpdateError) as caught:
        run_hook(fix=True, directory=merging.path)
    assert caught.value.code == "several-branches"


def test_updating_in_a_merge_is_asked_for_by_branch(merging: Repository, tmp_path: Path) -> None:
    upstream = Repository(tmp_path / "upstream")
    upstream.commit("one", {"shop/cm.yaml": CM})
    first = upstream.git("rev-parse", "HEAD").strip()
    upstream.git("tag", "v1")
    kptfile = (HEAD + lock("main", first) + functions("a", "b")).replace(
        "https://example.com/catalog", str(upstream.path)
    )
    merging.commit("follow", {"shop/Kptfile": kptfile, "shop/cm.yaml": CM})
    merging.git("branch", "-qf", "theirs")
    merging.git("checkout", "-q", "theirs")
    merging.commit("theirs", {"shop/own.txt": "x"})
    merging.git("checkout", "-q", "main")
    merging.commit("ours", {"README": "y\n"})
    upstream.commit("two", {"shop/cm.yaml": CM.replace("k: v", "k: new")})
    merging.git("merge", "--no-commit", "theirs")
    assert run_hook(directory=merging.path).updated == []
    merging.git("config", "branch.main.pkgupdate", "sh*")
    assert run_hook(directory=merging.path).updated == ["shop"]
    assert "k: new" in merging.git("show", ":shop/cm.yaml")
    merging.git("merge", "--abort")
    merging.git("config", "--unset", "branch.main.pkgupdate")
    policy = "apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\nbranches: [other, ma*]\n"
    merging.commit("policy", {"shop/pkgupdate.yaml": policy})
    merging.git("merge", "--no-commit", "theirs")
    assert run_hook(directory=merging.path).updated == []
    merging.git("config", "pkgupdate.updateOnMerge", "yes")
    assert run_hook(directory=merging.path).updated == ["shop"]
    assert "k: new" in merging.git("show", ":shop/cm.yaml")
    merging.git("merge", "--abort")
    setup.enable("local", merging.path)
    stopped = merging.run("git", "merge", "--no-edit", "theirs")
    assert stopped.returncode and "`git commit` completes the merge" in stopped.stderr
    merging.git("commit", "-q", "--no-edit")
    assert "k: new" in merging.git("show", "HEAD:shop/cm.yaml")
    upstream.commit("three", {"shop/cm.yaml": CM.replace("k: v", "k: newer")})
    merging.commit("collide", {"shop/cm.yaml": CM.replace("k: v", "k: own"), "own": "x"})
    merging.git("checkout", "-q", "-b", "more", "theirs")
    merging.commit("more", {"shop/more.txt": "x"})
    merging.git("checkout", "-q", "main")
    stopped = merging.run("git", "merge", "--no-edit", "more")
    assert stopped.returncode and "error[collisions]" in stopped.stderr
    assert "k: own" in merging.read("shop/cm.yaml")
