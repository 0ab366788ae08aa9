"""Updates of one package from a real upstream."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from faults import snapshot
from upstream_repo import Repo, config_map, git, kptfile, write_files

from pkgupdate.errors import ApplyError, PackageError, PkgUpdateError, UpstreamError
from pkgupdate.merge.decisions import Kind, Subject
from pkgupdate.merge.policy import Policy, Target
from pkgupdate.update.get import get_package
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, apply_plan, plan_update, update_package
from pkgupdate.update.policies import policy_in
from pkgupdate.upstream.address import parse_address


def publish(up: Repo, directory: str = "shop") -> list[str]:
    """Two versions of a package, v1 and v2."""
    prefix = f"{directory}/" if directory else ""
    first = up.commit(
        {
            f"{prefix}Kptfile": kptfile("shop"),
            f"{prefix}cm.yaml": config_map("cm", A="1", B="1"),
        },
        "v1",
    )
    second = up.commit({f"{prefix}cm.yaml": config_map("cm", A="2", B="1")}, "v2")
    return [first, second]


def fetch(up: Repo, use: Repo, what: str = "shop@v1", name: str = "pkg") -> Path:
    """The package, fetched, edited and committed."""
    root = use.path / name
    get_package(parse_address(f"{up.path}.git/{what}"), root)
    cm = root / "cm.yaml"
    cm.write_text(cm.read_text().replace('B: "1"', 'B: "mine"'))
    git(use.path, "add", "-A")
    git(use.path, "commit", "-q", "-m", "get")
    return root


def update(root: Path, ref: str | None = None, **options: object) -> Plan:
    return update_package(root, UpdateOptions(ref=ref, **options))  # type: ignore[arg-type]


def test_update_merges_locks_and_a_second_run_changes_nothing(up: Repo, use: Repo) -> None:
    _, second = publish(up)
    root = fetch(up, use)
    plan = update(root, "v2")
    assert [c.path for c in plan.changes] == ["cm.yaml", "Kptfile"]
    text = (root / "cm.yaml").read_text()
    assert 'A: "2"' in text and 'B: "mine"' in text
    locked = (root / "Kptfile").read_text()
    assert locked.count("ref: v2") == 2 and f"commit: {second}" in locked
    git(use.path, "commit", "-qam", "update")
    before = snapshot(root)
    again = update(root)
    assert again.is_empty and not again.decisions and snapshot(root) == before
    assert [(p.from_commit, p.to_commit) for p in again.packages] == [(second, second)]


@pytest.mark.parametrize(
    "ref",
    ["v2", "refs/tags/v2", "main", "refs/heads/main", "{commit}", "{short}", "annotated"],
)
def test_every_kind_of_ref(up: Repo, use: Repo, ref: str) -> None:
    _, second = publish(up)
    git(up.path, "tag", "-a", "-m", "second", "annotated")
    root = fetch(up, use)
    ref = ref.format(commit=second, short=second[:9])
    update(root, ref)
    text = (root / "Kptfile").read_text()
    assert f"commit: {second}" in text
    written = [line.split()[1].strip('"') for line in text.splitlines() if " ref: " in line]
    assert written == [ref, ref]  # quoted where the short id reads as a number


def test_monorepo_tags_and_version_constraints(up: Repo, use: Repo) -> None:
    publish(up)
    git(up.path, "tag", "shop/v1.0.0", "v1")
    git(up.path, "tag", "shop/v1.1.0", "v2")
    git(up.path, "tag", "v9.0.0", "v1")
    root = fetch(up, use, "shop@v1.0.0")
    text = (root / "Kptfile").read_text()
    assert "ref: v1.0.0\n" in text and "ref: shop/v1.0.0\n" in text
    update(root, "^1.0")
    text = (root / "Kptfile").read_text()
    assert text.count("ref: shop/v1.1.0\n") == 2
    assert 'A: "2"' in (root / "cm.yaml").read_text()


def test_only_the_ref_changes_if_the_commit_is_the_same(up: Repo, use: Repo) -> None:
    publish(up)
    git(up.path, "tag", "same", "v1")
    root = fetch(up, use)
    plan = update(root, "same")
    assert [c.path for c in plan.changes] == ["Kptfile"]
    assert (root / "Kptfile").read_text().count("ref: same") == 2


def test_nothing_is_fetched_for_a_locked_commit(up: Repo, use: Repo) -> None:
    _, second = publish(up)
    root = fetch(up, use, f"shop@{second}")
    shutil.rmtree(up.path)
    assert plan_update(root).is_empty


def test_package_at_the_root_upstream_without_kptfile_never_fetched(up: Repo, use: Repo) -> None:
    up.commit({"cm.yaml": config_map("cm", A="1")}, "v1")
    up.commit({"cm.yaml": config_map("cm", A="2"), "new.yaml": config_map("new", N="1")}, "v2")
    use.commit(
        {
            "pkg/Kptfile": kptfile("pkg", upstream=f"{up.path}|/|v1"),
            "pkg/cm.yaml": config_map("cm", A="1", MINE="1"),
        }
    )
    root = use.path / "pkg"
    plan = update(root, "v2")
    assert not [c for c in plan.changes if c.after is None]
    text = (root / "cm.yaml").read_text()
    assert 'A: "2"' in text and 'MINE: "1"' in text
    assert "metadata: # kpt-merge: /new\n" in (root / "new.yaml").read_text()
    assert len(plan.collisions) == 1
    assert [note for note in plan.notes if "empty original" in note]
    assert not [d for d in plan.decisions if d.subject is Subject.MODE]
    assert "upstreamLock:" in (root / "Kptfile").read_text()


def test_package_outside_any_repository(up: Repo, tmp_path: Path) -> None:
    publish(up)
    root = tmp_path / "plain"
    get_package(parse_address(f"{up.path}.git/shop@v1"), root)
    (root / "cm.yaml").write_text(config_map("cm", A="1", B="mine"))
    update(root, "v2")
    assert 'A: "2"' in (root / "cm.yaml").read_text()
    assert not list(root.rglob(".pkgupdate*"))


def test_short_commit_in_the_lock(up: Repo, use: Repo) -> None:
    first, second = publish(up)
    root = fetch(up, use)
    path = root / "Kptfile"
    path.write_text(path.read_text().replace(first, first[:8]))
    assert plan_update(root, UpdateOptions(allow_dirty=True)).is_empty
    update(root, "v2", allow_dirty=True)
    assert second in path.read_text()
    assert 'B: "mine"' in (root / "cm.yaml").read_text()


def test_locked_commit_is_gone(up: Repo, use: Repo, tmp_path: Path) -> None:
    first, _ = publish(up)
    root = fetch(up, use)
    path = root / "Kptfile"
    path.write_text(path.read_text().replace(first, "d" * 40))
    before = snapshot(root)
    with pytest.raises(UpstreamError) as caught:
        update(root, "v2", allow_dirty=True)
    assert caught.value.code == "commit-gone" and "upstreamLock" in caught.value.hint
    assert snapshot(root) == before


def test_the_strategy_in_the_kptfile_is_used_and_stays(up: Repo, use: Repo) -> None:
    publish(up)
    root = fetch(up, use)
    path = root / "Kptfile"
    path.write_text(path.read_text().replace("resource-merge", "copy-merge"))
    plan = update(root, "v2", allow_dirty=True)
    assert plan.packages[0].strategy == "copy-merge"
    assert "updateStrategy: copy-merge" in path.read_text()
    update(root, "v1", allow_dirty=True, strategy="force-delete-replace")
    assert "updateStrategy: copy-merge" in path.read_text()


def test_credentials_do_not_reach_the_lock(up: Repo, use: Repo) -> None:
    from pkgupdate.update.repositories import public_repo

    assert public_repo("https://user:secret@example.org/r") == "https://example.org/r"
    assert public_repo("https://example.org/r.git") == "https://example.org/r.git"
    assert public_repo("git@example.org:r.git") == "git@example.org:r.git"


BROKEN = {
    "kptfile-missing": {"cm.yaml": config_map("cm")},
    "kptfile-broken": {"Kptfile": "a: [\n"},
    "upstream-missing": {"Kptfile": kptfile("pkg")},
    "strategy-unknown": {"Kptfile": kptfile("pkg", upstream="{up}|/shop|v1|resource-murge")},
    "ref-unknown": {"Kptfile": kptfile("pkg", upstream="{up}|/shop|v3")},
    "directory-missing": {"Kptfile": kptfile("pkg", upstream="{up}|/shopp|v1")},
    "repo-unreachable": {"Kptfile": kptfile("pkg", upstream="{up}-nowhere|/shop|v1")},
    "bad-address": {"Kptfile": kptfile("pkg", upstream="--upload-pack=x|/shop|v1")},
}


@pytest.mark.parametrize("code", BROKEN)
def test_bad_input_is_refused_and_nothing_changes(up: Repo, tmp_path: Path, code: str) -> None:
    publish(up)
    root = tmp_path / "pkg"
    files = {path: text.replace("{up}", str(up.path)) for path, text in BROKEN[code].items()}
    write_files(root, dict(files))
    before = snapshot(root)
    with pytest.raises(PkgUpdateError) as caught:
        plan_update(root)
    assert caught.value.code == code
    assert caught.value.hint
    assert snapshot(root) == before


def test_a_folder_near_a_package_gets_a_hint(up: Repo, use: Repo) -> None:
    publish(up)
    root = fetch(up, use)
    with pytest.raises(PackageError) as caught:
        plan_update(use.path)
    assert caught.value.code == "kptfile-missing" and str(root) in caught.value.hint
    (root / "below").mkdir()
    with pytest.raises(PackageError) as caught:
        plan_update(root / "below")
    assert str(root) in caught.value.hint


def test_dirty_is_about_the_package_alone(up: Repo, use: Repo) -> None:
    publish(up)
    root = fetch(up, use)
    write_files(use.path, {"outside.txt": "x", "pkg/out.log": "x", ".gitignore": "*.log\n"})
    assert not plan_update(root, UpdateOptions(ref="v2")).is_empty
    write_files(root, {"ünï cöde\n.txt": "x"})
    with pytest.raises(PackageError) as caught:
        plan_update(root, UpdateOptions(ref="v2"))
    assert caught.value.code == "package-dirty"
    assert caught.value.why == "ünï cöde\\n.txt"


def test_unmerged_files_are_always_refused(up: Repo, use: Repo) -> None:
    publish(up)
    root = fetch(up, use)
    git(use.path, "checkout", "-q", "-b", "other")
    use.commit({"pkg/cm.yaml": config_map("cm", A="x")})
    git(use.path, "checkout", "-q", "main")
    use.commit({"pkg/cm.yaml": config_map("cm", A="y")})
    with pytest.raises(Exception, match="merge"):
        git(use.path, "merge", "other")
    with pytest.raises(PackageError) as caught:
        plan_update(root, UpdateOptions(ref="v2", allow_dirty=True))
    assert caught.value.code == "package-unmerged" and "cm.yaml" in caught.value.why


def test_a_file_saved_between_plan_and_apply_is_not_overwritten(up: Repo, use: Repo) -> None:
    publish(up)
    root = fetch(up, use)
    plan = plan_update(root, UpdateOptions(ref="v2"))
    (root / "cm.yaml").write_text("saved: meanwhile\n")
    before = snapshot(root)
    with pytest.raises(ApplyError) as caught:
        apply_plan(plan)
    assert caught.value.code == "file-changed" and caught.value.where.file == "cm.yaml"
    assert snapshot(root) == before


def test_in_a_worktree_the_journal_is_in_its_own_git_directory(up: Repo, use: Repo) -> None:
    publish(up)
    fetch(up, use)
    tree = use.path.parent / "worktree"
    git(use.path, "worktree", "add", "-q", str(tree))
    update(tree / "pkg", "v2")
    assert 'A: "2"' in (tree / "pkg/cm.yaml").read_text()
    assert list((use.path / ".git/worktrees/worktree/pkgupdate").glob("*/undo"))


def test_a_link_is_no_kptfile(up: Repo, tmp_path: Path) -> None:
    root = tmp_path / "pkg"
    write_files(root, {"real": kptfile("x")})
    (root / "Kptfile").symlink_to("real")
    with pytest.raises(PackageError) as caught:
        plan_update(root)
    assert caught.value.code == "kptfile-broken"


def test_the_upstream_section_of_the_published_package_is_not_copied(up: Repo, use: Repo) -> None:
    base = "https://git.example.org/vendor/base|/base|"
    lock = "https://git.example.org/vendor/base|/base|{}|" + "b" * 40
    for ref in ("v1", "v2"):
        published = kptfile("shop", upstream=base + ref, lock=lock.format(ref))
        up.commit({"shop/Kptfile": published, "shop/cm.yaml": config_map("cm", A=ref)}, ref)
    root = fetch(up, use)
    plan = update(root, "v2", strategy="resource-merge")
    text = (root / "Kptfile").read_text()
    assert "vendor" not in text and "b" * 40 not in text
    assert text.count(f"repo: {up.path}\n") == 2 and text.count("ref: v2") == 2
    assert not plan.collisions


def test_policies_are_read_inside_subpackages_too() -> None:
    policy = Policy(
        protected=(Target("sub/cm.yaml"), Target("apps/*")),
        choices={("sub/cm.yaml", "r", "p", "value"): "local", ("cm.yaml", "", "", "file"): "local"},
    )
    inside = policy_in(policy, "sub")
    assert inside.protected == (Target("cm.yaml"), Target("apps/*"))
    assert inside.choices == {("cm.yaml", "r", "p", "value"): "local"}
    assert policy_in(policy, "") is policy
    places = ("sub", "sub/deep", "other", "subway")
    policy = Policy(protected=tuple(Target("cm.yaml", directory=place) for place in places))
    assert policy_in(policy, "sub").protected == (
        Target("cm.yaml"),
        Target("cm.yaml", directory="deep"),
    )


@pytest.mark.parametrize("is_independent", [False, True])
def test_what_a_subpackage_protects_is_protected_when_its_parent_is_updated(
    is_independent: bool, up: Repo, use: Repo
) -> None:
    def published(value: str, ref: str) -> dict[str, str]:
        upstream = f"{up.path}|/shop/sub|{ref}" if is_independent else ""
        return {
            "shop/Kptfile": kptfile("shop"),
            "shop/cm.yaml": config_map("cm", A=value),
            "shop/sub/Kptfile": kptfile("sub", upstream=upstream),
            "shop/sub/cm.yaml": config_map("cm", A=value),
        }

    up.commit(published("1", "v1"), "v1")
    up.commit(published("2", "v2"), "v2")
    root = fetch(up, use)
    (root / "sub/pkgupdate.yaml").write_text(
        "apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\nprotect: [{resource: cm.yaml}]\n"
    )
    use.commit({})
    plan = update(root, "v2")
    assert 'A: "2"' in (root / "cm.yaml").read_text()
    assert 'A: "1"' in (root / "sub/cm.yaml").read_text()
    assert {d.file for d in plan.decisions if d.kind is Kind.WITHHELD} == {"sub/cm.yaml"}


def test_unsigned_commits_are_refused_if_that_is_wanted(up: Repo, use: Repo) -> None:
    publish(up)
    root = fetch(up, use)
    before = snapshot(root)
    with pytest.raises(UpstreamError) as caught:
        update(root, "v2", require_signed=True)
    assert caught.value.code == "signature-missing" and snapshot(root) == before


@pytest.mark.parametrize("history", ["moved", "forked"])
def test_the_repository_is_another_one_now(
    up: Repo, use: Repo, tmp_path: Path, history: str
) -> None:
    publish(up)
    root = fetch(up, use)
    new = tmp_path / "new"
    if history == "moved":
        up.path.rename(new)
    else:
        fork = Repo(new)
        fork.commit(
            {"shop/Kptfile": kptfile("shop"), "shop/cm.yaml": config_map("cm", A="2")}, "v2"
        )
    path = root / "Kptfile"
    path.write_text(path.read_text().replace(str(up.path), str(new), 1))
    update(root, "v2", allow_dirty=True)
    text = (root / "cm.yaml").read_text()
    assert 'A: "2"' in text and 'B: "mine"' in text
    assert path.read_text().count(f"repo: {new}\n") == 2


def test_the_directory_moved_in_the_repository(up: Repo, use: Repo) -> None:
    publish(up)
    up.commit(
        {
            "shop/Kptfile": None,
            "shop/cm.yaml": None,
            "new/Kptfile": kptfile("shop"),
            "new/cm.yaml": config_map("cm", A="3", B="1"),
        },
        "v3",
    )
    root = fetch(up, use)
    path = root / "Kptfile"
    path.write_text(path.read_text().replace("directory: /shop", "directory: /new", 1))
    update(root, "v3", allow_dirty=True)
    text = (root / "cm.yaml").read_text()
    assert 'A: "3"' in text and 'B: "mine"' in text
    assert path.read_text().count("directory: /new\n") == 2


def test_fast_forward_where_upstream_has_no_kptfile(up: Repo, use: Repo) -> None:
    up.commit({"raw/cm.yaml": config_map("cm", A="1")}, "v1")
    up.commit({"raw/cm.yaml": config_map("cm", A="2")}, "v2")
    root = use.path / "raw"
    get_package(parse_address(f"{up.path}.git/raw@v1"), root)
    update(root, "v2", strategy="fast-forward", allow_dirty=True)
    assert 'A: "2"' in (root / "cm.yaml").read_text()
