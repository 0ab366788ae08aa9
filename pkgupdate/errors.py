"""Errors a user can meet: what went wrong, where, why, and what to do next.

Every expected failure is a `PkgUpdateError` with a stable `code`; `docs/errors.md` lists each code
with cause and cure, and a test keeps that table and the codes in step. Anything else that escapes
is a fault of the program itself and is reported as such by the command line.
"""

from __future__ import annotations

from typing import NamedTuple


class Location(NamedTuple):
    """Where an error lies. Every part may be missing (empty or 0).

    file: path as the user knows it (relative to the package or the working directory).
    line: 1-based line in that file.
    resource: `group/Kind/namespace/name` as in reports.
    path: field path in the grammar of `pkgupdate.paths`.
    """

    file: str = ""
    line: int = 0
    resource: str = ""
    path: str = ""

    def __str__(self) -> str:
        spot = f"{self.file}:{self.line}" if self.line else self.file
        return " ".join(part for part in (spot, self.resource, self.path) if part)


class PkgUpdateError(Exception):
    """A failure that the user can understand and act on; nothing was written.

    code: stable kebab-case name, listed in docs/errors.md.
    what: one sentence that says what failed.
    why: the reason, if it adds anything (git's own words, the parser's message).
    hint: the next step, as a sentence or a command.
    exit_code: what the command line ends with.
    """

    exit_code = 3

    def __init__(
        self, code: str, what: str, *, where: Location | None = None, why: str = "", hint: str = ""
    ) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.where = where or Location()
        self.why = why
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"error[{self.code}]: {self.what}"]
        if str(self.where):
            lines.append(f"  at: {self.where}")
        if self.why:
            lines.append("  why: " + self.why.strip().replace("\n", "\n       "))
        if self.hint:
            lines.append("  hint: " + self.hint.replace("\n", "\n        "))
        return "\n".join(lines)


class UsageError(PkgUpdateError):
    """The command line itself is wrong (exit 2)."""

    exit_code = 2


class PackageError(PkgUpdateError):
    """The local package (or its Kptfile) cannot be used as it is."""


class UpstreamError(PkgUpdateError):
    """The upstream repository, ref or directory cannot be used."""


class DocumentError(PkgUpdateError):
    """A YAML text cannot be parsed, or cannot be edited without risk."""


class PolicyError(PkgUpdateError):
    """A policy file or a policy option is wrong."""


class ApplyError(PkgUpdateError):
    """Writing failed; the package was left, or put back, as it was."""
