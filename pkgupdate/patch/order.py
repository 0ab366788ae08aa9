"""The order of a merged list: the directive before the patch's list before the live list.

The merged items are parted into those that the patch mentions and those that only the live list
has; each part is sorted by its own order, and the two are interleaved by their places in the live
list. Kubernetes looks every item up by a scan; here places are looked up in dictionaries.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from pkgupdate.patch.directives import DELETE, PATCH
from pkgupdate.patch.errors import patch_error
from pkgupdate.patch.values import Data, text, token
from pkgupdate.paths import Path

Token: TypeAlias = "tuple[type, Any]"
KeyOf: TypeAlias = Callable[[Data], Token]
Places: TypeAlias = Mapping[Token, int]


def key_of(merge_key: str, path: Path) -> KeyOf:
    """What tells the items of a list apart: the value at `merge_key`, without one the item itself.

    The function raises PatchError: `patch-merge-key` for an item without the key.
    """

    def by_merge_key(item: Data) -> Token:
        if not isinstance(item, dict) or merge_key not in item:
            raise patch_error(
                "patch-merge-key",
                f"an item of the list has no merge key {merge_key!r}",
                path,
                why=f"map does not contain declared merge key: {merge_key} (Kubernetes)",
                hint=f"give every item its {merge_key!r}",
            )
        return token(item[merge_key], path)

    return by_merge_key if merge_key else lambda item: token(item, path)


def item_type(path: Path, *lists: Sequence[Data]) -> type:
    """The one type that all items of the lists share.

    Raises PatchError: `patch-list-of-lists`, `patch-mixed-list`, `patch-empty-list` (no items).
    """
    types = {type(item) for items in lists for item in items}
    if list in types:
        raise patch_error("patch-list-of-lists", "lists of lists cannot be merged", path)
    if len(types) > 1:
        names = ", ".join(sorted(t.__name__ for t in types))
        raise patch_error(
            "patch-mixed-list",
            "the items of the list are not of one type",
            path,
            why=f"list element types are not identical (Kubernetes): {names}",
        )
    if not types or types == {type(None)}:
        raise patch_error("patch-empty-list", "there are no items that could be ordered", path)
    return types.pop()


def places(items: Iterable[Data], key: KeyOf) -> dict[Token, int]:
    """The first place of every key."""
    found: dict[Token, int] = {}
    for place, item in enumerate(items):
        found.setdefault(key(item), place)
    return found


def arrange(merged: Sequence[Data], mentioned: Places, live: Places, key: KeyOf) -> list[Data]:
    """The merged items in their order.

    mentioned: the places of the directive, or of the patch's list. live: those of the live list.
    """
    ours = [item for item in merged if key(item) in mentioned]
    live_only = [item for item in merged if key(item) not in mentioned]
    return _interleave(_sort(live_only, live, key), _sort(ours, mentioned, key), live, key)


def check_order(patch: Sequence[Data], directive: Sequence[Data], key: KeyOf, path: Path) -> None:
    """Is the patch's list a part of its directive, in the same order? (Deletions do not count.)

    Raises PatchError (`patch-order`) that shows the keys of both.
    """
    if not patch or not directive:
        return
    wanted = [item for item in patch if not _is_deletion(item)]
    order = [key(item) for item in directive]
    found = at = 0
    while found < len(wanted) and at < len(order):
        if not _is_marked(wanted[found]):
            at += 1
            found += key(wanted[found]) == order[at - 1]
        else:
            found += 1
    if found < len(wanted):
        raise patch_error(
            "patch-order",
            "the order of the patch's list does not agree with its $setElementOrder",
            path,
            why=f"patch list: {_show([key(i) for i in wanted if not _is_marked(i)])}\n"
            f"$setElementOrder: {_show(order)}",
            hint="name every item of the list in the directive, in the same order",
        )


def sort_by(items: Sequence[Data], order: Places, key: KeyOf) -> list[Data]:
    """The items sorted by their places in `order`, which names all of them."""
    return sorted(items, key=lambda item: order[key(item)])


def _sort(items: Sequence[Data], order: Places, key: KeyOf) -> list[Data]:
    """Items to be deleted come last, as they are."""
    to_delete = [item for item in items if _is_deletion(item)]
    if to_delete:
        items = [item for item in items if not _is_deletion(item)]
    if all(key(item) in order for item in items):
        return [*sort_by(items, order, key), *to_delete]
    return [*_sort_with_strangers(items, order, key), *to_delete]


def _sort_with_strangers(items: Sequence[Data], order: Places, key: KeyOf) -> list[Data]:
    """Sort where `order` does not name every item, which an empty directive can bring about.

    Kubernetes calls an unnamed item less than every other, and every other less than it, in an
    insertion sort. So an unnamed item goes to the very front, and a named one right behind the
    named one that precedes it, before the unnamed ones there.
    """
    named: list[Data] = []
    at_places: list[int] = []
    behind: list[list[Data]] = [[]]
    for item in items:
        place = order.get(key(item))
        if place is None:
            behind[0].append(item)
            continue
        at = bisect_right(at_places, place)
        at_places.insert(at, place)
        named.insert(at, item)
        behind.insert(at, [])
    out = behind[0][::-1]
    for item, strangers in zip(named, behind[1:], strict=True):
        out += [item, *reversed(strangers)]
    return out


def _interleave(
    live_only: Sequence[Data], ours: Sequence[Data], live: Places, key: KeyOf
) -> list[Data]:
    """Both lists keep their order; a live item goes before the first of ours that follows it in
    the live list."""
    out: list[Data] = []
    waiting = [(live.get(key(item)), item) for item in live_only]
    at = 0
    for item in ours:
        place = live.get(key(item))
        while place is not None and at < len(waiting):
            before = waiting[at][0]
            if before is None or before >= place:
                break
            out.append(waiting[at][1])
            at += 1
        out.append(item)
    return out + [item for _, item in waiting[at:]]


def _is_marked(item: Data) -> bool:
    return isinstance(item, dict) and PATCH in item


def _is_deletion(item: Data) -> bool:
    return isinstance(item, dict) and item.get(PATCH) == DELETE


def _show(keys: Sequence[Token]) -> str:
    return "[" + ", ".join(text(value) for _, value in keys) + "]"
