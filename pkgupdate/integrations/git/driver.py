"""The merge driver: what Git runs for one file that both branches changed.

    pkgupdate merge-driver %O %A %B [%L] %P [%S %X %Y]

The first thing it does is to put Git's own merge into %A, markers included. Only a structural merge
that went well replaces that, in one step. So whatever happens on the way (the file is no YAML, has
markers already, is too large; a fault, the end of the time, a signal), the work tree holds what
plain Git would have left there, and the exit code is Git's own.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pkgupdate.integrations.git.process import Git
from pkgupdate.merge.sides import Sides
from pkgupdate.paths import format_path

if TYPE_CHECKING:
    from pkgupdate.integrations.git.markers import MarkerForm
    from pkgupdate.integrations.git.two_ways import TwoWays
    from pkgupdate.merge.text import MarkerStyle

CLEAN, CONFLICT = 0, 1
_FAILED = 129  # a status above 128 tells Git that the driver itself failed
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Arguments:
    """What Git told the driver. files: the temporary ones; the result goes to `files.local`."""

    files: Sides[Path]
    path: str = "merged.yaml"
    size: int = 7
    labels: Sides[str] = field(default_factory=lambda: Sides("base", "theirs", "ours"))


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user's Git configuration says.

    winner: who wins collisions (`pkgupdate.onConflict`). seconds: how long a merge may take
    (`pkgupdate.driverTimeout`).
    """

    style: MarkerStyle = "merge"
    winner: str = ""
    seconds: float = _SECONDS


class _OutOfTime(BaseException):
    """No `except Exception` on the way may stop it."""


def main(words: Sequence[str]) -> int:
    """Merge one file; the status is 0 if nothing collided, else 1."""
    arguments = parse_arguments(words)
    if arguments is None:
        _say("usage: pkgupdate merge-driver %O %A %B [%L] [%P]  (Git calls this)")
        return _FAILED
    try:
        contents = arguments.files.map(lambda file: file.read_bytes())
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}")
        return _FAILED
    if not arguments.files.local.is_file():  # a device, say, which the result would replace
        _say(f"{arguments.files.local}: not a file")
        return _FAILED
    git = Git()
    settings = read_settings(git)
    status = _merge_as_git(git, arguments)
    try:
        with _time_limit(settings.seconds):
            return _merge_structurally(arguments, settings, contents)
    except _OutOfTime:
        _say(f"{arguments.path}: merged by lines: not done after {settings.seconds:g} seconds")
    except Exception as error:  # whatever it is, Git's own merge is in place
        _say(f"{arguments.path}: merged by lines: {_reason(error)}")
    return status


def parse_arguments(words: Sequence[str]) -> Arguments | None:
    """Read `O A B`, `O A B P`, `O A B L P` or `O A B L P S X Y`; None for anything else.

    A Git that does not know a placeholder passes it on as it stands.
    """
    if not 3 <= len(words) <= 8:
        return None
    found = Arguments(Sides(Path(words[0]), Path(words[2]), Path(words[1])))
    rest = list(words[3:])
    if len(rest) > 1:
        size = rest.pop(0)
        if not size.isdigit():
            return None
        found = replace(found, size=int(size) or 7)
    if rest:
        found = replace(found, path=rest.pop(0))
    given = (label if label[:1] != "%" else "" for label in [*rest, "", "", ""])
    original, local, upstream, *_ = given
    known = found.labels
    labels = Sides(original or known.original, upstream or known.upstream, local or known.local)
    return replace(found, labels=labels)


def read_settings(git: Git) -> Settings:
    """The settings; words that mean nothing count as not given."""
    output = git.run("config", "-z", "--get-regexp", r"^(merge\.conflictstyle|pkgupdate\.)")
    values = dict(item.partition("\n")[::2] for item in output.names)
    settings = Settings()
    style, winner = values.get("merge.conflictstyle"), values.get("pkgupdate.onconflict")
    if style in ("diff3", "zdiff3"):
        settings = replace(settings, style=cast("MarkerStyle", style))
    if winner in ("ours", "theirs"):
        settings = replace(settings, winner=winner or "")
    try:
        return replace(settings, seconds=float(values.get("pkgupdate.drivertimeout", _SECONDS)))
    except ValueError:
        return settings


def merge_contents(
    contents: Sides[bytes], path: str, form: MarkerForm, winner: str = ""
) -> tuple[bytes, TwoWays]:
    """Merge three versions of a file: the text, with markers if the result is not clean.

    winner: `ours` or `theirs` decides collisions instead. Raises NotStructural.
    """
    from pkgupdate.document.stream import decode
    from pkgupdate.integrations.git.markers import has_markers, take_side, write_markers
    from pkgupdate.integrations.git.two_ways import NotStructural, merge_file

    texts: list[str] = []
    for content in contents:
        text = decode(content)
        if text is None:
            raise NotStructural("it is not UTF-8 text")
        if has_markers(text):
            raise NotStructural("it has conflict markers already")
        texts.append(text)
    merged = merge_file(Sides(*texts), path)
    if merged.is_clean or winner:
        return (merged.upstream if winner == "theirs" else merged.local).encode(), merged
    marked, _ = write_markers(Sides(texts[0], merged.upstream, merged.local), form, merged.spans)
    for side, whole in (("ours", merged.local), ("theirs", merged.upstream)):
        if take_side(marked, side).rstrip("\r\n") != whole.rstrip("\r\n"):
            raise NotStructural("its collisions cannot be marked")
    return marked.encode(), merged


def _merge_structurally(arguments: Arguments, settings: Settings, contents: Sides[bytes]) -> int:
    from pkgupdate.integrations.git.markers import MarkerForm

    form = MarkerForm(settings.style, arguments.size, arguments.labels)
    result, merged = merge_contents(contents, arguments.path, form, settings.winner)
    _write(arguments.files.local, result)
    for decision in () if merged.is_clean else merged.collisions:
        place = " ".join(filter(None, (decision.resource, format_path(decision.path))))
        verdict = f"{settings.winner} taken" if settings.winner else "both sides changed it"
        _say(f"{arguments.path} {place}: {verdict}")
    return CLEAN if merged.is_clean or settings.winner else CONFLICT


def _merge_as_git(git: Git, arguments: Arguments) -> int:
    """Put the result of Git's line merge into the file; the status Git would have given."""
    labels = arguments.labels
    result = git.run(
        "merge-file",
        "-p",
        f"--marker-size={arguments.size}",
        *("-L", labels.local, "-L", labels.original, "-L", labels.upstream),
        "--",
        *(str(arguments.files.local), str(arguments.files.original)),
        str(arguments.files.upstream),
    )
    if result.status > 127:  # binary: Git keeps ours and calls it a conflict
        return CONFLICT
    _write(arguments.files.local, result.stdout)
    return CONFLICT if result.status else CLEAN


def _write(path: Path, content: bytes) -> None:
    """Replace the file in one step; its mode stays."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.chmod(path.stat().st_mode)
    temporary.replace(path)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """End the block with _OutOfTime after so long (0: never)."""

    def stop(*_: object) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.0))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _reason(error: Exception) -> str:
    from pkgupdate.integrations.git.two_ways import NotStructural

    if isinstance(error, NotStructural):
        return str(error)
    return f"a fault of pkgupdate ({type(error).__name__})"


def _say(text: str) -> None:
    from pkgupdate.upstream.text import printable

    print(f"pkgupdate: {printable(text)}", file=sys.stderr)
