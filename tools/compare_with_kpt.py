"""Updates one package with kpt and with pkgupdate, and prints what each did, as Markdown.

Both get the same input: `comparison_package.py`, fetched by kpt, edited and committed. What counts
is read from the files before and after, with PyYAML, not from what the programs say.

    python tools/compare_with_kpt.py [PAGE.md]

With a page, the text goes between its lines ``<!-- comparison -->``. `kpt`, `git` and an installed
`pkgupdate` are needed.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from comparison_package import OF_UPSTREAM, edit_locally, upstream_package
from sandbox import Sandbox

MARK = "<!-- comparison -->"
_WRITTEN_BY_KPT = "internal.kpt.dev/upstream-identifier"


class Place(Sandbox):
    """The upstream repository and the fetched package."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, date="2025-01-01T12:00:00Z")

    def prepare(self) -> None:
        """Make the upstream repository with v1 and v2, and the team's repository `kpt`."""
        for repository in ("upstream", "kpt"):
            self.run("", "git", "init", "--quiet", "--initial-branch=main", repository)
        for tag, edits in ("v1", ()), ("v2", OF_UPSTREAM):
            write(self.folder / "upstream" / "shop", upstream_package(edits))
            self.commit("upstream", f"shop {tag}")
            self.run("upstream", "git", "tag", tag)
        address = f"file://{self.folder}/upstream/.git/shop"
        self.run("kpt", "kpt", "pkg", "get", f"{address}@v1", "shop")
        self.commit("kpt", "Fetch shop v1")
        edit_locally(self.folder / "kpt" / "shop")
        self.commit("kpt", "Make shop our own")


def write(folder: Path, files: dict[str, str]) -> None:
    """Write text by path."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


Fact = tuple[str, str, str]
"""Resource, path, value: a leaf, a line of a text, or an item of a list of scalars."""


@dataclass(frozen=True)
class Package:
    """Text by path, and what it says."""

    files: dict[str, str]

    @classmethod
    def read(cls, folder: Path) -> Package:
        """The package in a folder."""
        return cls({path.name: path.read_text() for path in sorted(folder.iterdir())})

    @cached_property
    def facts(self) -> set[Fact]:
        """Everything that the resources state."""
        return {
            (resource, path, value)
            for file, document in self._documents()
            for resource in [_resource(file, document)]
            for path, value in _leaves(document)
        }

    @cached_property
    def comments(self) -> Counter[tuple[str, str]]:
        """How often each comment stands in each file; kpt's own marks aside."""
        found = Counter(
            (file, comment)
            for file, text in self.files.items()
            for line in text.splitlines()
            for comment in re.findall(r"(?:^|\s)#\s*(.+?)\s*$", line)
        )
        return Counter({key: n for key, n in found.items() if "kpt-merge:" not in key[1]})

    @property
    def resources(self) -> int:
        """The number of resources, the Kptfile aside."""
        return sum(file != "Kptfile" for file, _ in self._documents())

    def _documents(self) -> Iterator[tuple[str, Any]]:
        for file, text in self.files.items():
            for document in yaml.load_all(text, Loader=yaml.BaseLoader):
                yield file, document


