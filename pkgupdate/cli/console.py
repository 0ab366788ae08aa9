"""What reaches the terminal: results on stdout, progress and notes on stderr, colour or not."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TextIO


class Color(StrEnum):
    """When to colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


_CODES = {
    "title": "1",
    "error": "1;31",
    "hint": "36",
    "winner": "1",
    "warning": "33",
    "applied": "32",
    "collision": "1;33",
    "withheld": "35",
    "kept": "34",
    "A": "32",
    "D": "31",
    "M": "33",
}

_USUAL_WIDTH = 86

_color: Color | None = None
_has_pager = True
_quiet = False
_verbose = 0
_progress_shown = False


def set_color(value: Color | None) -> None:
    """Take the option `--color`; None leaves it to the environment and the terminal."""
    global _color
    _color = value


def set_quiet(value: bool) -> None:
    """Take the option `--quiet`."""
    global _quiet
    _quiet = value


def set_pager(value: bool) -> None:
    """Take the option `--pager`."""
    global _has_pager
    _has_pager = value


def set_verbose(value: int) -> None:
    """Take the option `--verbose`, as often as it was given."""
    global _verbose
    _verbose = value


def is_verbose(level: int = 1) -> bool:
    """Was `-v` given at least `level` times?"""
    return _verbose >= level


def has_color(stream: TextIO) -> bool:
    """Whether text on this stream is coloured.

    The option, else NO_COLOR and FORCE_COLOR (any value but an empty one), else whether the stream
    is a terminal.
    """
    if _color in (Color.ALWAYS, Color.NEVER):
        return _color is Color.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, what: str, stream: TextIO) -> str:
    """The text in the colour of what it is, if the stream has colour."""
    code = _CODES.get(what)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text and has_color(stream) else text


def style(text: str, what: str) -> str:
    """Paint text for stdout."""
    return paint(text, what, sys.stdout)


def width() -> int:
    """The columns of the terminal that stdout is, else a usual number."""
    if not sys.stdout.isatty():
        return _USUAL_WIDTH
    return os.get_terminal_size(sys.stdout.fileno()).columns or _USUAL_WIDTH


def result(text: str, *, paged: bool = False) -> None:
    """Write the result of the command; with `paged`, through a pager if it is too long."""
    clear_progress()
    if paged and _has_pager and sys.stdout.isatty():
        from pkgupdate.cli.pager import page

        if page(text):
            return
    sys.stdout.write(text)
    sys.stdout.flush()


def note(text: str) -> None:
    """A line on stderr for people, unless they asked for quiet."""
    if not _quiet:
        clear_progress()
        print(text, file=sys.stderr)


def log(text: str) -> None:
    """A line on stderr for those who asked for more."""
    if _verbose:
        from pkgupdate.upstream.text import printable

        clear_progress()
        print(printable(text), file=sys.stderr)
    else:
        progress(text)


def progress(text: str) -> None:
    """What is being done right now: one line that the next one replaces, at a terminal only."""
    global _progress_shown
    if not _quiet and not _verbose and sys.stderr.isatty():
        from pkgupdate.upstream.text import printable

        width = (os.get_terminal_size(sys.stderr.fileno()).columns or 80) - 1
        sys.stderr.write("\r\x1b[K" + printable(text)[:width])
        sys.stderr.flush()
        _progress_shown = True


def clear_progress() -> None:
    """Take the progress line away."""
    global _progress_shown
    if _progress_shown:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
        _progress_shown = False


def is_interactive() -> bool:
    """Is there a person at a terminal who can be asked?"""
    return sys.stdin.isatty() and sys.stderr.isatty()
