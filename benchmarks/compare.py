"""Time `pkgupdate update` beside `kpt pkg update` and the limit, and write a markdown table.

    python benchmarks/compare.py [--runs 5] [--kpt-runs 5] [--rows TEXT] [--output FILE]

Every run starts from a fresh copy of the consumer's repository and, unless the row says warm, from
empty caches. kpt comes last, for it deletes what others would then wait for (see `measure`).
Quoted are medians of wall time and their ratios, of CPU time
(children included), and the peak memory of the largest process. The *limit* is what no tool of this
kind can go below: `git fetch` of both commits, `git ls-tree` of both, and `python -c pass`. Where
kpt is not installed (or its runs are 0) its columns stay empty. Below the table stands how the time
grows from 1,000 resources to 10,000; a second one has the start-up of the program beside that of
Typer alone. All of it takes about a quarter of an hour, most of it kpt.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from synthetic import GIT_ENVIRONMENT, Shape, git, make


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    label: str
    shape: Shape
    bound: str = ""
    warm: bool = False
    with_kpt: bool = True


SMALL, LARGE = Shape(1000, 1, 0.01, 0.01), Shape(10000, 1, 0.01, 0.01)
ROWS = [
    Row("10 resources, 1 upstream, 1 local", Shape(10), "≤ 0.7 × kpt"),
    Row("100 resources, 1 upstream, 1 local", Shape(100), "≤ 0.2 × kpt"),
    Row("1,000 resources, 1 upstream, 1 local", Shape(1000), "≤ 0.01 × kpt, ≤ 2 × limit"),
    Row("1,000 resources, 10 % on both sides", Shape(1000, 1, 0.1, 0.1), "≤ 0.02 × kpt"),
    Row("1,000 resources, all on both sides", Shape(1000, 1, 1.0, 1.0), "≤ 0.05 × kpt"),
    Row("1,000 in 20 files of 50, 10 %", Shape(1000, 50, 0.1, 0.1), "≤ 0.02 × kpt"),
    Row("1,000 resources, 1 % on both sides", SMALL, with_kpt=False),
    Row(  # kpt's time grows with the square
        "10,000 resources, 1 % on both sides",
        LARGE,
        "≤ 12 × 1,000",
        with_kpt=False,
    ),
    Row("1,000, nothing to do, warm", Shape(1000), "≤ 0.25 s CPU", warm=True, with_kpt=False),
]
START_UPS = [
    ("pkgupdate --version", ["-m", "pkgupdate", "--version"]),
    ("pkgupdate --help", ["-m", "pkgupdate", "--help"]),
    ('python -c "import typer"', ["-c", "import typer"]),
]


@dataclass
class Series:
    """Figures of several runs of one command: seconds, seconds, MiB."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def median(self, figure: str) -> float:
        """The median of one figure; not a number where there is no run."""
        values = getattr(self, figure)
        return statistics.median(values) if values else float("nan")


def timed(command: list[str], cwd: Path, env: dict[str, str], into: Series) -> None:
    """Run `command` once, adding wall time, CPU time of it and its children, and peak memory.

    What was written before goes to the disk first, so that it is not charged to this command.
    """
    os.sync()
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    stderr = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}:\n{stderr.decode()}")
    into.wall.append(time.perf_counter() - start)
    into.cpu.append(usage.ru_utime + usage.ru_stime)
    into.memory.append(usage.ru_maxrss / 1024)


def limit_command(data: Path, cache: Path) -> list[str]:
    """A shell command for the limit of one cold run."""
    commits = [git(data / "up.git", "rev-parse", f"{tag}^{{commit}}") for tag in ("v1", "v2")]
    url = f"file://{data / 'up.git'}"
    trees = " && ".join(
        f"git -C {cache} ls-tree -r {commit}:pkg >{os.devnull}" for commit in commits
    )
    return [
        "sh",
        "-c",
        f"git init -q --bare {cache} && git -C {cache} fetch -q --depth=1 {url} {' '.join(commits)}"
        f" && {trees} && exec {sys.executable} -c pass",
    ]


