"""Addresses: what is understood, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from upstream_repos import Repo

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.address import check_ref, normal_directory, parse_address
from pkgupdate.upstream.remote import parse_remote, same_repo

GOOD = [
    # address, repo, directory, ref
    ("https://example.com/org/repo.git/dir@v1", "https://example.com/org/repo", "/dir", "v1"),
    ("https://example.com/org/repo.git", "https://example.com/org/repo", "/", ""),
    ("https://example.com/org/repo.git/", "https://example.com/org/repo", "/", ""),
    ("https://example.com/org/repo.git@v1", "https://example.com/org/repo", "/", "v1"),
    ("https://example.com/repo.git/a//b/./c/@x", "https://example.com/repo", "/a/b/c", "x"),
    ("https://example.com:8443/r.git/d@v1", "https://example.com:8443/r", "/d", "v1"),
    ("HTTPS://example.com/r.git/d", "https://example.com/r", "/d", ""),
    ("http://localhost/r.git/d@feature/x", "http://localhost/r", "/d", "feature/x"),
    ("https://[::1]:8080/r.git/d", "https://[::1]:8080/r", "/d", ""),
    ("https://u:p@example.com/r.git/d@v1", "https://u:p@example.com/r", "/d", "v1"),
    ("ssh://git@example.com/org/r.git/d@v1", "ssh://git@example.com/org/r", "/d", "v1"),
    ("ssh://git@example.com:2222/r.git/d", "ssh://git@example.com:2222/r", "/d", ""),
    ("git://example.com/r.git/d", "git://example.com/r", "/d", ""),
    ("git@example.com:org/r.git/d/e@v1", "git@example.com:org/r", "/d/e", "v1"),
    ("example.com:org/r.git@v1", "example.com:org/r", "/", "v1"),
    ("git@example.com:~me/r.git/d", "git@example.com:~me/r", "/d", ""),
    ("https://github.com/org/repo/dir/sub@v1", "https://github.com/org/repo", "/dir/sub", "v1"),
    ("https://github.com/org/repo", "https://github.com/org/repo", "/", ""),
    ("https://github.com/org/repo@main", "https://github.com/org/repo", "/", "main"),
    ("git@github.com:org/repo/dir@v1", "git@github.com:org/repo", "/dir", "v1"),
    ("https://gitlab.com/org/repo", "https://gitlab.com/org/repo", "/", ""),
    ("https://gitlab.com/a/b/c.git/dir", "https://gitlab.com/a/b/c", "/dir", ""),
    (
        "https://dev.azure.com/org/project/_git/repo/dir@v1",
        "https://dev.azure.com/org/project/_git/repo",
        "/dir",
        "v1",
    ),
    ("https://example.com/r.git/d@^1.2", "https://example.com/r", "/d", "^1.2"),
    ("https://example.com/r.git/d@>=1,<2", "https://example.com/r", "/d", ">=1,<2"),
    ("https://example.com/r.git/d@latest", "https://example.com/r", "/d", "latest"),
    (
        "https://example.com/r.git@@scope/pkg@1.0.0",
        "https://example.com/r",
        "/",
        "@scope/pkg@1.0.0",
    ),
    ("/srv/none/up.git/dir@v1", "/srv/none/up", "/dir", "v1"),
    ("file:///srv/none/up.git/dir@v1", "file:///srv/none/up", "/dir", "v1"),
    ("/srv/none/up.git/wéb dir@v1", "/srv/none/up", "/wéb dir", "v1"),
    ("/srv/none/app.github/up.git/d", "/srv/none/app.github/up", "/d", ""),
    ("/srv/none/work/.git/d@v1", "/srv/none/work", "/d", "v1"),
]


@pytest.mark.parametrize(("text", "repo", "directory", "ref"), GOOD)
def test_good_addresses(text: str, repo: str, directory: str, ref: str) -> None:
    address = parse_address(text)
    assert (address.repo, address.directory, address.ref) == (repo, directory, ref)


@pytest.mark.parametrize("text", ["../up/shop@v1", "../up.git/shop@v1", "../mine/../up/shop@v1"])
def test_paths_are_stored_without_dots(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("up/.git", "up/shop", "mine"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "mine")
    assert parse_address(text).repo == str(tmp_path / "up")


BAD = [
    "",
    "   ",
    "-",
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=x",
    "ext::sh -c 'touch x'",
    "ext::sh%20-c%20id.git/d",
    "fd::17/x.git",
    "transport-helper::https://example.com/r.git",
    "foo::bar.git/d@v1",
    "ftp://example.com/r.git/d",
    "ftps://example.com/r.git",
    "javascript://example.com/r.git",
    "rsync://example.com/r.git",
    "data://x/r.git",
    "https:///r.git/d",
    "https://",
    "https://example.com",
    "https://example.com/",
    "https://-oProxyCommand=x/r.git/d",
    "ssh://-oProxyCommand=touch${IFS}x/r.git",
    "ssh://git@-oProxyCommand=x/r.git",
    "ssh://-o@example.com/r.git",
    "-oProxy@example.com:r.git",
    "git@-oProxy:r.git/d",
    "git@example.com:-r.git/d",
    "git@example.com:",
    "git@example.com:/",
    "https:/example.com/r.git/d",
    "https:example.com/r.git",
    "https://exa mple.com/r.git",
    "https://example.com/r.git?ref=v1",
    "https://example.com/r?x=y.git/d",
    "https://example.com/#f.git/d",
    "https://example.com:port/r.git",
    "https://example.com/r.git/../../etc@v1",
    "https://example.com/r.git/a/..@v1",
    "https://example.com/r.git/.git/hooks",
    "https://example.com/r.git/a/.GIT",
    "https://example.com/r.git/d@-v1",
    "https://example.com/r.git/d@--upload-pack=x",
    "https://example.com/r.git/d@a..b",
    "https://example.com/r.git/d@a:b",
    "https://example.com/r.git/d@HEAD@{1}",
    "https://example.com/r.git/d@a\\b",
    "https://example.com/r.git/d@ ",
    "https://example.com/r.git/d\n@v1",
    "https://example.com/r.git/d@v1\n--upload-pack=x",
    "https://example.com/r.git/\x1b[31md",
    "https://example.com/r.git/d\0",
    "https://example.com/\u202er.git/d",
    "https://example.com/\ud800.git/d",
    "https://example.com/org/repo/dir@v1",
    "https://gitlab.com/a/b/c@v1",
    "git@example.com:org/repo/dir",
    "https://github.com/org",
    "https://github.com/org/repo/tree/main/dir",
    "https://github.com/org/repo/blob/main/dir/x.yaml",
    "https://gitlab.com/a/b/-/tree/main/dir",
    "file://host/srv/up.git",
    "file://../up.git",
    "/nowhere/at/all/dir@v1",
    "https://example.com/" + "a" * 5000 + ".git",
    "https://u:p@ss@exa/mple.com.git/..",
]


@pytest.mark.parametrize("text", BAD)
def test_bad_addresses(text: str) -> None:
    with pytest.raises(UpstreamError) as caught:
        parse_address(text)
    assert caught.value.code == "bad-address"
    assert all(char.isprintable() or char == "\n" for char in str(caught.value))


def test_a_missing_git_gets_a_hint() -> None:
    with pytest.raises(UpstreamError, match="not a usable") as caught:
        parse_address("https://user:secret-1@example.com/org/repo/dir@v1")
    assert ".git" in caught.value.hint
    assert "secret-1" not in str(caught.value)


def test_local_repositories_are_found_on_disk(up: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    up.commit({"a/b/x.yaml": "x: 1\n"})
    for text in (f"{up.path}/a/b@v1", f"file://{up.path}/a/b@v1"):
        address = parse_address(text)
        assert address.repo.removeprefix("file://") == str(up.path)
        assert (address.directory, address.ref) == ("/a/b", "v1")
    monkeypatch.chdir(up.path.parent)
    address = parse_address("up/a")
    assert (address.repo, address.directory, address.ref) == (str(up.path), "/a", "")
    assert parse_address("./up").directory == "/"


def test_git_suffix_is_kept_where_both_names_exist(tmp_path: Path) -> None:
    Repo(tmp_path / "up.git", "--bare")
    assert parse_address(f"{tmp_path}/up.git/d").repo == f"{tmp_path}/up"
    assert parse_address(f"{tmp_path}/up/d").directory == "/d"
    Repo(tmp_path / "up")
    assert parse_address(f"{tmp_path}/up.git/d").repo == f"{tmp_path}/up.git"


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("https://u:pw@h.org/r.git", "https://h.org/r.git"),
        ("https://token@h.org/r", "https://h.org/r"),
        ("https://a:b@c@h.org/r", "https://h.org/r"),
        ("ssh://git:pw@h.org/r", "ssh://git@h.org/r"),
        ("git@h.org:r", "git@h.org:r"),
    ],
)
def test_credentials_are_not_public(text: str, public: str) -> None:
    assert parse_remote(text).public == public


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://h.org/r", "https://h.org/r.git", True),
        ("https://h.org/r/", "https://H.ORG:443/r.git/", True),
        ("https://u:p@h.org/r", "https://h.org/r", True),
        ("git@h.org:o/r.git", "ssh://git@h.org/o/r", True),
        ("/srv/none/up", "/srv/none/up.git/", True),
        ("/srv/none/up", "file:///srv/none/up.git", True),
        ("https://h.org/r", "https://h.org/R", False),
        ("https://h.org/r", "https://h.org:8443/r", False),
        ("https://h.org/r", "https://other.org/r", False),
    ],
)
def test_same_repo(one: str, other: str, same: bool) -> None:
    assert same_repo(one, other) is same


@given(st.text(max_size=80))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        address = parse_address(text)
    except UpstreamError as error:
        assert error.code == "bad-address"
    else:
        assert not address.repo.startswith("-")
        assert ".." not in address.directory.split("/")
        assert normal_directory(address.directory) == address.directory
        assert check_ref(address.ref) == address.ref
