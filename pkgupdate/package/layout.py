"""From merged documents back to files: which file holds which document, in which order.

A local file keeps its order and every byte around the documents that changed. A new document comes
after the upstream neighbour that precedes it, and after any local-only documents that follow that
neighbour. A file that is new here gets upstream's layout.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pkgupdate.document.stream import Stream
from pkgupdate.package.doc_text import fitted
from pkgupdate.package.resources import Merged
from pkgupdate.package.sources import Sources


def lay_out(merged: Sequence[Merged], sources: Sources) -> dict[str, str | None]:
    """The text of every file that the documents come from or go to; None: there is no file."""
    by_path: dict[str, list[Merged]] = defaultdict(list)
    for item in merged:
        places = {r.path for r in (item.unit.upstream, item.unit.local) if r}
        if item.text is not None:
            places.add(item.path)
        for path in places:
            by_path[path].append(item)
    texts: dict[str, str | None] = {}
    for path, items in by_path.items():
        local = sources.local.stream(path)
        if local is not None:
            texts[path] = _changed_file(path, local, items, sources)
        elif upstream := sources.upstream.stream(path):
            texts[path] = _new_file(path, upstream, items)
    return texts


def _changed_file(path: str, stream: Stream, items: list[Merged], sources: Sources) -> str | None:
    replacements: dict[int, str | None] = {}
    for item in items:
        local = item.unit.local
        if local and local.path == path:
            text = item.text if item.is_in_place else None
            if text != local.part.text:
                replacements[local.index] = text
    additions = _additions(path, items)
    if not additions and _is_left_empty(path, stream, replacements, items, sources):
        return None
    return stream.render(replacements, additions)


def _is_left_empty(
    path: str,
    stream: Stream,
    replacements: dict[int, str | None],
    items: list[Merged],
    sources: Sources,
) -> bool:
    """Did the file lose its last document, with nothing left that was written here?"""
    if None not in replacements.values():
        return False
    upstream = sources.upstream.stream(path)
    if upstream and all(part.is_empty for part in upstream.parts):
        return False
    own = {i.unit.local.index for i in items if i.unit.local and i.unit.original is None}
    return all(
        replacements.get(index, part.text) is None or (part.is_empty and index not in own)
        for index, part in enumerate(stream.parts)
    )


def _additions(path: str, items: list[Merged]) -> list[tuple[int, str]]:
    """The documents to insert, each with the index of the local document that it follows."""
    new = [item for item in items if item.path == path and item.text and not item.is_in_place]
    if not new:
        return []
    local_only = {
        item.unit.local.index
        for item in items
        if item.unit.local and item.unit.original is None and item.unit.upstream is None
    }
    additions = []
    after = -1
    for item in sorted(items, key=_upstream_index):
        upstream, local = item.unit.upstream, item.unit.local
        if not upstream or upstream.path != path:
            continue
        if item.is_in_place and local and local.path == path:
            after = local.index
            while after + 1 in local_only:
                after += 1
        elif item.text is not None and item.path == path:
            additions.append((after, item.text))
    return additions


def _upstream_index(item: Merged) -> int:
    return item.unit.upstream.index if item.unit.upstream else -1


def _new_file(path: str, stream: Stream, items: list[Merged]) -> str | None:
    replacements: dict[int, str | None] = {}
    kept_content = False
    for item in items:
        upstream = item.unit.upstream
        if upstream is None or upstream.path != path:
            continue
        if item.text is None or item.path != path:
            replacements[upstream.index] = None
            continue
        kept_content = kept_content or not upstream.part.is_empty
        if item.text != upstream.part.text:
            fit = fitted(item.text, upstream.part, is_last=upstream.is_last)
            replacements[upstream.index] = fit
    if replacements and not kept_content:
        return None
    return stream.render(replacements)
