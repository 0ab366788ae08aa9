"""Long results at a terminal, page by page."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from typing import Final

VARIABLES: Final = ("PKGUPDATE_PAGER", "PAGER")
"""Where the pager comes from; empty or `cat` for none."""

_DEFAULT: Final = "less"
_LESS: Final = "FRX"
"""What `less` does unless LESS says otherwise: leave short texts, show colours, keep the screen."""
_NOT_FOUND: Final = 127


def page(text: str) -> bool:
    """Show the text in a pager if it has more lines than the terminal; False: it was not shown."""
    if text.count("\n") < shutil.get_terminal_size().lines:
        return False
    command = _command()
    if not command or shutil.which(command[0]) is None:
        return False
    environment = {"LESS": _LESS, "LV": "-c", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is for the pager
        try:
            pager.communicate(text.encode("utf-8", "backslashreplace"))
        finally:
            signal.signal(signal.SIGINT, before)
    return pager.returncode != _NOT_FOUND


def _command() -> list[str]:
    named = [os.environ[name] for name in VARIABLES if name in os.environ]
    try:
        command = shlex.split(named[0] if named else _DEFAULT)
    except ValueError:  # a quotation without end
        return []
    return [] if command[:1] == ["cat"] else command
