"""The Kptfile, and the merger of its function pipeline.

One key is chosen for the whole Kptfile, over mutators and validators and all three sides:

1. every function has a `name`: associative by name;
2. no function has one, and no list holds an image twice: associative by image without tag and
   digest, or by `exec`;
3. otherwise upstream's list replaces the local one if upstream changed it, else local's stays. Each
   local function that is lost this way is reported whole. With the fallback `align`, functions pair
   by name, image, order and likeness instead, and none is lost.

Inside a function the field rules hold; `selectors` and `exclude` are one value each.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from pkgupdate.document.edits import FromData
from pkgupdate.document.values import MISSING, MaybeValue, Missing, Value
from pkgupdate.merge import lists
from pkgupdate.merge.associative import KeyOf, by_name, keys_of
from pkgupdate.merge.decisions import Decision, FreeValue, Kind, Rule, Subject
from pkgupdate.merge.documents import Place, run
from pkgupdate.merge.exclusive import FUNCTION
from pkgupdate.merge.gates import Verdict, choice_for, judge
from pkgupdate.merge.likeness import likeness
from pkgupdate.merge.merger import Merger, content_of
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sequence import match_items
from pkgupdate.merge.sides import Sides
from pkgupdate.merge.slots import SlotSides, data_of, freeze
from pkgupdate.merge.three_way import decide
from pkgupdate.paths import Keyed, Path, Segment
from pkgupdate.schema import ListRule, Schema
from pkgupdate.schema.model import Children

if TYPE_CHECKING:
    from pkgupdate.document.document import Document

_FUNCTION_LISTS: Final[tuple[Path, ...]] = (("pipeline", "mutators"), ("pipeline", "validators"))
_EMPTIED: Final = frozenset({("pipeline",), *_FUNCTION_LISTS})
_OWN_IDENTITY: Final[frozenset[Path]] = frozenset(
    {("metadata", "name"), ("metadata", "namespace"), ("upstream",), ("upstreamLock",)}
)
"""What a root package never takes from the Kptfile that it was copied from."""

_ONE_VALUE: Final = Schema(shape="list", list_rule=ListRule("atomic"))
_FUNCTION: Final = Schema(
    lambda: Children({"selectors": _ONE_VALUE, "exclude": _ONE_VALUE}),
    shape="struct",
    type_name=FUNCTION,
    is_known=False,
)
_FUNCTIONS: Final = Schema(lambda: Children(item=_FUNCTION), shape="list", type_name=FUNCTION)
_PIPELINE: Final = Schema(
    lambda: Children({"mutators": _FUNCTIONS, "validators": _FUNCTIONS}), is_known=False
)
_KPTFILE: Final = Schema(lambda: Children({"pipeline": _PIPELINE}), is_known=False)


def merge_kptfiles(
    sides: Sides[Document | None], place: Place, policy: Policy, *, is_root: bool
) -> list[Decision]:
    """Merge a Kptfile; decisions about a function carry its short name.

    sides: local is never None. is_root: the package that is being updated, which keeps its own
    name and its own `upstream` and `upstreamLock`; in a dependent subpackage these are fields like
    any other.

    Raises DocumentError as `merge_documents` does.
    """
    data = sides.map(lambda document: MISSING if document is None else document.data)
    key_of = choose_key(data)
    aligns = policy.pipeline_fallback == "align"
    merger = Merger(
        sides,
        place,
        policy,
        list_merges={path: partial(_merge_functions, key_of) for path in _FUNCTION_LISTS},
        ignored=_OWN_IDENTITY if is_root else frozenset(),
        emptied=_EMPTIED if not policy.kpt_compat and (key_of or aligns) else frozenset(),
    )
    run(merger, sides, _KPTFILE)
    return merger.decisions


def choose_key(kptfiles: Sides[MaybeValue]) -> KeyOf | None:
    """The key of all functions of the three Kptfiles, None if there is none."""
    function_lists = [_at(kptfile, path) for kptfile in kptfiles for path in _FUNCTION_LISTS]
    functions = list(chain.from_iterable(function_lists))
    if all(by_name(function) for function in functions):
        return by_name if _is_key(by_name, function_lists) else None
    has_names = any(by_name(function) for function in functions)
    return by_image if not has_names and _is_key(by_image, function_lists) else None


def by_image(function: Value) -> Keyed | None:
    """A function by its image without tag and digest, or by its command."""
    if not isinstance(function, dict):
        return None
    image, command = function.get("image"), function.get("exec")
    if isinstance(image, str) and image:
        return Keyed((("image", image_name(image)),))
    return Keyed((("exec", command),)) if isinstance(command, str) and command else None


def image_name(image: str) -> str:
    """The image without tag and digest: `localhost:5000/f:v1` is `localhost:5000/f`."""
    directory, slash, last = image.partition("@")[0].rpartition("/")
    return directory + slash + last.partition(":")[0]


def short_name(function: Value) -> str:
    """What people call a function: its name, else the last part of its image or command."""
    if not isinstance(function, dict):
        return ""
    key = by_name(function) or by_image(function)
    if key is None:
        return ""
    kind, text = key.pairs[0]
    if kind == "exec":
        text = (text.split() or [""])[0]
    return text if kind == "name" else text.rpartition("/")[2]


def _merge_functions(key_of: KeyOf | None, merger: Merger, sides: SlotSides, path: Path) -> None:
    """Merge one list of functions: the rule at the head of this module."""
    items = sides.map(lists.items_of)
    matching = lists.match_by_key(items, key_of) if key_of is not None else None
    if matching is not None and key_of is by_image:
        matching = lists.join_rows(matching, items, _apart_from_registry)
    if matching is None:
        outcome = decide(*sides.map(data_of))
        both_changed = outcome is not None and outcome.kind is Kind.COLLISION
        if both_changed and merger.policy.pipeline_fallback == "replace":
            _replace_list(merger, sides, path)
            return
        matching = lists.by_position(match_items(items, alike=_function_likeness))
    first = len(merger.decisions)
    lists.merge_items(merger, sides, path, _FUNCTIONS, matching)
    _name_functions(merger, first, path, _names(matching, items))


def _replace_list(merger: Merger, sides: SlotSides, path: Path) -> None:
    """Upstream's list replaces the local one; every local function that goes is a collision."""
    values = sides.map(data_of)
    outcome = decide(*values)
    assert outcome is not None
    outcome = outcome._replace(rule=Rule.PIPELINE_REPLACED, winner="upstream")
    barrier = merger.gate(path, is_leaf=True)
    verdict = judge(outcome, merger.policy, merger.place, path, at=barrier)
    if verdict.kind is Kind.COLLISION and verdict.winner == "upstream":
        verdict = verdict._replace(kind=Kind.APPLIED)
    if verdict.kind is not Kind.APPLIED or verdict.rule is Rule.CHOICE:
        result = verdict.result(values.upstream, values.local)
        content = content_of(verdict, sides.upstream)
        edits = merger.edits(content, sides.local, None) if result != values.local else ()
        merger.add(verdict, path, values, result, edits)
        return
    upstream, local = (lists.items_of(side) for side in (sides.upstream, sides.local))
    known = {freeze(function) for function in (*upstream, *lists.items_of(sides.original))}
    lost = [(i, f) for i, f in enumerate(local) if freeze(f) not in known]
    wanted: dict[int, Value] = {}
    for i, function in lost:
        choice = choice_for(merger.policy, merger.place, (*path, i), Subject.VALUE)
        if choice == "local":
            wanted[i] = function
        elif isinstance(choice, FreeValue) and not isinstance(choice.value, Missing):
            wanted[i] = choice.value
    result = [*upstream, *wanted.values()]
    content = FromData(result) if wanted else content_of(verdict, sides.upstream)
    merger.add(verdict, path, values, result, merger.edits(content, sides.local, None))
    first = len(merger.decisions)
    for i, function in lost:
        is_wanted = i in wanted
        merger.add(
            Verdict(
                Kind.COLLISION,
                Rule.CHOICE if is_wanted else Rule.PIPELINE_REPLACED,
                "local" if is_wanted else "upstream",
            ),
            (*path, i),
            Sides(MISSING, MISSING, function),
            wanted.get(i, MISSING),
            note="" if is_wanted else "this local function is lost: upstream's list replaced it",
        )
    _name_functions(merger, first, path, {i: short_name(function) for i, function in lost})


