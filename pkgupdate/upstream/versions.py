"""Version constraints over tags: `latest`, `^1.2`, `~1.2`, `>=1,<2`, `1.2.x`.

A constraint is a list of comparisons that must all hold. `^` keeps the left-most part that is not
zero, `~` keeps major and minor, as in npm and Cargo. Prereleases take part only if asked for: by
the caller, or by a constraint that names one.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from pkgupdate.errors import UpstreamError

if TYPE_CHECKING:
    from semver import Version

LATEST = "latest"

_PART = re.compile(
    r"(?P<op>\^|~|>=|<=|!=|==?|>|<)?\s*v?(?P<major>\d{1,9})(?:\.(?P<minor>\d{1,9}|[xX*])"
    r"(?:\.(?P<patch>\d{1,9}|[xX*]))?)?(?:-(?P<pre>[0-9A-Za-z.-]+))?"
)
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "!=": operator.ne,
}


class Constraint(NamedTuple):
    """A parsed constraint."""

    comparisons: tuple[tuple[str, Version], ...]
    prereleases: bool

    def allows(self, version: Version) -> bool:
        """Say whether `version` fits."""
        if version.prerelease and not self.prereleases:
            return False
        return all(_COMPARISONS[op](version, bound) for op, bound in self.comparisons)


def is_constraint(ref: str) -> bool:
    """Say whether `ref` asks for a version by rule instead of naming a ref."""
    return (
        ref in (LATEST, "*")
        or ref[:1] in ("^", "~", ">", "<", "=", "!")
        or (bool(re.fullmatch(r"v?\d+(\.\d+)?\.[xX*]", ref)))
    )


def parse_constraint(text: str, *, prereleases: bool = False) -> Constraint:
    """Parse a constraint. Raises UpstreamError `bad-constraint`."""
    if text in (LATEST, "*"):
        return Constraint((), prereleases)
    comparisons: list[tuple[str, Version]] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if not match:
            raise UpstreamError(
                "bad-constraint",
                f"'{text}' is not a version constraint",
                hint="write latest, ^1.2, ~1.2, 1.2.x or comparisons such as >=1,<2",
            )
        comparisons += _bounds(match)
        prereleases = prereleases or match["pre"] is not None
    return Constraint(tuple(comparisons), prereleases)


def parse_version(text: str) -> Version | None:
    """Parse `1.2.3` or `v1.2.3` with prerelease and build parts; None if it is no version.

    `v1` and `v1.2` are none: such tags are moved from release to release.
    """
    from semver import Version

    try:
        return Version.parse(text.removeprefix("v"))
    except ValueError:
        return None


def by_version(tags: Iterable[str]) -> list[str]:
    """The tags whose last path part is a version, lowest first."""
    found = ((parse_version(tag.rpartition("/")[2]), tag) for tag in tags)
    return [tag for _, tag in sorted((version, tag) for version, tag in found if version)]


def newest(tags: Iterable[str], constraint: Constraint) -> str | None:
    """Return the tag with the highest version that fits; its last path part is the version."""
    best: tuple[Version, str] | None = None
    for tag in sorted(tags):
        version = parse_version(tag.rpartition("/")[2])
        if version and constraint.allows(version) and (best is None or version > best[0]):
            best = version, tag
    return best[1] if best else None


def _bounds(match: re.Match[str]) -> list[tuple[str, Version]]:
    """Turn one part of a constraint into comparisons."""
    from semver import Version

    numbers = [n for n in (match["major"], match["minor"], match["patch"]) if n and n.isdigit()]
    given = len(numbers)
    major, minor, patch = [*map(int, numbers), 0, 0][:3]
    base = Version(major, minor, patch, match["pre"])
    # The first version above all that begin with the given numbers.
    above = Version(major + 1) if given == 1 else Version(major, minor + 1)
    match match["op"] or "":
        case "^":
            if major or given == 1:
                end = Version(major + 1)
            elif minor or given == 2:
                end = Version(0, minor + 1)
            else:
                end = Version(0, 0, patch + 1)
            bounds = [(">=", base), ("<", end)]
        case "~":
            bounds = [(">=", base), ("<", above)]
        case "" | "=" | "==" if given < 3:
            bounds = [(">=", base), ("<", above)]
        case "" | "=" | "==":
            bounds = [("=", base)]
        case ">" if given < 3:
            bounds = [(">=", above)]
        case "<=" if given < 3:
            bounds = [("<", above)]
        case op:
            bounds = [(op, base)]
    # `<2` must not let 2.0.0-rc.1 in, which orders before 2.0.0.
    return [
        (op, v.replace(prerelease="0") if op == "<" and not v.prerelease else v) for op, v in bounds
    ]
