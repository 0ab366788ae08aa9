"""How long one KB of text takes, printed below the tables of the benchmark plug-in."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

_FIGURES = pytest.StashKey[dict[str, float]]()
_YARDSTICK = "round trip of ruamel.yaml"


@pytest.fixture
def per_kb(benchmark: Any, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Benchmark a function on a text, without collections, as in a run of the program."""

    def run(layer: str, text: str, function: Callable[..., Any], *arguments: Any) -> Any:
        gc.disable()
        try:
            result = benchmark(function, *arguments)
        finally:
            gc.enable()
        micros = benchmark.stats.stats.median * 1e6 / (len(text) / 1024)
        request.config.stash.setdefault(_FIGURES, {})[layer] = micros
        return result

    return run


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The medians per KB, beside the yardstick where that was measured too."""
    figures = config.stash.get(_FIGURES, {})
    for layer, micros in figures.items():
        share = (
            f", {micros / figures[_YARDSTICK]:.3f} × {_YARDSTICK}" if _YARDSTICK in figures else ""
        )
        terminalreporter.write_line(f"{layer}: {micros:,.0f} µs per KB{share}")
