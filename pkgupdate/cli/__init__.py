"""The command line: `main` is the console script, `registry.py` lists the commands."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (docs/cli.md lists the codes).

    Without `arguments` (those of the process count then) the process ends here: taking the
    interpreter apart would take longer than many a merge, and free what the system frees anyway.
    """
    if arguments is not None:
        return _run(list(arguments))
    gc.disable()  # a program that ends soon has nothing worth collecting
    code = _run(sys.argv[1:])
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError):  # `_run` has said what could not be written
                stream.flush()
    os._exit(code)


def _run(words: list[str]) -> int:
    # Git starts the driver for every file: no time for anything else, and no word is an option.
    if words[:1] == ["merge-driver"] and len(words) > 2:
        from pkgupdate.integrations.git.driver import main as merge_driver

        return merge_driver(words[1:])
    from pkgupdate.cli.failures import guarded

    def command() -> int:
        from pkgupdate.cli.app import application

        code = application().main(args=words, prog_name="pkgupdate", standalone_mode=False)
        return code if isinstance(code, int) else 0

    return guarded(command)
