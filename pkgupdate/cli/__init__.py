"""The command line: `main` is the console script, `registry.py` lists the commands."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (docs/cli.md lists the codes)."""
    if arguments is None:  # a program that ends soon has nothing worth collecting, nor at its end
        gc.disable()
        atexit.register(gc.freeze)
    words = list(sys.argv[1:] if arguments is None else arguments)
    # Git starts the driver for every file: no time for anything else, and no word is an option.
    if words[:1] == ["merge-driver"] and len(words) > 2:
        from pkgupdate.integrations.git.driver import main as merge_driver

        return merge_driver(words[1:])
    from pkgupdate.cli.failures import guarded

    def run() -> int:
        from pkgupdate.cli.app import application

        code = application().main(args=arguments, prog_name="pkgupdate", standalone_mode=False)
        return code if isinstance(code, int) else 0

    return guarded(run)
