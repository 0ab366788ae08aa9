"""`upstream` and `upstreamLock` are one unit between branches."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository

from pkgupdate.document.document import Document
from pkgupdate.integrations.git.lock_unit import (
    known_ancestor,
    line_spans,
    settle,
    unit_of,
    with_unit_of,
)
from pkgupdate.integrations.git.two_ways import merge_file
from pkgupdate.merge.sides import Sides

HEAD = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
TAIL = "info:\n  description: x\n"


def kptfile(ref: str, commit: str, *, repo: str = "https://example.com/c", extra: str = "") -> str:
    git = f"  git:\n    repo: {repo}\n    directory: /shop\n    ref: {ref} # pinned\n"
    follows = f"upstream:\n  type: git\n{git}{extra}"
    return f"{HEAD}{follows}upstreamLock:\n  type: git\n{git}    commit: {commit}\n{TAIL}"


OLD, OURS, THEIRS = (kptfile(f"v{n}", c * 40) for n, c in ((1, "a"), (2, "b"), (3, "c")))


def newer(older: str, later: str) -> bool:
    return older < later


@pytest.mark.parametrize(
    ("original", "theirs", "ours", "winner"),
    [
        (OLD, OLD, OLD, "local"),
        (OLD, THEIRS, OLD, "upstream"),
        (OLD, OLD, OURS, "local"),
        (OLD, OURS, OURS, "local"),
        (OLD, THEIRS, OURS, "upstream"),
        (OLD, OURS, THEIRS, "local"),
        (OLD, kptfile("v3", "c" * 40, repo="https://example.com/other"), OURS, None),
        (OLD, HEAD, OURS, None),
        (OLD, kptfile("v3", "b" * 40), OURS, None),
        (HEAD, THEIRS, OURS, "upstream"),
    ],
)
def test_who_wins(original: str, theirs: str, ours: str, winner: str | None) -> None:
    sides = Sides(Document(original), Document(theirs), Document(ours))
    assert settle(sides, lambda _, older, later: newer(older, later)) == winner


def test_nothing_known_is_a_collision() -> None:
    sides = Sides(Document(OLD), Document(THEIRS), Document(OURS))
    assert settle(sides, lambda *_: False) is None


@pytest.mark.parametrize(
    "target",
    [
        OLD,
        kptfile("v1", "a" * 40, extra="  updateStrategy: fast-forward\n"),
        HEAD + TAIL,
        HEAD + "upstream:\n  updateStrategy: fast-forward\n" + TAIL,
    ],
)
def test_the_unit_moves_as_a_whole(target: str) -> None:
    source = kptfile("v3", "c" * 40, extra="  updateStrategy: resource-merge\n")
    text = with_unit_of(Document(target), Document(source))
    assert unit_of(Document(text)) == unit_of(Document(source))
    if "updateStrategy" in target:
        assert "fast-forward" in text and "resource-merge" not in text
    gone = with_unit_of(Document(source), Document(HEAD + TAIL))
    assert gone == HEAD + TAIL


def test_where_the_sections_are() -> None:
    assert line_spans(Document(OLD)) == [(4, 17)]
    assert line_spans(Document(HEAD + "upstream: {}\n" + TAIL + "upstreamLock: {}\n")) == [
        (4, 5),
        (7, 8),
    ]


def test_the_strategy_merges_beside_the_unit() -> None:
    ours = kptfile("v1", "a" * 40, extra="  updateStrategy: fast-forward\n")
    merged = merge_file(Sides(OLD, THEIRS, ours), "Kptfile", is_ancestor=lambda *_: False)
    expected = kptfile("v3", "c" * 40, extra="  updateStrategy: fast-forward\n")
    assert merged.is_clean and merged.local == expected


def test_the_cache_knows_what_came_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pkgupdate.upstream.repository import Upstream

    cache = tmp_path / "upstream-cache"
    monkeypatch.setenv("PKGUPDATE_CACHE_DIR", str(cache))
    upstream = Repository(tmp_path / "catalog")
    first, second = (upstream.commit(name, {"shop/x": name}) for name in ("one", "two"))
    repo = str(upstream.path)
    assert not known_ancestor(repo, first, second)
    with Upstream(repo, cache_dir=cache) as opened:
        opened.history(first, second, "shop")
    assert known_ancestor(repo, first, second)
    assert not known_ancestor(repo, second, first)
    assert not known_ancestor(repo, "--all", second)
    upstream.path.rename(tmp_path / "gone")
    ours, theirs = kptfile("v2", first, repo=repo), kptfile("v3", second, repo=repo)
    merged = merge_file(Sides(OLD, theirs, ours), "Kptfile")
    assert merged.is_clean and merged.local == theirs
