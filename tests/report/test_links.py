"""Pages of commits and comparisons on known hosts."""

import pytest

from pkgupdate.report.links import commit_page, comparison_page

COMMITS = [
    ("https://github.com/org/repo", "https://github.com/org/repo/commit/abc"),
    ("https://github.com/org/repo.git", "https://github.com/org/repo/commit/abc"),
    ("git@github.com:org/repo.git", "https://github.com/org/repo/commit/abc"),
    ("ssh://git@github.com:22/org/repo", "https://github.com/org/repo/commit/abc"),
    ("https://u:pearl@github.com/org/repo", "https://github.com/org/repo/commit/abc"),
    ("https://gitlab.com/a/b/repo", "https://gitlab.com/a/b/repo/-/commit/abc"),
    ("https://gitlab.example.com/a/repo", "https://gitlab.example.com/a/repo/-/commit/abc"),
    ("https://bitbucket.org/a/repo", "https://bitbucket.org/a/repo/commits/abc"),
    ("https://codeberg.org/a/repo", "https://codeberg.org/a/repo/commit/abc"),
    ("https://gitea.example.com/a/repo", "https://gitea.example.com/a/repo/commit/abc"),
    ("https://git.example.com/a/repo", ""),
    ("https://github.com/org", ""),
    ("https://github.com/org/re)po", ""),
    ("file:///srv/github.com/org/repo", ""),
    ("/srv/repo", ""),
    ("ext::sh -c x", ""),
]


@pytest.mark.parametrize(("repo", "page"), COMMITS)
def test_page_of_a_commit(repo: str, page: str) -> None:
    assert commit_page(repo, "abc") == page


@pytest.mark.parametrize(
    ("repo", "page"),
    [
        ("https://github.com/o/r", "https://github.com/o/r/compare/a...b"),
        ("https://gitlab.com/o/r", "https://gitlab.com/o/r/-/compare/a...b"),
        ("https://bitbucket.org/o/r", "https://bitbucket.org/o/r/branches/compare/b..a"),
        ("https://codeberg.org/o/r", "https://codeberg.org/o/r/compare/a...b"),
        ("/srv/r", ""),
    ],
)
def test_page_of_a_comparison(repo: str, page: str) -> None:
    assert comparison_page(repo, "a", "b") == page
