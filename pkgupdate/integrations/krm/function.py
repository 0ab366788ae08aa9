"""One run of the function: a list in, a list with results out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pkgupdate.document.stream import Stream, decode
from pkgupdate.errors import DocumentError, Location, PackageError, PkgUpdateError
from pkgupdate.integrations.krm.annotations import PATHS, SET, annotations_of
from pkgupdate.integrations.krm.config import MERGE, Mode, read_config
from pkgupdate.integrations.krm.narrowing import Narrowing
from pkgupdate.integrations.krm.package import ItemPackage
from pkgupdate.integrations.krm.resource_list import (
    NAME,
    ResourceList,
    read_resource_list,
    write_resource_list,
)
from pkgupdate.integrations.krm.results import (
    ERROR,
    INFO,
    WARNING,
    Result,
    error_result,
    located,
    report_results,
    result,
)
from pkgupdate.integrations.krm.write_back import write_back
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import FileChange
from pkgupdate.package.identity import Identity, identity_of_part
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.sources import below
from pkgupdate.package.tree import Tree
from pkgupdate.policy_file import POLICY_FILE, parse_policy
from pkgupdate.report.model import Report, make_report, report_plan
from pkgupdate.report.text import summary
from pkgupdate.settings import near_match

if TYPE_CHECKING:
    from pkgupdate.config import Config


@dataclass(slots=True)
class Outcome:
    """text: the list that goes out. results: its results. has_failed: does the function exit 1?"""

    text: str
    results: list[Result] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Is there an error among the results?"""
        return any(found["severity"] == ERROR for found in self.results)


def run_function(data: bytes) -> Outcome:
    """Carry out what a `ResourceList` asks for.

    Failures that a user can understand end as one result of severity error, with the items as they
    came (none, if the list cannot be read).
    """
    source = ResourceList()
    try:
        text = decode(data)
        if text is None:
            raise DocumentError(
                "not-a-resource-list", "the input is not UTF-8 text", where=Location(NAME)
            )
        source = read_resource_list(text)
        items, results = _Run(source).run()
    except PkgUpdateError as e:
        items, results = None, [error_result(e)]
    except OSError as e:
        items, results = None, [error_result(_refused(e))]
    if items is None or any(found["severity"] == ERROR for found in results):
        items = [item.listed for item in source.items]
    return Outcome(write_resource_list(source, items, results), results)


@dataclass(slots=True)
class _Merged:
    """What a merge found: the report of it, changes of files, files that cannot be items."""

    report: Report
    changes: list[FileChange]
    left_out: list[str]


