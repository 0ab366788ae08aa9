"""The path grammar: what is written is read back, and patterns cover what they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkgupdate.errors import UsageError
from pkgupdate.paths import (
    ANY,
    ANY_DEPTH,
    Foreign,
    Keyed,
    Path,
    Pattern,
    Wildcard,
    covers,
    format_path,
    matches,
    may_cover_below,
    parse_pattern,
)

TEXTS = [
    ("spec.replicas", ("spec", "replicas")),
    (".spec.replicas", ("spec", "replicas")),
    ("containers[name=web].image", ("containers", Keyed((("name", "web"),)), "image")),
    (
        "ports[containerPort=53,protocol=UDP]",
        ("ports", Keyed((("containerPort", "53"), ("protocol", "UDP")))),
    ),
    (
        'metadata.annotations["example.com/owner"]',
        ("metadata", "annotations", "example.com/owner"),
    ),
    ("rules[0].verbs[2]", ("rules", 0, "verbs", 2)),
    ("args[+2]", ("args", Foreign("+", 2))),
    ("args[~2]", ("args", Foreign("~", 2))),
    ("spec.*.image", ("spec", ANY, "image")),
    ("spec.containers[*].image", ("spec", "containers", ANY, "image")),
    ("**.image", (ANY_DEPTH, "image")),
    ('a["with \\"quotes\\" and \\\\ and ]"]', ("a", 'with "quotes" and \\ and ]')),
    ('a[name="two words"]', ("a", Keyed((("name", "two words"),)))),
    ("", ()),
]


@pytest.mark.parametrize(("text", "path"), TEXTS)
def test_parse(text: str, path: Pattern) -> None:
    assert parse_pattern(text) == path


@pytest.mark.parametrize(
    "text", ["a..b", "a[", "a[]", "a[b", 'a["b]', "a b", "a[0]b", "a.", "[k=]", "a[-1]"]
)
def test_bad_syntax_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_pattern(text)
    assert caught.value.code == "path-syntax"
    assert caught.value.hint


keys = st.text(min_size=1, max_size=12)
segments = st.one_of(
    keys,
    st.integers(0, 10**6),
    st.lists(
        st.tuples(st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,9}", fullmatch=True), st.text(max_size=12)),
        min_size=1,
        max_size=3,
    ).map(lambda pairs: Keyed(tuple(pairs))),
    st.sampled_from([ANY, ANY_DEPTH]),
)


@given(st.lists(segments, max_size=6).map(tuple))
def test_what_is_written_is_read_back(path: Pattern) -> None:
    assert parse_pattern(format_path(path)) == path


@given(st.lists(segments.filter(lambda s: not isinstance(s, Wildcard)), max_size=5).map(tuple))
def test_a_path_matches_itself_and_its_wildcards(path: Path) -> None:
    assert matches(path, path)
    assert matches((ANY_DEPTH,), path)
    assert matches((ANY,) * len(path), path)
    assert covers((), path)
    assert not matches((*path, "more"), path)


@pytest.mark.parametrize(
    ("pattern", "path", "result"),
    [
        ("spec.replicas", "spec.replicas", True),
        ("spec", "spec.replicas", True),
        ("spec.replicas", "spec", False),
        ("spec.**.image", "spec.template.spec.containers[name=web].image", True),
        ("spec.containers[name=web]", "spec.containers[name=web,port=1].image", True),
        ("spec.containers[name=web]", "spec.containers[name=db].image", False),
        ("spec.containers[*].image", "spec.containers[0].image", True),
        ("**", "anything.at[0].all", True),
    ],
)
def test_covers(pattern: str, path: str, result: bool) -> None:
    assert covers(parse_pattern(pattern), parse_pattern(path)) is result  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "path", "result"),
    [
        ("spec.replicas", "spec", True),
        ("spec.replicas", "spec.replicas", False),
        ("spec.replicas", "metadata", False),
        ("**.image", "spec.template", True),
        ("*.image", "spec", True),
    ],
)
def test_may_cover_below(pattern: str, path: str, result: bool) -> None:
    found = may_cover_below(parse_pattern(pattern), parse_pattern(path))  # type: ignore[arg-type]
    assert found is result
