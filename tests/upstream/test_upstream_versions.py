"""Version constraints over tags."""

from __future__ import annotations

import pytest

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.versions import is_constraint, newest, parse_constraint

TAGS = ["v0.1.0", "v0.1.5", "v0.2.0", "v1.0.0", "v1.2.0", "v1.2.9", "v1.10.0", "v2.0.0-rc.1"]
TAGS += ["v2.0.0", "v2.1.0-beta.2", "v2", "nightly", "1.3.0"]

CASES = [
    ("latest", "v2.0.0"),
    ("*", "v2.0.0"),
    ("^1", "v1.10.0"),
    ("^1.2", "v1.10.0"),
    ("^1.2.1", "v1.10.0"),
    ("^0.1", "v0.1.5"),
    ("^0.1.0", "v0.1.5"),
    ("^0", "v0.2.0"),
    ("~1.2", "v1.2.9"),
    ("~1", "v1.10.0"),
    ("~1.2.0", "v1.2.9"),
    ("1.2.x", "v1.2.9"),
    ("v1.x", "v1.10.0"),
    ("=1.3.0", "1.3.0"),
    (">=1,<2", "v1.10.0"),
    (">=1, <1.3", "v1.2.9"),
    (">1", "v2.0.0"),
    ("<=1", "v1.10.0"),
    ("<2", "v1.10.0"),
    ("^1,!=1.10.0", "1.3.0"),
    ("^2.0.0-rc.0", "v2.1.0-beta.2"),
    (">=2.1.0-0", "v2.1.0-beta.2"),
    ("^3", None),
    (">=2.1", None),
]


@pytest.mark.parametrize(("text", "tag"), CASES)
def test_newest_that_fits(text: str, tag: str | None) -> None:
    assert is_constraint(text)
    assert newest(TAGS, parse_constraint(text)) == tag


def test_prereleases_on_request() -> None:
    assert newest(TAGS, parse_constraint("latest", prereleases=True)) == "v2.1.0-beta.2"


@pytest.mark.parametrize("text", ["^", "^a", ">=1,", "~1.2.3.4", ">= ", "^1 || ^2", "^1.x.y"])
def test_bad_constraints(text: str) -> None:
    with pytest.raises(UpstreamError) as caught:
        parse_constraint(text)
    assert caught.value.code == "bad-constraint"


@pytest.mark.parametrize("text", ["main", "v1.2.3", "v1", "feature/x", "abc123", "1.2"])
def test_plain_refs_are_no_constraints(text: str) -> None:
    assert not is_constraint(text)