def measure(row: Row, data: Path, runs: int) -> tuple[Series, Series]:
    """The figures of pkgupdate and of the limit for one row, taking turns.

    Nothing is deleted in between: for minutes ext4 is slow to create files where many were just
    deleted, which no update outside of a benchmark meets.
    """
    ours, limits = Series(), Series()
    make(data, row.shape)
    for run in range(-1, runs):
        place = data / f"run{run}"
        env = _environment(place)
        update = [sys.executable, "-m", "pkgupdate", "update", "pkg@v2"]
        shutil.copytree(data / "use", place / "use")
        if row.warm:
            commit = git(data / "up.git", "rev-parse", "v2^{commit}")
            update[-1] = f"pkg@{commit}"
            timed(update, place / "use", env, Series())
            git(place / "use", "commit", "-qam", "updated")
        first = run < 0  # it only warms the machine
        timed(update, place / "use", env, Series() if first else ours)
        timed(limit_command(data, place / "limit.git"), data, env, Series() if first else limits)
    return ours, limits


def measure_kpt(row: Row, data: Path, runs: int) -> Series:
    """The figures of kpt for a row that was measured; it deletes files by the thousand itself."""
    figures = Series()
    kpt = shutil.which("kpt") if row.with_kpt else None
    for run in range(runs if kpt else 0):
        place = data / f"kpt{run}"
        shutil.copytree(data / "use", place / "use")
        timed([str(kpt), "pkg", "update", "pkg@v2"], place / "use", _environment(place), figures)
    return figures


def _environment(place: Path) -> dict[str, str]:
    return GIT_ENVIRONMENT | {
        "PKGUPDATE_CACHE_DIR": str(place / "cache"),
        "PKGUPDATE_STATE_DIR": str(place / "state"),
        "KPT_CACHE_DIR": str(place / "kpt-cache"),
    }


Result = tuple[Row, Series, Series, Series]
"""A row with the figures of pkgupdate, kpt and the limit."""


def table(results: list[Result]) -> str:
    """The markdown table of all rows."""

    def cell(value: float, form: str) -> str:
        return "" if value != value else format(value, form)

    lines = [
        "| package and change | wall, s | kpt, s | of kpt | limit, s | of limit | CPU, s"
        " | memory, MiB | kpt, MiB | bound |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row, ours, kpts, limits in results:
        wall, kpt, limit = (s.median("wall") for s in (ours, kpts, limits))
        cells = [
            row.label,
            cell(wall, ".2f"),
            cell(kpt, ".2f"),
            cell(wall / kpt, ".4f"),
            cell(limit, ".2f"),
            cell(wall / limit, ".2f"),
            cell(ours.median("cpu"), ".2f"),
            cell(ours.median("memory"), ".0f"),
            cell(kpts.median("memory"), ".0f"),
            row.bound,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def growth(results: list[Result]) -> str:
    """A line on how the time grows with the package, where both rows were measured."""
    walls = {row.shape: ours.median("wall") for row, ours, _, _ in results if not row.warm}
    if {SMALL, LARGE} - walls.keys():
        return ""
    return f"\n10,000 resources take {walls[LARGE] / walls[SMALL]:.1f} times what 1,000 take.\n"


def start_up_table(runs: int) -> str:
    """The markdown table of the start-up times."""
    series = [(label, arguments, Series()) for label, arguments in START_UPS]
    for run in range(-1, runs):
        for _, arguments, into in series:
            command = [sys.executable, *arguments]
            timed(command, Path.cwd(), GIT_ENVIRONMENT, into if run >= 0 else Series())
    alone = series[-1][2].median("cpu")
    lines = ["| start-up | wall, s | CPU, s | CPU, of Typer alone |", "|---|---|---|---|"]
    for label, _, figures in series:
        wall, cpu = figures.median("wall"), figures.median("cpu")
        lines.append(f"| `{label}` | {wall:.2f} | {cpu:.3f} | {cpu / alone:.1f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure the rows that were asked for and print (or write) the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kpt-runs", type=int, default=5)
    parser.add_argument("--rows", default="", help="only rows whose label holds this text")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    head = (
        f"Medians of {options.runs} runs (kpt: {options.kpt_runs}), Python"
        f" {platform.python_version()}, {git(Path.cwd(), '--version')}, {os.cpu_count()} cores.\n\n"
    )
    rows = [row for row in ROWS if options.rows in row.label]
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / str(number) for number in range(len(rows))]
        figures = []
        for row, place in zip(rows, places, strict=True):
            print(f"measuring: {row.label}", file=sys.stderr)
            figures.append(measure(row, place, options.runs))
        results: list[Result] = []
        for row, place, (ours, limits) in zip(rows, places, figures, strict=True):
            print(f"measuring kpt: {row.label}", file=sys.stderr)
            results.append((row, ours, measure_kpt(row, place, options.kpt_runs), limits))
        text = head + table(results) + growth(results)
    text += "\n" + start_up_table(4 * options.runs)
    if options.output:
        options.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
