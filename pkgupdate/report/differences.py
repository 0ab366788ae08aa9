"""The differences between versions of a package, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from pkgupdate.document.values import MaybeValue, Missing, to_plain
from pkgupdate.inspect.differences import Difference, Extent, extent
from pkgupdate.merge.decisions import Decision, Subject
from pkgupdate.paths import format_path
from pkgupdate.report.as_json import API_VERSION
from pkgupdate.report.display import WIDTH, count
from pkgupdate.report.markdown import code, escape, table
from pkgupdate.report.message import place, shown
from pkgupdate.report.redact import redact_decision
from pkgupdate.report.text import Style, plain
from pkgupdate.upstream.text import printable, redact

if TYPE_CHECKING:
    from pkgupdate.inspect.versions import DiffType, Side, Versions

KIND: Final = "PackageDiff"
_COMMIT = 7
_SIGNS = {"added": "+", "deleted": "-", "changed": "~", "moved": ">"}
_COLORS = {"added": "A", "deleted": "D", "changed": "M", "moved": "M"}
_WHOLE = (Subject.FILE, Subject.RESOURCE, Subject.PACKAGE)

Found = Mapping["tuple[Side, Side]", Sequence[Difference]]
"""The differences of each pair of versions that was compared."""


def render_text(versions: Versions, kind: DiffType, found: Found, *, style: Style = plain) -> str:
    """One line for each place that differs, below the file and resource that it is in."""
    lines = [style(_title(versions, kind), "title"), ""]
    if len(found) == 1:
        (pair,) = found
        lines += _two_way(found[pair], style)
    else:
        lines += _three_way(found, style)
    lines += (_left_out(directory, versions) for directory in versions.left_out)
    lines.append(style(_summary(found), "title"))
    return "\n".join(lines) + "\n"


def render_markdown(versions: Versions, kind: DiffType, found: Found) -> str:
    """For a pull request: what changed on both sides first, then a table for each comparison."""
    blocks = [[f"## {escape(_title(versions, kind))}"], [_summary(found)]]
    if len(found) > 1:
        upstream, local = found.values()
        theirs = {d.key for d in upstream}
        both = [d for d in local if d.key in theirs]
        if both:
            blocks.append([f"### ⚠ {count(len(both), 'change')} on both sides"])
            blocks.append([f"- {code(place(d.place))}" for d in both])
    for (_, changed), differences in found.items():
        if differences:
            blocks += [[f"### {changed.capitalize()}"]] if len(found) > 1 else []
            blocks.append(list(table(("", "where", "what"), map(_cells, differences))))
    blocks += [[f"> **Note:** {escape(_left_out(d, versions))}"] for d in versions.left_out]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _cells(difference: Difference) -> tuple[str, str, str]:
    what = _outcome(difference).removeprefix(":").strip()
    return escape(_SIGNS[difference.change]), code(place(difference.place)), escape(what)


def render_json(versions: Versions, kind: DiffType, found: Found) -> str:
    """The same for machines."""
    follows = versions.package.kptfile.require_upstream()
    target = versions.target
    data = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "diffType": kind.value,
        "package": {
            "name": versions.package.name,
            "directory": str(versions.package.root),
            "repo": redact(follows.repo),
            "upstreamDirectory": follows.directory,
        },
        "original": {"ref": versions.ref, "commit": versions.commit},
        "upstream": {"ref": target.ref, "commit": target.commit} if target else None,
        "differences": list(_three_way_data(found) if len(found) > 1 else _two_way_data(found)),
        "leftOut": versions.left_out,
        "summary": _extent(found)._asdict(),
    }
    return json.dumps(data, indent=2) + "\n"


def difference_data(difference: Difference) -> dict[str, Any]:
    """One difference as plain data, nothing secret in it."""
    shown, before, after = _redacted(difference)
    sides = {"before": before, "after": after}
    return {**_place_data(shown), "change": difference.change, **_values_data(sides)}


def difference_lines(found: Sequence[Difference], style: Style = plain) -> Iterator[str]:
    """The lines of all differences, those of one resource below its name."""
    for (file, resource), group in groupby(found, lambda d: (d.place.file, d.place.resource)):
        members = list(group)
        head = " ".join(printable(part) for part in (file, resource) if part)
        if len(members) == 1 and not members[0].place.path:
            yield _line(members[0], head, style)
            continue
        yield head
        for difference in members:
            yield "  " + _line(difference, _inside(difference.place), style)


def _two_way(found: Sequence[Difference], style: Style) -> Iterator[str]:
    yield from difference_lines(found, style)
    if found:
        yield ""


def _line(difference: Difference, where: str, style: Style) -> str:
    change = difference.change
    sign = style(_SIGNS[change], _COLORS[change])
    return f"{sign} {where}{_outcome(difference)}"


def _outcome(difference: Difference) -> str:
    redacted, before, after = _redacted(difference)
    change = difference.change
    if change == "moved":
        return f" moved to {printable(redacted.new_path)}"
    if redacted.subject in _WHOLE or redacted.subject is Subject.ORDER:
        return f" {change}"
    if change == "added":
        return f": {shown(redacted, after, WIDTH)}"
    if change == "deleted":
        return f": {shown(redacted, before, WIDTH)}"
    if before == after:
        return ": changed (hidden)"
    return f": {shown(redacted, before, WIDTH)} -> {shown(redacted, after, WIDTH)}"


def _three_way(found: Found, style: Style) -> Iterator[str]:
    upstream, local = found.values()
    both = {d.key for d in upstream} & {d.key for d in local}
    yield style(f"upstream ({len(upstream)})", "title")
    yield from ("  " + line for line in difference_lines(upstream, style))
    yield ""
    yield style(f"local ({len(local)})", "title")
    yield from ("  " + line for line in difference_lines(local, style))
    yield ""
    theirs = {d.key: d for d in upstream}
    common = [d for d in local if d.key in both]
    if common:
        yield style(f"changed on both sides ({len(common)})", "collision")
    for ours in common:
        yield f"  {place(ours.place)}"
        _, before, after = _redacted(ours)
        values = {"original": before, "upstream": _redacted(theirs[ours.key])[2], "local": after}
        for name, value in values.items():
            yield f"    {name:<8}  {shown(ours.place, value, WIDTH)}"
    if common:
        yield ""


def _title(versions: Versions, kind: DiffType) -> str:
    name, target = printable(versions.package.name), versions.target
    fetched = f"{versions.ref or 'commit'} ({versions.commit[:_COMMIT]})"
    there = f"{target.ref} ({target.commit[:_COMMIT]})" if target else ""
    return printable(
        {
            "local": f"{name}: local changes since {fetched}",
            "remote": f"{name}: upstream's changes from {fetched} to {there}",
            "combined": f"{name}: local against upstream {there}",
            "3way": f"{name}: upstream {there} and local against {fetched}",
        }[kind.value]
    )


def _left_out(directory: str, versions: Versions) -> str:
    root = versions.package.root
    return printable(
        f"not compared: {directory} follows its own upstream (pkgupdate diff {root / directory})"
    )


def _summary(found: Found) -> str:
    return f"{extent_text(_extent(found)).capitalize()}."


def extent_text(size: Extent) -> str:
    """``3 differences in 2 resources and 1 file``."""
    if not size.paths:
        return "no differences"
    counts = ((size.resources, "resource"), (size.files, "file"))
    where = " and ".join(count(number, noun) for number, noun in counts if number)
    return f"{count(size.paths, 'difference')} in {where}"


def _extent(found: Found) -> Extent:
    return extent(d for differences in found.values() for d in differences)


def _two_way_data(found: Found) -> Iterator[dict[str, Any]]:
    for differences in found.values():
        yield from map(difference_data, differences)


def _three_way_data(found: Found) -> Iterator[dict[str, Any]]:
    upstream, local = ({d.key: d for d in differences} for differences in found.values())
    for key in sorted({**upstream, **local}):
        theirs, ours = upstream.get(key), local.get(key)
        some = theirs or ours
        assert some is not None
        shown, before, _ = _redacted(some)
        sides = {"original": before}
        for name, difference in (("upstream", theirs), ("local", ours)):
            sides[name] = _redacted(difference)[2] if difference else before
        changed = [n for n, d in (("upstream", theirs), ("local", ours)) if d]
        yield {**_place_data(shown), "changedBy": changed, **_values_data(sides)}


def _place_data(shown: Decision) -> dict[str, Any]:
    data = {
        "file": shown.file,
        "resource": shown.resource,
        "path": format_path(shown.path),
        "subject": shown.subject.value,
    }
    return data | ({"newPath": shown.new_path} if shown.new_path else {})


def _values_data(sides: Mapping[str, MaybeValue]) -> dict[str, Any]:
    absent = [name for name, value in sides.items() if isinstance(value, Missing)]
    return {**{name: to_plain(value) for name, value in sides.items()}, "absent": absent}


def _redacted(difference: Difference) -> tuple[Decision, MaybeValue, MaybeValue]:
    """The place and the two values with nothing secret in them."""
    place = replace(difference.place, original=difference.before, upstream=difference.after)
    shown = redact_decision(place)
    return shown, shown.original, shown.upstream


def _inside(decision: Decision) -> str:
    """The place inside its resource: path and subject, or pipeline function."""
    return place(replace(decision, file="", resource="")) or "(whole)"
