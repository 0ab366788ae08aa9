"""`pkgupdate fn`: the KRM function."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from pkgupdate.cli import console


class Topic(StrEnum):
    """What can be asked for instead of a run."""

    DOC = "doc"


def fn(
    topic: Annotated[
        Topic | None, typer.Argument(help="`doc` prints the reference of the configuration.")
    ] = None,
) -> int:
    """Update a package in a KRM function pipeline.

    Reads a ResourceList on stdin and writes one with the merged items and results to stdout. Exits
    1, with the items as they came, if a result is an error.
    """
    if topic is Topic.DOC:
        from pkgupdate.integrations.krm.reference import reference

        console.result(reference())
        return 0
    from pkgupdate.integrations.krm.function import run_function

    outcome = run_function(sys.stdin.buffer.read())
    console.result(outcome.text)
    for found in outcome.results:
        if found["severity"] == "error":
            console.note(f"error: {found['message']}")
    return 1 if outcome.has_failed else 0
