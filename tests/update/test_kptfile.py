"""Reading and setting the upstream sections of a Kptfile."""

from __future__ import annotations

import pytest

from pkgupdate.errors import PackageError
from pkgupdate.update.kptfile import (
    LockSection,
    UpstreamSection,
    read_kptfile,
    set_name,
    set_upstream,
)

FULL = """\
# licence of the team

apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
    name: shop   # ours
upstreamLock:
    git:
        commit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  # do not touch
        ref: "v1"
        directory: /shop
        repo: https://example.org/r
    type: git

upstream:
    updateStrategy: fast-forward
    type: git
    git:
        ref: 'v1'  # pinned
        repo: https://example.org/r
        directory: /shop
x-team: [a,  b]
"""


def test_only_the_values_that_differ_change() -> None:
    kptfile = read_kptfile(FULL.encode())
    assert kptfile.name == "shop"
    assert kptfile.upstream == UpstreamSection(
        "https://example.org/r", "/shop", "v1", "fast-forward"
    )
    assert kptfile.lock is not None and kptfile.lock.commit == "a" * 40
    new = set_upstream(
        kptfile,
        UpstreamSection("https://example.org/r", "/shop", "v2"),
        LockSection("https://example.org/r", "/shop", "v2", "b" * 40),
    ).decode()
    assert new == FULL.replace("a" * 40, "b" * 40).replace('"v1"', '"v2"').replace("'v1'", "'v2'")


def test_nothing_to_set_changes_no_byte() -> None:
    for text in (FULL, FULL.replace("\n", "\r\n"), "\ufeff" + FULL, FULL.rstrip("\n")):
        kptfile = read_kptfile(text.encode())
        assert kptfile.upstream is not None and kptfile.lock is not None
        assert set_upstream(kptfile, kptfile.upstream, kptfile.lock) == text.encode()


@pytest.mark.parametrize(
    "text",
    [
        "{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: x}}\n",
        '{"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "x"}}',
        "{apiVersion: v, upstream: {type: git, git: {repo: r, directory: /, ref: v0}}}\n",
        "apiVersion: kpt.dev/v1\nkind: Kptfile\n",
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\nupstreamLock:\ninfo: {}\n",
        "kind: Kptfile\nupstream: {}\nupstreamLock: {}\n",
        "kind: Kptfile\nupstream: null\nupstreamLock: ~  # none yet\n",
        "kind: Kptfile\nupstream:\n  type: git\n  git: &g {repo: r, directory: /d, ref: v0}\n"
        "upstreamLock:\n  type: git\n  git: *g\n",
    ],
)
def test_sections_are_set_in_any_layout(text: str) -> None:
    follows = UpstreamSection("https://example.org/r", "/d", "v1", "resource-merge")
    lock = LockSection("https://example.org/r", "/d", "1.10", "1234567")
    new = set_upstream(read_kptfile(text.encode()), follows, lock)
    again = read_kptfile(new)
    assert (again.upstream, again.lock) == (follows, lock)
    assert set_upstream(again, follows, lock) == new


def test_a_new_section_goes_where_kpt_writes_it_in_its_field_order() -> None:
    text = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\ninfo:\n  description: d\n"
    follows = UpstreamSection("r", "/d", "v1", "resource-merge")
    new = set_upstream(
        read_kptfile(text.encode()), follows, LockSection("r", "/d", "v1", "c0ffee0")
    )
    head, tail = text.split("info:")
    assert new.decode() == (
        f"{head}upstream:\n  type: git\n  git:\n    repo: r\n    directory: /d\n    ref: v1\n"
        "  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: r\n"
        f"    directory: /d\n    ref: v1\n    commit: c0ffee0\ninfo:{tail}"
    )


def test_name_is_set() -> None:
    text = "kind: Kptfile\nmetadata:\n  name: web # here\n  labels: {a: b}\n"
    assert set_name(read_kptfile(text.encode()), "shop").decode() == text.replace("web", "shop")


def test_refs_are_read_as_written() -> None:
    text = "upstream:\n  git:\n    repo: r\n    ref: 1.10\nupstreamLock:\n  git:\n    repo: r\n"
    kptfile = read_kptfile((text + "    ref: 0x10\n    commit: 1234567\n").encode())
    assert kptfile.upstream == UpstreamSection("r", "/", "1.10")
    assert kptfile.lock == LockSection("r", "/", "0x10", "1234567")


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (b"a: [\n", 2, "did not find"),
        (b"kind: Kptfile\nupstream: git\n", 2, "upstream has to be a map"),
        (b"kind: Kptfile\nupstream:\n  type: git\n", 3, "`git`"),
        (b"kind: Kptfile\nupstream:\n  git:\n    ref: v1\n", 4, "upstream.git.repo is missing"),
        (b"kind: Kptfile\nupstream:\n  type: oci\n  git: {repo: r}\n", 3, "'oci'"),
        (b"kind: Kptfile\nupstream:\n  git:\n    repo: [r]\n", 4, "repo has to be a text"),
        (b"- a\n", 1, "not a map"),
        (b"", 1, "not a map"),
        (b"\xff\xfe", 0, "UTF-8"),
        (b"a: 1\n---\nb: 2\n", 3, ""),
    ],
)
def test_broken_kptfiles_say_where_and_why(text: bytes, line: int, why: str) -> None:
    with pytest.raises(PackageError) as caught:
        read_kptfile(text, "sub/Kptfile")
    assert caught.value.code == "kptfile-broken"
    assert (caught.value.where.file, caught.value.where.line) == ("sub/Kptfile", line)
    assert why in caught.value.why


def test_missing_upstream() -> None:
    with pytest.raises(PackageError, match="does not say") as caught:
        read_kptfile(b"kind: Kptfile\n").require_upstream()
    assert caught.value.code == "upstream-missing"
