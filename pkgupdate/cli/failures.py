"""The one place where failures become a message and an exit code.

0 done; 1 only by request (`--exit-code`); 2 wrong usage; 3 an expected failure, nothing written;
4 a fault of the program; 130 interrupted; 141 who reads the output has gone.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from pkgupdate.errors import Location, PkgUpdateError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

FAULT = 4
INTERRUPTED = 130
_PIPE_CLOSED = 141
_REFUSALS = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.ELOOP,
    errno.ENAMETOOLONG,
}
"""What the system says of its own state; any other error of a call is a fault of the program."""


def guarded(run: Callable[[], int]) -> int:
    """Run a command; every failure ends here, with a message on stderr."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = run()
        sys.stdout.flush()
        return code
    except PkgUpdateError as e:
        return _report(e)
    except KeyboardInterrupt as e:
        return _interrupted(e)
    except BrokenPipeError:
        return _pipe_closed()
    except SystemExit as e:
        if isinstance(e.__context__, BrokenPipeError):  # Typer ends the program by itself then
            return _pipe_closed()
        raise
    except Exception as e:
        if isinstance(e, OSError) and e.errno in _REFUSALS:
            return _report(_refused(e))
        import typer

        usage_fault = typer.BadParameter.__base__  # Typer has no public name for it
        if isinstance(e, usage_fault or ()):
            return _report(_usage(e))
        if isinstance(e, typer.Abort):  # what Typer makes of an interruption
            return _interrupted(e.__cause__ or e)
        return _report_fault(e)


def _open_closed_streams() -> None:
    """Put the null device where the caller closed a stream, for a file would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _pipe_closed() -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _PIPE_CLOSED


def _interrupted(error: BaseException) -> int:
    _say(f"interrupted; {error}" if str(error) else "interrupted; nothing more was written")
    return INTERRUPTED


def _refused(error: OSError) -> PkgUpdateError:
    return PkgUpdateError(
        "system-refused",
        "the system refused to read or write",
        where=Location(str(error.filename or "")),
        why=error.strerror or "",
    )


def _usage(error: Exception) -> UsageError:
    """Typer's own complaint about the command line as one of ours."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "pkgupdate"
    text = getattr(error, "format_message", error.__str__)()
    text = text.replace("Value error, ", "").rstrip(".")  # pydantic's word for any validator
    return UsageError("usage", text, hint=f"see `{command} --help`")


def _report(error: PkgUpdateError) -> int:
    _say(render_error(error))
    return error.exit_code


def render_error(error: PkgUpdateError) -> str:
    """The error as a small block, coloured if stderr is."""
    from pkgupdate.cli.console import paint
    from pkgupdate.upstream.text import clean

    lines = clean(str(error)).split("\n")
    head, _, rest = lines[0].partition(":")
    painted = [paint(head, "error", sys.stderr) + ":" + rest]
    for line in lines[1:]:
        label, colon, text = line.partition(":")
        is_label = label in ("  at", "  why", "  hint")
        painted.append(paint(label, "hint", sys.stderr) + colon + text if is_label else line)
    return "\n".join(painted)


def _report_fault(error: Exception) -> int:
    from pkgupdate.cli.crashlog import write_crash_log

    path: Path | None = write_crash_log(error, sys.argv[1:])
    lines = [f"fault: pkgupdate stopped on an unexpected {type(error).__name__}"]
    if path is not None:
        lines.append(f"  log: {path}  (secrets are left out; safe to paste)")
    lines.append(
        "  hint: please report it with the log; `pkgupdate recover` finishes what it began"
    )
    _say("\n".join(lines))
    return FAULT


def _say(text: str) -> None:
    from pkgupdate.cli.console import clear_progress

    with suppress(OSError):  # what cannot be said changes no exit code
        clear_progress()
        print(text, file=sys.stderr)
