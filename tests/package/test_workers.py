"""Work shared out among processes has the results, the errors and the counts of one process."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from pkgupdate.document.values import MISSING, NULL
from pkgupdate.package import units, workers
from pkgupdate.package.merge import PackageMerge
from pkgupdate.package.resources import Merged, UnitMerger
from pkgupdate.package.workers import processes, shared_out

from .support import Files, merge, resource
from .test_properties import packages

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

PROGRAM = os.getpid()


def in_copy() -> bool:
    return os.getpid() != PROGRAM


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The process ids of all copies so far. Afterwards none is left, and no open file."""
    global PROGRAM
    PROGRAM = os.getpid()
    files = set(Path("/dev/fd").iterdir())
    forked: list[int] = []
    fork = os.fork

    def counted() -> int:
        forked.append(fork())
        return forked[-1]

    monkeypatch.setattr(os, "fork", counted)
    yield forked
    for pid in forked:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    assert set(Path("/dev/fd").iterdir()) == files


@contextmanager
def shared(number: int = 2) -> Iterator[None]:
    """Merge in that many processes, however small the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "_WORTH_SHARING", 0)
        patch.setattr(workers, "processes", lambda: number)
        yield


def assert_same(one: PackageMerge, other: PackageMerge) -> None:
    assert one.changes == other.changes
    assert one.decisions == other.decisions
    assert one.stats == other.stats


def edited(count: int, **texts: str) -> tuple[Files, Files, Files]:
    """A package of which both sides edited every resource; `texts`: other files, alike."""

    def version(a: int, b: int) -> Files:
        data = f"data:\n  a: '{a}'\n  b: '{b}'\n  both: '{a + b}'\n"
        return {f"{i:03}.yaml": resource(f"r{i}", data) for i in range(count)} | texts

    return version(1, 1), version(2, 1), version(1, 3)


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [id]
                  items: {type: object, properties: {id: {type: string}}}
"""


def widgets(count: int, first_has_list: bool = True) -> tuple[Files, Files, Files]:
    """Custom resources; both sides edited their lists, which merge by key or by position."""

    def version(upstream: bool, local: bool) -> Files:
        files: Files = {"crd.yaml": CRD}
        for i in range(count):
            parts = [
                f"{{id: a, size: {2 if upstream else 1}}}",
                f"{{id: b, size: {3 if local else 1}}}",
            ]
            if local:
                parts.reverse()
            spec = f"spec:\n  color: {'red' if upstream else 'blue'}\n  size: {3 if local else 1}\n"
            if i or first_has_list:
                spec += f"  parts: [{', '.join(parts)}]\n"
            files[f"{i:03}.yaml"] = resource(f"w{i}", spec, kind="Widget", version="example.com/v1")
        return files

    return version(False, False), version(True, False), version(False, True)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(packages())
def test_any_package_merges_alike(package: tuple[Files, Files, Files]) -> None:
    alone = merge(*package)
    with shared():
        assert_same(merge(*package), alone)


@pytest.mark.parametrize("number", [2, 4])
def test_a_package_edited_on_both_sides_throughout(copies: list[int], number: int) -> None:
    package = edited(300)
    alone = merge(*package)
    assert alone.stats.documents_parsed == 900
    with shared(number):
        assert_same(merge(*package), alone)
    assert len(copies) == number - 1


def test_files_that_are_not_mergeable(copies: list[int]) -> None:
    versions = edited(20)
    for number, files in enumerate(versions):
        files["twice.yaml"] = resource("twice", f"data:\n  a: '{number}'\n  a: '{number}'\n")
        files["broken.yaml"] = resource("broken", f"data: [{number}\n")
    alone = merge(*versions)
    assert sum("twice" in d.note for d in alone.decisions) == 1
    with shared():
        assert_same(merge(*versions), alone)
    assert len(copies) == 2  # the files make the merge begin again


@pytest.mark.parametrize("first_has_list", [True, False])
def test_definitions_in_the_package_count_in_copies_too(first_has_list: bool) -> None:
    package = widgets(20, first_has_list)
    alone = merge(*package)
    with shared():
        assert_same(merge(*package), alone)
    (text,) = (c.after.content for c in alone.changes if c.path == "007.yaml" and c.after)
    assert b"parts: [{id: b, size: 3}, {id: a, size: 2}]" in text


@contextmanager
def slow_program(seconds: float) -> Iterator[list[str]]:
    """Let copies take most of the work; gives the files of the units that are merged here."""
    merged: list[str] = []
    original = UnitMerger.merge

    def merge_slowly(self: UnitMerger, unit: units.Unit) -> Merged:
        if not in_copy():
            assert unit.local
            merged.append(unit.local.path)
            time.sleep(seconds)
        return original(self, unit)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UnitMerger, "merge", merge_slowly)
        yield merged


def test_definitions_are_there_before_the_work_is_shared_out() -> None:
    with shared(), slow_program(0.02) as merged:
        merge(*widgets(60))
    assert len(merged) < 40  # most were merged by the copy, and not again here


def test_a_definition_that_a_copy_needs_is_looked_for_here() -> None:
    package = widgets(20, first_has_list=False)
    for files in package:
        for number in range(20):
            if number != 7:  # which is left to the end, as the smallest
                text, path = str(files[f"{number:03}.yaml"]), f"{number:03}.yaml"
                files[path] = text.split("  parts")[0] + "  long: " + "x" * 200 + "\n"
    alone = merge(*package)
    assert alone.stats.documents_parsed == 61
    with shared(), slow_program(0.1) as merged:
        assert_same(merge(*package), alone)
    assert merged[-1] == "007.yaml"
    assert len(merged) < 15


