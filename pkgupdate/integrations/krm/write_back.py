"""From changed files back to items: which document is which item, and what becomes of the list.

An item that stays keeps its position, its tracking annotations and, if the merge did not touch it,
every byte. What is new comes right after the item that precedes it in its file; a new file comes
after all others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass

from pkgupdate.document.document import Document
from pkgupdate.document.stream import Part
from pkgupdate.integrations.krm.annotations import with_tracking
from pkgupdate.integrations.krm.loans import Loan
from pkgupdate.integrations.krm.package import ItemPackage
from pkgupdate.integrations.krm.resource_list import (
    Item,
    as_list_item,
    data_text,
    plain_documents,
    reads_as,
)
from pkgupdate.package.changes import FileChange
from pkgupdate.package.identity import identity_of_part


@dataclass(frozen=True, slots=True)
class _Spot:
    """A document of a changed file, and the item that it is (None: a new one)."""

    path: str
    index: int
    text: str
    number: int | None


def write_back(
    items: list[Item],
    package: ItemPackage,
    changes: Iterable[FileChange],
    loans: Mapping[int, Loan],
    *,
    left_out: Collection[int] = (),
) -> list[str]:
    """All items after these changes, as a list holds them; paths are relative to the package.

    loans: what items were lent for the merge, by their position. left_out: items that do not go
    out again. Raises DocumentError if a document
    cannot be an item.
    """
    after = {change.path: change.after for change in changes}
    touched = {number for path in after for number in package.files.get(path, ())}
    documents = [
        (path, index, text)
        for path, state in sorted(after.items())
        if state is not None
        for index, text in enumerate(plain_documents(state.content.decode(), path))
    ]
    gone = touched.union(left_out)
    texts: dict[int, str] = {n: item.listed for n, item in enumerate(items) if n not in gone}
    following: dict[int, list[str]] = defaultdict(list)
    last: dict[str, int] = {}
    for spot in _matched(documents, package, sorted(touched), loans):
        if spot.number is None:
            noted = package.annotations(spot.path, spot.index)
            place = last.get(spot.path, _start(package, spot.path, len(items)))
            following[place].append(_listed(with_tracking(spot.text, noted)))
            continue
        last[spot.path] = spot.number
        noted = package.kept_annotations(spot.number, spot.path, spot.index)
        before = items[spot.number]
        is_same = spot.text == package.document(spot.number)
        text = with_tracking(before.text if is_same else spot.text, noted)
        texts[spot.number] = before.listed if text == before.text else _listed(text)
    return [
        text
        for number in range(-1, len(items) + 1)
        for text in [*([texts[number]] if number in texts else []), *following[number]]
    ]


def _start(package: ItemPackage, path: str, end: int) -> int:
    """The position after which a document goes that none of its file precedes."""
    return min(package.files[path]) - 1 if path in package.files else end


def _matched(
    documents: list[tuple[str, int, str]],
    package: ItemPackage,
    touched: list[int],
    loans: Mapping[int, Loan],
) -> list[_Spot]:
    """Find the item of each document: by its identity in the same file, then in another one."""
    free: dict[Hashable, list[int]] = defaultdict(list)
    for number in touched:
        for key in _keys(package.path_of(number), package.document(number)):
            free[key].append(number)
    taken: dict[int, int] = {}
    used: set[int] = set()
    for level in range(2):
        for position, (path, _, text) in enumerate(documents):
            keys = _keys(path, text)
            if position in taken or level >= len(keys):
                continue
            candidates = [n for n in free[keys[level]] if n not in used]
            if candidates:
                taken[position] = candidates[0]
                used.add(candidates[0])
    spots = []
    for position, (path, index, text) in enumerate(documents):
        item = taken.get(position)
        loan = None if item is None else loans.get(item)
        spots.append(_Spot(path, index, loan.take_back(text) if loan else text, item))
    return spots


def _keys(path: str, text: str) -> list[Hashable]:
    """What a document is found by, the surest first."""
    identity = identity_of_part(Part(text, path, 1))
    return [(path, identity), identity] if identity and identity.is_named else [(path, identity)]


def _listed(text: str) -> str:
    """A document as an item of a list; by its value, if its text would mean something else."""
    data, listed = Document(text).data, as_list_item(text)
    return listed if reads_as(listed, [data]) else as_list_item(data_text(data))
