"""The fuzzer's targets on random inputs, and on those that it once found a fault with."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest


def load() -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("fuzz", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


fuzz = load()
SEEDS = list(fuzz.seeds())


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        ("kptfile", ["a: 1\n", "nd: &cmd ", "a: 1\n"]),  # an anchor at the very end
        ("kptfile", ["a: 1\n", "nd: !t", "a: 1\n"]),
        ("kptfile", ["one: 1", "headone: \u2028#", "one: #"]),
        ("merge", ["a: 1\n", "a: " + "9" * 5_000, "a: 2\n"]),
        ("merge", ["a: '[]'\n", "a: '" + "[" * 99_999 + "]" * 99_999 + "'", "a: '[1]'\n"]),
        ("merge", ["a: 1\n", "a: !t [!t [!t ['\"']]]", 'a: !t [!t [!t ["\'"]]]\n']),
        ("package", ["a: 1\n" * 2_000, "a: 1\n" * 2_001, "b: 1\n" * 2_000]),
        ("package", ["a: 1e9999\n", "a: -1e9999\n", "a: .inf\n"]),
    ],
)
def test_findings(target: str, texts: list[str]) -> None:
    fuzz.run_input(target, fuzz.SEPARATOR.join(texts).encode())


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_random_inputs(target: str) -> None:
    rng = random.Random(target)
    data = rng.choice(SEEDS)
    for number in range(150):
        data = fuzz.mutate(data if number % 5 else rng.choice(SEEDS), rng.getrandbits(32))
        fuzz.run_input(target, data)


def test_the_fuzzer_finds_what_is_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*texts: str) -> None:
        raise IndexError

    monkeypatch.setitem(fuzz.TARGETS, "document", broken)
    with pytest.raises(IndexError):
        fuzz.run_input("document", b"a: 1")