def _resource(file: str, document: Any) -> str:
    return f"{document['kind']}/{document['metadata']['name']}" if file != "Kptfile" else file


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of a value, in a form that does not depend on where in a list they stand."""
    if path in ("upstream", "upstreamLock", "metadata.name"):
        return
    if isinstance(value, dict) and value:
        for key, child in value.items():
            if key != _WRITTEN_BY_KPT and child != {_WRITTEN_BY_KPT: ""}:
                yield from _leaves(child, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list) and value:
        for item in value:
            name = _item_name(item)
            yield from _leaves(item, f"{path}[{name}]")
    elif isinstance(value, str) and "\n" in value:
        for line in value.splitlines():
            yield path, line
    else:
        yield path, str(value)


def _item_name(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    for key in ("name", "alert", "image"):
        if key in item:
            return str(item[key]).rsplit(":", 1)[0]
    return "/".join(",".join(item[key]) for key in ("apiGroups", "resources") if key in item)


@dataclass(frozen=True)
class Outcome:
    """The package after an update, how many lines and files that changed, and what was printed."""

    package: Package
    lines: int
    files: int
    said: str

    def fate(self, fact: Fact) -> str:
        """What became of a local value."""
        if fact in self.package.facts:
            return "kept"
        return "overwritten, reported" if fact[2] in self.said else "overwritten, silently"


def update(place: Place, where: str, *command: str) -> Outcome:
    """Run an update in a repository and measure it."""
    said = place.run(where, *command, with_stderr=True)
    place.run(where, "git", "add", "--all")
    rows = place.run(where, "git", "diff", "--cached", "--numstat").splitlines()
    lines = sum(int(row.split("\t")[0]) + int(row.split("\t")[1]) for row in rows)
    return Outcome(Package.read(place.folder / where / "shop"), lines, len(rows), said)


@dataclass(frozen=True)
class Input:
    """The three versions that go into the updates, and what they say of each other."""

    v1: Package
    v2: Package
    local: Package

    @cached_property
    def of_the_team(self) -> set[Fact]:
        """What only the local version states."""
        return self.local.facts - self.v1.facts

    @cached_property
    def of_upstream(self) -> set[Fact]:
        """What upstream changed."""
        return self.v2.facts - self.v1.facts

    @cached_property
    def uncontested(self) -> set[Fact]:
        """What upstream changed and the team did not."""
        return {fact for fact in self.of_upstream if not _rivals(fact, self.of_the_team)}

    def fates(self, outcome: Outcome) -> Counter[str]:
        """How many local values had which fate."""
        return Counter(outcome.fate(fact) for fact in self.of_the_team)

    def values_lost(self, outcome: Outcome) -> int:
        """Values that neither side changed and that are gone."""
        return len((self.local.facts & self.v1.facts & self.v2.facts) - outcome.package.facts)

    def comments_lost(self, outcome: Outcome) -> int:
        """Local comments that are gone, though upstream did not take them away."""
        return sum(
            max(0, number - outcome.package.comments[key])
            for key, number in self.local.comments.items()
            if self.v2.comments[key] >= self.v1.comments[key]
        )


def compare(place: Place) -> str:
    """Prepare, update in every way, and describe the results."""
    place.prepare()
    for copy in ("rules", "local"):
        shutil.copytree(place.folder / "kpt", place.folder / copy)
    versions = Input(
        Package(upstream_package()),
        Package(upstream_package(OF_UPSTREAM)),
        Package.read(place.folder / "kpt" / "shop"),
    )
    command = str(Path(sys.executable).with_name("pkgupdate")), "update", "shop@v2"
    return describe(
        versions,
        {
            "kpt pkg update": update(place, "kpt", "kpt", "pkg", "update", "shop@v2"),
            "pkgupdate update": update(place, "rules", *command),
            "… --on-conflict local": update(place, "local", *command, "--on-conflict", "local"),
        },
    )


def describe(versions: Input, outcomes: dict[str, Outcome]) -> str:
    """Two tables: the figures, and what became of each contested value."""

    def row(*cells: object) -> str:
        return f"| {' | '.join(map(str, cells))} |"

    def head(*first: str) -> list[str]:
        titles = [f"`{title}`" for title in outcomes]
        return [row(*first, *titles), "|" + "---|" * (len(first) + len(titles))]

    measures: dict[str, Callable[[Outcome], int]] = {
        "files changed": lambda outcome: outcome.files,
        "lines changed (added and deleted ones, as `git diff --numstat` counts)": (
            lambda outcome: outcome.lines
        ),
        **{
            f"local values {fate}": lambda outcome, fate=fate: versions.fates(outcome)[fate]
            for fate in ("overwritten, silently", "overwritten, reported")
        },
        "comments lost": versions.comments_lost,
        "values lost that nobody changed": versions.values_lost,
        f"upstream's {len(versions.uncontested)} changes that collide with nothing: arrived": (
            lambda outcome: len(versions.uncontested & outcome.package.facts)
        ),
    }
    contested = {
        fact
        for fact in versions.of_the_team
        if any(fact not in outcome.package.facts for outcome in outcomes.values())
    }
    lines = [
        f"{versions.local.resources} resources in {len(versions.local.files)} files. Upstream "
        f"changed {len(versions.of_upstream)} values, the team {len(versions.of_the_team)}.",
        "",
        *head(""),
        *(row(what, *map(measure, outcomes.values())) for what, measure in measures.items()),
        "",
        "What became of the local values that at least one of them overwrote:",
        "",
        *head("resource", "path", "local value"),
        *(
            row(
                resource,
                f"`{path}`",
                f"`{value}`",
                *(outcome.fate((resource, path, value)) for outcome in outcomes.values()),
            )
            for resource, path, value in sorted(contested)
        ),
    ]
    return "\n".join(lines) + "\n"


def _rivals(fact: Fact, facts: set[Fact]) -> bool:
    """Does another one of the facts state something about the same single value?"""
    is_part_of_many = fact[1].endswith("[]") or fact[1].endswith(".properties")
    return not is_part_of_many and any(fact[:2] == other[:2] for other in facts)


def main() -> None:
    """Print the comparison, or put it into a page."""
    with tempfile.TemporaryDirectory() as folder:
        text = compare(Place(Path(folder)))
    if len(sys.argv) < 2:
        sys.stdout.write(text)
        return
    page = Path(sys.argv[1])
    before, _, after = page.read_text().split(MARK)
    page.write_text(f"{before}{MARK}\n{text}\n{MARK}{after}")


if __name__ == "__main__":
    main()
