"""Packages in packages: who follows what."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import snapshot
from upstream_repo import Repo, config_map, kptfile

from pkgupdate.errors import PkgUpdateError
from pkgupdate.update.get import get_package
from pkgupdate.update.journal import undo
from pkgupdate.update.options import UpdateOptions
from pkgupdate.update.plan import Plan, plan_update, update_package
from pkgupdate.upstream.address import parse_address


def update(root: Path, ref: str | None = None, **options: object) -> Plan:
    return update_package(root, UpdateOptions(ref=ref, allow_dirty=True, **options))  # type: ignore[arg-type]


def get(up: Repo, what: str, dest: Path) -> Plan:
    return get_package(parse_address(f"{up.path}.git/{what}"), dest)


def lines(path: Path, word: str) -> list[str]:
    return [line.strip() for line in path.read_text().splitlines() if word in line]


@pytest.fixture
def third(tmp_path: Path) -> Repo:
    """A repository of somebody else: a package `queue` at v1 and v2."""
    repo = Repo(tmp_path / "third")
    repo.commit({"queue/Kptfile": kptfile("queue"), "queue/q.yaml": config_map("q", A="1")}, "v1")
    repo.commit({"queue/q.yaml": config_map("q", A="2")}, "v2")
    return repo


def test_same_repository_inside_the_parent_goes_along(up: Repo, use: Repo) -> None:
    for number in "12":
        up.commit(
            {
                "shop/Kptfile": kptfile("shop"),
                "shop/cm.yaml": config_map("cm", A=number),
                "shop/cache/Kptfile": kptfile("cache"),
                "shop/cache/cm.yaml": config_map("cache", A=number),
                "other/Kptfile": kptfile("other"),
                "other/cm.yaml": config_map("other", A=number),
            },
            f"v{number}",
        )
    root = use.path / "shop"
    get(up, "shop@v1", root)
    get(up, "shop/cache@v1", root / "mine")
    get(up, "other@v1", root / "other")
    plan = update(root, "v2")
    assert [(p.directory, p.to_ref) for p in plan.packages] == [
        ("", "v2"),
        ("mine", "v2"),
        ("other", "v1"),
    ]
    assert 'A: "2"' in (root / "mine/cm.yaml").read_text()
    assert 'A: "1"' in (root / "other/cm.yaml").read_text()
    assert 'A: "2"' in (root / "cache/cm.yaml").read_text()
    assert [c.path for c in plan.changes][-2:] == ["mine/Kptfile", "Kptfile"]


def test_one_with_another_ref_stays(up: Repo, use: Repo) -> None:
    for number in "123":
        files = {"Kptfile": kptfile("shop"), "cm.yaml": config_map("cm", A=number)}
        up.commit({f"shop/{p}": t for p, t in files.items()}, f"v{number}")
    root = use.path / "shop"
    get(up, "shop@v2", root)
    get(up, "shop@v1", root / "old")
    update(root, "v3")
    assert lines(root / "old/Kptfile", "ref:") == ["ref: v1", "ref: v1"]


def test_it_follows_its_own_branch(up: Repo, use: Repo, third: Repo) -> None:
    up.commit({"shop/Kptfile": kptfile("shop")}, "v1")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    get(third, "queue@main", root / "queue")
    third.commit({"queue/q.yaml": config_map("q", A="3")})
    plan = update(root)
    assert [c.path for c in plan.changes] == ["queue/q.yaml", "queue/Kptfile"]
    assert 'A: "3"' in (root / "queue/q.yaml").read_text()
    third.commit({"queue/q.yaml": config_map("q", A="4")})
    assert update(root, recurse=False).is_empty


def test_decisions_of_subpackages_are_placed(up: Repo, use: Repo, third: Repo) -> None:
    up.commit({"shop/Kptfile": kptfile("shop")}, "v1")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    (root / "deep").mkdir()
    get(third, "queue@v1", root / "deep/queue")
    kptfile_text = (root / "deep/queue/Kptfile").read_text()
    (root / "deep/queue/Kptfile").write_text(kptfile_text.replace("ref: v1", "ref: v2", 1))
    (root / "deep/queue/q.yaml").write_text(config_map("q", A="mine"))
    plan = update(root)
    assert [d.file for d in plan.collisions] == ["deep/queue/q.yaml"]
    assert [p.directory for p in plan.packages] == ["", "deep/queue"]


def bare(third: Repo, ref: str) -> str:
    return kptfile("queue", upstream=f"{third.path}|/queue|{ref}")


def test_bare_subpackages_are_fetched_by_get_and_moved_by_update(
    up: Repo, use: Repo, third: Repo
) -> None:
    up.commit({"shop/Kptfile": kptfile("shop"), "shop/queue/Kptfile": bare(third, "v1")}, "v1")
    up.commit({"shop/queue/Kptfile": bare(third, "v2")}, "v2")
    root = use.path / "shop"
    plan = get(up, "shop@v1", root)
    assert [p.directory for p in plan.packages] == ["", "queue"]
    assert 'A: "1"' in (root / "queue/q.yaml").read_text()
    (root / "queue/q.yaml").write_text(config_map("q", A="1", MINE="1"))
    plan = update(root, "v2")
    text = (root / "queue/q.yaml").read_text()
    assert 'A: "2"' in text and 'MINE: "1"' in text
    assert lines(root / "queue/Kptfile", "ref:") == ["ref: v2", "ref: v2"]
    assert not plan.collisions


def test_new_ones_arrive_whole(up: Repo, use: Repo, third: Repo) -> None:
    up.commit({"shop/Kptfile": kptfile("shop")}, "v1")
    up.commit(
        {
            "shop/bare/Kptfile": bare(third, "v1"),
            "shop/plain/Kptfile": kptfile("plain"),
            "shop/plain/cm.yaml": config_map("cm", A="1"),
        },
        "v2",
    )
    root = use.path / "shop"
    get(up, "shop@v1", root)
    before = snapshot(root)
    update(root, "v2")
    assert 'A: "1"' in (root / "bare/q.yaml").read_text()
    assert (root / "plain/cm.yaml").exists()
    assert lines(root / "bare/Kptfile", "ref:") == ["ref: v1", "ref: v1"]
    undo(root)
    assert snapshot(root) == before
    update(root, "v2", recurse=False)
    assert not (root / "bare/q.yaml").exists()


def test_vendored_one_moves_with_the_package_around_it(up: Repo, use: Repo, third: Repo) -> None:
    get(third, "queue@v1", up.path / "shop-queue")
    vendored = {p.name: p.read_bytes() for p in (up.path / "shop-queue").iterdir()}
    files: dict[str, str | bytes | None] = {f"shop/queue/{n}": c for n, c in vendored.items()}
    up.commit({"shop/Kptfile": kptfile("shop"), **files}, "v1")
    moved = up.path / "shop/queue"
    update(moved, "v2")
    (moved / "q.yaml").write_text((moved / "q.yaml").read_text() + '  TEAM: "1"\n')
    up.commit({}, "v2")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    update(root, "v2")
    text = (root / "queue/q.yaml").read_text()
    assert 'A: "2"' in text and 'TEAM: "1"' in text
    assert lines(root / "queue/Kptfile", "ref:") == ["ref: v2", "ref: v2"]


def test_one_moved_locally_follows_its_own_upstream_only(up: Repo, use: Repo, third: Repo) -> None:
    third.commit({"queue/q.yaml": config_map("q", A="3")}, "v3")
    up.commit({"shop/Kptfile": kptfile("shop"), "shop/queue/Kptfile": bare(third, "v1")}, "v1")
    up.commit({"shop/queue/Kptfile": bare(third, "v2")}, "v2")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    update(root / "queue", "v3")
    update(root, "v2")
    assert 'A: "3"' in (root / "queue/q.yaml").read_text()
    assert lines(root / "queue/Kptfile", "ref:") == ["ref: v3", "ref: v3"]


@pytest.mark.parametrize("edited", [False, True])
def test_deleted_upstream_goes_only_if_unchanged(
    up: Repo, use: Repo, third: Repo, edited: bool
) -> None:
    up.commit(
        {
            "shop/Kptfile": kptfile("shop"),
            "shop/sub/Kptfile": kptfile("sub"),
            "shop/sub/cm.yaml": config_map("cm", A="1"),
        },
        "v1",
    )
    up.commit({"shop/sub/Kptfile": None, "shop/sub/cm.yaml": None}, "v2")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    if edited:
        (root / "sub/cm.yaml").write_text(config_map("cm", A="mine"))
    plan = update(root, "v2")
    assert (root / "sub").exists() is edited
    assert bool(plan.collisions) is edited


def test_deleted_locally_stays_deleted(up: Repo, use: Repo, third: Repo) -> None:
    up.commit({"shop/Kptfile": kptfile("shop"), "shop/queue/Kptfile": bare(third, "v1")}, "v1")
    up.commit({"shop/queue/Kptfile": bare(third, "v2")}, "v2")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    for path in (root / "queue").iterdir():
        path.unlink()
    update(root, "v2")
    assert not (root / "queue/Kptfile").exists()


def test_added_on_both_sides_under_different_names_is_a_collision(
    up: Repo, use: Repo, third: Repo
) -> None:
    up.commit({"shop/Kptfile": kptfile("shop")}, "v1")
    up.commit(
        {"shop/x/Kptfile": kptfile("theirs"), "shop/x/cm.yaml": config_map("cm", A="1")}, "v2"
    )
    root = use.path / "shop"
    get(up, "shop@v1", root)
    get(third, "queue@v1", root / "x")
    before = snapshot(root / "x")
    plan = update(root, "v2")
    assert [d.file for d in plan.collisions] == ["x"]
    assert "theirs" in plan.collisions[0].note and "'x'" in plan.collisions[0].note
    assert snapshot(root / "x") == before


def test_any_depth(up: Repo, use: Repo, third: Repo) -> None:
    third.commit(
        {"stack/Kptfile": kptfile("stack"), "stack/queue/Kptfile": bare(third, "v1")}, "s1"
    )
    third.commit({"stack/queue/Kptfile": bare(third, "v2")}, "s2")
    stack = f"{third.path}|/stack|"
    up.commit(
        {
            "shop/Kptfile": kptfile("shop"),
            "shop/a/b/stack/Kptfile": kptfile("stack", upstream=stack + "s1"),
        },
        "v1",
    )
    up.commit({"shop/a/b/stack/Kptfile": kptfile("stack", upstream=stack + "s2")}, "v2")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    queue = root / "a/b/stack/queue/q.yaml"
    assert 'A: "1"' in queue.read_text()
    plan = update(root, "v2")
    assert 'A: "2"' in queue.read_text()
    assert [p.directory for p in plan.packages] == ["", "a/b/stack", "a/b/stack/queue"]


def test_a_package_that_holds_itself_ends(up: Repo, use: Repo) -> None:
    itself = kptfile("again", upstream=f"{up.path}|/shop|v1")
    up.commit({"shop/Kptfile": kptfile("shop"), "shop/again/Kptfile": itself}, "v1")
    plan = get(up, "shop@v1", use.path / "shop")
    assert "would hold itself" in plan.notes[0]
    assert not (use.path / "shop/again/again").exists()


def test_a_fault_in_a_subpackage_names_it_and_changes_nothing(
    up: Repo, use: Repo, third: Repo
) -> None:
    up.commit({"shop/Kptfile": kptfile("shop"), "shop/cm.yaml": config_map("cm", A="1")}, "v1")
    up.commit({"shop/cm.yaml": config_map("cm", A="2")}, "v2")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    get(third, "queue@v1", root / "queue")
    path = root / "queue/Kptfile"
    path.write_text(path.read_text().replace("ref: v1", "ref: nowhere", 1))
    before = snapshot(root)
    with pytest.raises(PkgUpdateError) as caught:
        update(root, "v2")
    assert caught.value.code == "ref-unknown"
    assert caught.value.where.file == "queue/Kptfile"
    assert snapshot(root) == before


def test_one_repository_is_asked_once(up: Repo, use: Repo) -> None:
    for number in "12":
        files = {"Kptfile": kptfile("shop"), "cm.yaml": config_map("cm", A=number)}
        up.commit({f"shop/{p}": t for p, t in files.items()}, f"v{number}")
    root = use.path / "shop"
    get(up, "shop@v1", root)
    for name in "abc":
        get(up, "shop@v1", root / name)
    asked: list[str] = []
    plan = plan_update(root, UpdateOptions(ref="v2", allow_dirty=True, log=asked.append))
    assert [p.to_ref for p in plan.packages] == ["v2"] * 4
    assert len([line for line in asked if "ls-remote" in line]) == 1
    assert len([line for line in asked if line.startswith("git fetch")]) <= 2


ODD = {
    "local": ("bare", "names a local path"),
    "no map": (kptfile("odd") + "upstream:\n  git: {ref: v1}\n", "upstream.git.repo is missing"),
    "helper": (kptfile("odd", upstream="ext::sh -c id|/|v1"), "not allowed"),
    "outside": (kptfile("odd", upstream="https://x.example/r|/../..|v1"), "leaves the repository"),
    "option": (kptfile("odd", upstream="--upload-pack=id|/|v1"), "begins with '-'"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_subpackages_from_elsewhere_are_left_and_said(
    up: Repo, use: Repo, third: Repo, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    text, why = ODD[case]
    up.commit({"shop/Kptfile": kptfile("shop")}, "v1")
    text = bare(third, "v1") if text == "bare" else text
    up.commit({"shop/odd/Kptfile": text, "shop/cm.yaml": config_map("cm", A="1")}, "v2")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{up.path}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://shop.example/up")
    root = use.path / "shop"
    get_package(parse_address("https://shop.example/up.git/shop@v1"), root)
    plan = update(root, "v2")
    assert len(plan.notes) == 1
    assert plan.notes[0].startswith("odd is not fetched: ") and why in plan.notes[0]
    assert [p.name for p in (root / "odd").iterdir()] == ["Kptfile"]
    assert (root / "cm.yaml").exists()
