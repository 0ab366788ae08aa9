"""What holds of every merge, whatever the three documents are."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Kind
from pkgupdate.merge.policy import OnConflict

from .helpers import merge, parse
from .trees import MAPS, PODS, THREE, leaves, text, unordered

FAST = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    database=None,
)
ONE = st.one_of(MAPS, PODS).map(text)


@FAST
@given(ONE)
def test_no_change_is_a_no_op(one: str) -> None:
    merged = merge(one, one, one)
    assert (merged.text, merged.decisions) == (one, [])


@FAST
@given(THREE)
def test_upstream_change_alone_arrives_whole(three: tuple[str, str, str]) -> None:
    original, upstream, _ = three
    merged = merge(original, upstream, original)
    assert parse(merged.text).data == parse(upstream).data
    assert not merged.collisions


@FAST
@given(THREE)
def test_local_change_alone_stays_byte_for_byte(three: tuple[str, str, str]) -> None:
    original, _, local = three
    merged = merge(original, original, local)
    assert merged.text == local
    assert all(d.kind is Kind.KEPT or d.rule == "repeated-keys" for d in merged.decisions)


@FAST
@given(THREE)
def test_equal_changes_agree(three: tuple[str, str, str]) -> None:
    original, changed, _ = three
    merged = merge(original, changed, changed)
    assert merged.text == changed
    assert all(d.kind is Kind.AGREED or d.rule == "repeated-keys" for d in merged.decisions)


@FAST
@given(THREE)
def test_swapped_sides_under_the_swapped_policy(three: tuple[str, str, str]) -> None:
    original, upstream, local = three
    one = merge(original, upstream, local, on_conflict=OnConflict.UPSTREAM)
    other = merge(original, local, upstream, schema=None, on_conflict=OnConflict.LOCAL)
    assert unordered(one.data) == unordered(other.data)


@FAST
@given(THREE)
def test_second_merge_changes_nothing(three: tuple[str, str, str]) -> None:
    original, upstream, local = three
    first = merge(original, upstream, local).text
    assert merge(upstream, upstream, first).text == first


@FAST
@given(THREE, st.sampled_from(OnConflict))
def test_nothing_is_lost_in_silence(three: tuple[str, str, str], who: OnConflict) -> None:
    original, upstream, local = three
    merged = merge(original, upstream, local, on_conflict=who)
    result = leaves(merged.data)
    told_local = sum((leaves(d.local) for d in merged.decisions), start=leaves([]) - leaves([]))
    told_upstream = sum(
        (leaves(d.upstream) for d in merged.decisions), start=leaves([]) - leaves([])
    )
    assert leaves(parse(local).data) - result - told_local == {}
    assert leaves(parse(upstream).data) - result - told_upstream == {}


@FAST
@given(THREE)
def test_text_and_intended_value_are_the_same(three: tuple[str, str, str]) -> None:
    original, upstream, local = three
    merged = merge(original, upstream, local)
    assert parse(merged.text).data == merged.data


@FAST
@given(THREE)
def test_decisions_are_where_something_differs(three: tuple[str, str, str]) -> None:
    merged = merge(*three)
    for d in merged.decisions:
        if d.rule != "repeated-keys":
            assert d.original != d.upstream or d.original != d.local


WRITTEN = """# head
base: &base # anchor
  image: shop:1 # kpt-set: ${image}
  args: [a, b]
web:
  <<: *base
  # how many
  replicas: 2
  script: |
    one
    two
list:
  # first
  - *base
  - name: x
    value: 'q'
  # foot
"""
LINES = [
    "  image: shop:2",
    "  replicas: 3 # note",
    "# note",
    "  # deeper",
    "new: {a: 1}",
    "web: *base",
    "  - name: x",
    "",
]


@st.composite
def rewritten(draw: st.DrawFn) -> str:
    """The text with some lines deleted, replaced, inserted or swapped, as long as it parses."""
    lines = WRITTEN.split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        new = draw(st.sampled_from([[], LINES[:1], LINES[2:3], [lines[0], lines[at]], ["x: 1"]]))
        lines[at : at + draw(st.integers(0, 1))] = draw(
            st.sampled_from([new, *([x] for x in LINES)])
        )
    result = "\n".join(lines)
    try:
        assume(not parse(result).duplicate_keys)
    except DocumentError:
        assume(False)
    return result


@FAST
@given(rewritten(), rewritten())
def test_comments_and_anchors_keep_the_laws(upstream: str, local: str) -> None:
    assert merge(WRITTEN, WRITTEN, local).text == local
    assert merge(WRITTEN, upstream, upstream).text == upstream
    assert parse(merge(WRITTEN, upstream, WRITTEN).text).data == parse(upstream).data
    merged = merge(WRITTEN, upstream, local)
    assert parse(merged.text).data == merged.data
    assert merge(upstream, upstream, merged.text).text == merged.text
