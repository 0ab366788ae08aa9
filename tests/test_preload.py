"""Modules are loaded while there is time, in the order of need, and never at a cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pkgupdate.preload import import_until, preload

Made = list[str]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """Modules `first`, `second` and `third` that can be imported; gives those that were."""
    loaded: Made = []
    sys.modules["preload_log"] = type(sys)("preload_log")
    sys.modules["preload_log"].loaded = loaded  # type: ignore[attr-defined]
    for name in ("first", "second", "third"):
        code = "import preload_log; preload_log.loaded.append(__name__)\n"
        (tmp_path / f"preloaded_{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    yield loaded
    import_until(lambda: False)
    for name in [name for name in sys.modules if name.startswith("preload")]:
        del sys.modules[name]


def test_what_is_named_last_is_loaded_first(made: Made) -> None:
    preload("preloaded_third")
    preload("preloaded_first", "preloaded_second")
    assert made == []
    import_until(lambda: False)
    assert made == ["preloaded_first", "preloaded_second", "preloaded_third"]


def test_loading_stops_when_the_wait_is_over_and_goes_on_in_the_next(made: Made) -> None:
    preload("preloaded_first", "preloaded_second", "preloaded_third")
    import_until(lambda: len(made) == 1)
    assert made == ["preloaded_first"]
    import_until(lambda: True)
    assert made == ["preloaded_first"]
    import_until(lambda: False)
    assert made == ["preloaded_first", "preloaded_second", "preloaded_third"]


def test_a_module_that_is_not_there_is_no_matter(made: Made) -> None:
    preload("preloaded_nowhere", "preloaded_first")
    import_until(lambda: False)
    assert made == ["preloaded_first"]


def test_another_thread_may_take_the_last_module(made: Made) -> None:
    preload("preloaded_first")
    import_until(lambda: import_until(lambda: False) is not None)
    assert made == ["preloaded_first"]