class _Run:
    """The run on one list."""

    def __init__(self, source: ResourceList) -> None:
        self._items = source.items
        self._config = read_config(source.function_config)
        self._sets = self._read_sets()
        in_sets = {number for numbers in self._sets.values() for number in numbers}
        local = [number for number in range(len(self._items)) if number not in in_sets]
        self._local = ItemPackage(self._items, local)
        self._narrowing = Narrowing(self._local)

    def run(self) -> tuple[list[str], list[Result]]:
        """All items as the list holds them, and the results."""
        settings = self._settings()
        fails = settings["on_conflict"] == "fail"
        findings = list(self._findings()) if self._config.mode is Mode.CHECK else []
        merged = self._merge(settings)
        locate = located(self._documents(merged.changes))
        results = findings + list(
            report_results(merged.report, locate, collision=ERROR if fails else WARNING)
        )
        results += (_left_out(path) for path in merged.left_out)
        if self._config.mode is Mode.CHECK and merged.changes:
            results.append(_due(merged.report))
        if self._config.mode is not Mode.UPDATE:
            results += (_planned(change) for change in merged.changes)
            return [item.listed for item in self._items], results
        in_sets = {number for numbers in self._sets.values() for number in numbers}
        texts = write_back(
            self._items, self._local, merged.changes, self._narrowing.loans, left_out=in_sets
        )
        return texts, results

    def _read_sets(self) -> dict[str, list[int]]:
        """The positions of the items of `original` and `upstream`; empty without such sets."""
        if self._config.kind != MERGE:
            return {}
        sides = {name: side for side, name in self._config.sets.items()}
        found: dict[str, list[int]] = {side: [] for side in sides.values()}
        for number, item in enumerate(self._items):
            name = annotations_of(item.data).get(SET)
            if name is None:
                continue
            if name not in sides:
                raise PackageError(
                    "set-unknown",
                    f"an item is of the set {name!r}, which the configuration does not name",
                    where=Location(annotations_of(item.data).get(PATHS[0], "")),
                    hint=near_match(name, tuple(sides)) or f"known: {', '.join(sides)}",
                )
            found[sides[name]].append(number)
        for name, side in sides.items():
            if not found[side]:
                raise PackageError(
                    "set-missing",
                    f"no item is of the set {name!r}, which is to be {side}",
                    hint=f"annotate its items with {SET}: {name}",
                )
        return found

    def _settings(self) -> Config:
        """Configuration of the function over environment over policy file, as for `update`."""
        from pkgupdate.config import load_config

        policy = None
        if POLICY_FILE in self._local.files:
            policy = parse_policy(self._local.read(POLICY_FILE).decode())
        config = load_config(None, self._config.settings, policy=policy)
        return replace(
            config,
            protected=(*config.protected, *self._config.protected),
            scope=self._config.scope or config.scope,
        )

    def _merge(self, settings: Config) -> _Merged:
        is_trial = self._config.mode is not Mode.UPDATE
        if self._config.kind == MERGE:
            return self._merge_sets(settings, is_trial)
        from pkgupdate.update.plan import plan_tree

        options = settings.update_options(self._config.ref)
        plan = plan_tree(self._local, options, self._narrowing)
        report = report_plan("fn", plan, dry_run=is_trial)
        return _Merged(report, plan.changes, self._narrowing.left_out)

    def _merge_sets(self, settings: Config, is_trial: bool) -> _Merged:
        from pkgupdate.package.merge import merge_trees

        original, upstream = (
            ItemPackage(self._items, self._sets[side], is_required=False)
            for side in ("original", "upstream")
        )
        trees: Sides[Tree] = Sides(original, upstream, self._local)
        merge = merge_trees(
            trees,
            policy=settings.policy(),
            schema_entries=settings.schema,
            merge_comments=settings["merge_comments"],
        )
        report = make_report("fn", merge.decisions, merge.changes, dry_run=is_trial)
        return _Merged(report, merge.changes, [])

    def _findings(self) -> Iterator[Result]:
        """What an earlier merge or an edit left half done, in every package of the list."""
        from pkgupdate.integrations.git.checks import check_package, placed
        from pkgupdate.package.subpackages import package_dirs, without
        from pkgupdate.update.trees import Workspace

        inner = list(package_dirs(self._local))
        for directory in ("", *inner):
            other = [d for d in inner if d != directory and below(d, directory)]
            own = without(
                Workspace(self._local).tree(directory),
                [d[len(directory) :].lstrip("/") for d in other],
            )
            for found in placed(check_package(own), directory):
                message = f"{found.file}: {found.message}"
                tags = {"code": found.code.value}
                yield result(message, ERROR, file=found.file, tags=tags)

    def _documents(self, changes: Iterable[FileChange]) -> Iterator[tuple[str, int, Identity, str]]:
        """All resources by file: those that the changes leave first, then those that came in."""
        for change in changes:
            if change.after is not None:
                yield from _resources(change.path, change.after.content.decode())
        for path in self._local.files:
            yield from _resources(path, self._local.read(path).decode())


def _resources(path: str, text: str) -> Iterator[tuple[str, int, Identity, str]]:
    parts = [part for part in Stream(text, name=path).parts if not part.is_empty]
    for index, part in enumerate(parts):
        identity = identity_of_part(part)
        data = part.document.data if identity is not None else None
        if identity is not None and isinstance(data, dict):
            yield path, index, identity, str(data["apiVersion"])


def _refused(error: OSError) -> PkgUpdateError:
    return PkgUpdateError(
        "system-refused",
        "the system refused to read or write",
        where=Location(str(error.filename or "")),
        why=error.strerror or str(error),
    )


def _left_out(path: str) -> Result:
    return result(
        f"{path}: changed upstream, but it is no resource and so not among the items; "
        "`pkgupdate update` takes such files along",
        WARNING,
        file=path,
    )


def _planned(change: FileChange) -> Result:
    what = "change" if change.before and change.after else "add" if change.after else "delete"
    return result(f"{change.path}: the update would {what} this file", INFO, file=change.path)


def _due(report: Report) -> Result:
    return result(f"an update is due: {summary(report)}", ERROR, file=KPTFILE)