def test_small_packages_are_merged_by_one_process(
    copies: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "processes", lambda: 2)
    merge(*edited(100))
    assert not copies
    merge(*edited(1000))
    assert len(copies) == 1


def test_what_takes_no_parsing_is_not_shared_out(copies: list[int]) -> None:
    original, upstream, _ = edited(20)
    for one, other in ((upstream, original), (original, upstream), (upstream, upstream)):
        with shared():
            merge(original, one, other)
        assert not copies


def test_no_copies_beside_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(64), raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    assert processes() == 4
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert processes() == 1


def test_no_copies_where_nothing_tells_the_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert processes() == 1


def test_no_copies_if_the_system_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fork)
    assert shared_out(str, [1, 2, 3], 3) == {1: "1", 2: "2", 3: "3"}


def slowly(item: int) -> int:
    """Slow enough for every process to take part."""
    time.sleep(0.002)
    return item * item


def test_every_process_works_and_every_item_is_done_once() -> None:
    done = shared_out(lambda item: (slowly(item), os.getpid()), range(1000), 3)
    assert {item: square for item, (square, _) in done.items()} == {i: i * i for i in range(1000)}
    assert len({pid for _, pid in done.values()}) == 3


def test_a_copy_that_is_killed_delivers_nothing() -> None:
    def work(item: int) -> int:
        if in_copy() and item > 20:
            os.kill(os.getpid(), signal.SIGKILL)
        return slowly(item)

    done = shared_out(work, range(100), 2)
    assert 50 < len(done) < 100
    assert all(done[item] == item * item for item in done)


def test_a_copy_that_is_killed_while_it_sends() -> None:
    def work(item: int) -> bytes:
        if in_copy():
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            time.sleep(0.001)
        else:
            time.sleep(0.6)
        return bytes(50_000)  # more than a pipe holds at once

    done = shared_out(work, range(60), 2)
    assert 1 < len(done) < 60
    assert set(done.values()) == {bytes(50_000)}


def test_a_killed_copy_changes_nothing_in_a_merge(
    copies: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = edited(100)
    alone = merge(*package)
    original = UnitMerger.merge

    def merge_or_die(self: UnitMerger, unit: units.Unit) -> Merged:
        if in_copy() and unit.local and unit.local.path > "050.yaml":
            os.kill(os.getpid(), signal.SIGKILL)
        return original(self, unit)

    monkeypatch.setattr(UnitMerger, "merge", merge_or_die)
    with shared(3):
        assert_same(merge(*package), alone)
    assert len(copies) == 2


@pytest.mark.parametrize("fault", [OSError, MemoryError, RecursionError, SystemExit])
def test_what_fails_in_copies_alone_is_done_here(
    monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    package = edited(60)
    alone = merge(*package)
    original = UnitMerger.merge

    def merge_here(self: UnitMerger, unit: units.Unit) -> Merged:
        if in_copy():
            raise fault("only in a copy")
        return original(self, unit)

    monkeypatch.setattr(UnitMerger, "merge", merge_here)
    with shared():
        assert_same(merge(*package), alone)


def test_the_error_is_that_of_the_first_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    original = UnitMerger.merge

    def merge_some(self: UnitMerger, unit: units.Unit) -> Merged:
        assert unit.local
        if unit.local.path > "020.yaml":
            raise OSError(unit.local.path)
        return original(self, unit)

    monkeypatch.setattr(UnitMerger, "merge", merge_some)
    with shared(3), pytest.raises(OSError, match=r"^021.yaml$"):
        merge(*edited(60))


def test_results_that_cannot_be_sent_are_missing() -> None:
    done = shared_out(lambda item: (slowly(item), lambda: item), range(100), 2)
    assert 0 < len(done) < 100  # those of this process


def test_an_interruption_ends_the_copies_at_once() -> None:
    def work(item: int) -> None:
        if in_copy():
            time.sleep(60)
        time.sleep(0.05)
        raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        shared_out(work, range(10), 3)
    assert time.monotonic() - start < 5


SCRIPT = """\
import atexit, os, sys, time
from pkgupdate.package.workers import shared_out

def work(item):
    if os.getpid() != program:
        print("copy", flush=True)
        print("copy", file=sys.stderr)
    time.sleep(0.05)

program = os.getpid()
print("ready", flush=True)
print("once", end=" ")
atexit.register(print, "at the end")
try:
    shared_out(work, range(200), 3)
finally:
    print("finally")
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A program at work with two copies, and a pipe that is open as long as one of them lives."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    lifeline, end = os.pipe()
    with subprocess.Popen(
        [sys.executable, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        start_new_session=True,
        pass_fds=[end],
    ) as program:
        os.close(end)
        assert program.stdout
        assert program.stdout.readline() == "ready\n"
        time.sleep(0.3)
        yield program, lifeline
    os.close(lifeline)


def test_a_signal_to_all_processes_is_told_once(
    script: tuple[subprocess.Popen[str], int],
) -> None:
    program, lifeline = script
    os.killpg(program.pid, signal.SIGINT)
    out, err = program.communicate(timeout=20)
    assert out == "once finally\nat the end\n"
    assert err.count("Traceback") == err.count("KeyboardInterrupt") == 1
    assert "copy" not in err
    assert os.read(lifeline, 1) == b""


def test_copies_do_not_outlive_the_program(script: tuple[subprocess.Popen[str], int]) -> None:
    program, lifeline = script
    program.kill()
    start = time.monotonic()
    assert os.read(lifeline, 1) == b""
    assert time.monotonic() - start < 2  # alone they would work for five seconds


def test_values_told_by_identity_stay_themselves() -> None:
    assert pickle.loads(pickle.dumps([MISSING]))[0] is MISSING
    assert pickle.loads(pickle.dumps(NULL)) == NULL
