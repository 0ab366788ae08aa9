"""What all tests share: a measure of work, and figures.

Figures that tests give out (`record_property("figure", TEXT)`) end up below the results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

Calls = Callable[[Callable[[], object]], int]


@pytest.fixture
def calls() -> Calls:
    """How many functions a piece of work calls: its size, however busy the machine is."""

    def count(work: Callable[[], object]) -> int:
        made = 0

        def note(frame: object, event: str, argument: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            work()
        finally:
            sys.setprofile(None)
        return made

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    figures = [
        str(text)
        for report in terminalreporter.getreports("passed")
        for name, text in report.user_properties
        if name == "figure" and report.when == "call"
    ]
    if figures:
        terminalreporter.section("figures")
        for line in sorted(figures):
            terminalreporter.line(line)
