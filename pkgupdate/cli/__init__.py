"""The command line: `main` is the console script, `registry.py` lists the commands."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (docs/cli.md lists the codes)."""
    from pkgupdate.cli.failures import guarded

    def run() -> int:
        from pkgupdate.cli.app import application

        code = application().main(args=arguments, prog_name="pkgupdate", standalone_mode=False)
        return code if isinstance(code, int) else 0

    return guarded(run)