def _apart_from_registry(function: Value) -> Hashable | None:
    """The last part of the image and all of the configuration: what a move to a registry keeps."""
    if not isinstance(function, dict) or "image" not in function:
        return None
    return freeze({**function, "image": short_name({"image": function["image"]})})


def _function_likeness(a: Value, b: Value) -> float:
    """Names decide; without them the image, its last part, then the configuration."""
    name_a, name_b = by_name(a), by_name(b)
    if name_a and name_b:
        return 1.0 if name_a == name_b else 0.0
    image_a, image_b = by_image(a), by_image(b)
    if image_a is None or image_b is None:
        return likeness(a, b)
    if image_a == image_b:
        return 0.5 + likeness(a, b) / 2
    return likeness(a, b) if short_name(a) == short_name(b) else 0.0


def _is_key(key_of: KeyOf, function_lists: Iterable[list[Value]]) -> bool:
    """Has every function a key that its list holds only once?"""
    keys = [keys_of(functions, key_of) for functions in function_lists]
    return all(side is not None and len(set(side)) == len(side) for side in keys)


def _at(value: MaybeValue, path: Path) -> list[Value]:
    for key in path:
        value = value.get(str(key), MISSING) if isinstance(value, dict) else MISSING
    return value if isinstance(value, list) else []


def _name_functions(merger: Merger, first: int, path: Path, names: dict[Segment, str]) -> None:
    """Give the decisions from `first` on the short name of the function that they are about."""
    for i, decision in enumerate(merger.decisions[first:], first):
        segment = decision.path[len(path) : len(path) + 1]
        if segment and segment[0] in names:
            merger.decisions[i] = replace(decision, function=names[segment[0]])


def _names(matching: lists.Matching, items: Sides[list[Value]]) -> dict[Segment, str]:
    names = {}
    for segment, row in zip(matching.segments, matching.rows, strict=True):
        present = [side[i] for side, i in zip(items, row, strict=True) if i is not None]
        names[segment] = short_name(present[-1])
    return names
