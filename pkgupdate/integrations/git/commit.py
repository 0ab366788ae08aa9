"""The commit of an update: its files, and a message that says where they come from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pkgupdate.errors import PkgUpdateError
from pkgupdate.integrations.git.process import Git, top_level
from pkgupdate.merge.decisions import Kind
from pkgupdate.report.model import Changelog, Item, PackageLine, Report, report_plan
from pkgupdate.report.text import collision_block, package_line, summary
from pkgupdate.upstream.text import printable

if TYPE_CHECKING:
    from pkgupdate.update.options import UpdateOptions
    from pkgupdate.update.plan import Plan
    from pkgupdate.upstream.history import Commit

_MOST = 50
"""So many commits or decisions of a kind are written out; the rest is a number."""


def commit_update(root: Path, plan: Plan, changelog: Changelog | None = None) -> str:
    """Commit what an applied plan changed, and nothing else; the id of the commit.

    Files that Git ignores stay out of it. Raises PackageError `not-a-repository`, `git-failed`.
    """
    git = Git(top_level(root))
    paths = [str(root.resolve() / change.path) for change in plan.changes]
    listed = b"\0".join(map(os.fsencode, paths))
    ignored = set(git.run("check-ignore", "-z", "--stdin", stdin=listed).names)
    wanted = b"\0".join(os.fsencode(path) for path in paths if path not in ignored)
    from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
    git.need("--literal-pathspecs", "add", "-A", *from_stdin, stdin=wanted)
    message = commit_message(report_plan("update", plan), changelog or {})
    commit = ("commit", "-q", "--cleanup=whitespace", "-m", message, "--only")
    git.need("--literal-pathspecs", *commit, *from_stdin, stdin=wanted)
    return git.need("rev-parse", "HEAD").text


def commit_message(report: Report, changelog: Changelog) -> str:
    """Refs, upstream's commits and the decisions that a reader should know of."""
    blocks: list[list[str]] = [[_subject(report.packages)]]
    for package in report.packages:
        blocks.append(list(_package(package, changelog.get(package.directory, ()))))
    blocks.append(
        list(_listed("Collisions, the winner marked with >:", report.of_kind(Kind.COLLISION)))
    )
    blocks.append(list(_listed("Withheld by policy:", report.of_kind(Kind.WITHHELD))))
    blocks.append([summary(report)])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def read_changelog(plan: Plan, options: UpdateOptions) -> dict[str, list[Commit]]:
    """Upstream's commits of each package that moved; none for one whose history is out of reach."""
    from pkgupdate.upstream.repository import Upstream

    found = {}
    for package in plan.packages:
        if not package.from_commit or package.from_commit == package.to_commit:
            continue
        try:
            with Upstream(
                package.repo,
                cache_dir=options.cache_dir,
                offline=options.offline,
                timeout=options.timeout,
                log=options.log,
            ) as upstream:
                found[package.directory] = upstream.history(
                    package.from_commit, package.to_commit, package.upstream_directory
                )
        except PkgUpdateError:
            continue
    return found


def _subject(packages: Sequence[PackageLine]) -> str:
    first = packages[0]
    name = printable(first.name or first.directory or "package")
    if first.from_ref == first.to_ref:
        return f"Update {name} to {printable(first.to_ref)} at {first.to_commit[:7]}"
    return (
        f"Update {name} from {printable(first.from_ref or 'nothing')} to {printable(first.to_ref)}"
    )


def _package(package: PackageLine, commits: Sequence[Commit]) -> Iterator[str]:
    yield package_line(package)
    yield printable(f"  {package.repo} {package.upstream_directory}".rstrip())
    for commit in commits[:_MOST]:
        yield printable(f"  {commit.commit[:7]} {commit.subject}")
    if len(commits) > _MOST:
        yield f"  and {len(commits) - _MOST} more"


def _listed(title: str, items: Sequence[Item]) -> Iterator[str]:
    if items:
        yield title
    for item in items[:_MOST]:
        yield from collision_block(item)
    if len(items) > _MOST:
        yield f"  and {len(items) - _MOST} more"
