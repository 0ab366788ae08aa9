"""What our hooks do: check every package that a merge touches before the merge is committed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from pkgupdate.config import Config, load_config
from pkgupdate.errors import Location, PkgUpdateError
from pkgupdate.integrations.git.checks import check_merge, placed
from pkgupdate.integrations.git.findings import Finding
from pkgupdate.integrations.git.merge_state import MergeState, read_merge_state
from pkgupdate.integrations.git.process import Git, top_level
from pkgupdate.merge.sides import Sides
from pkgupdate.package.tree import Tree


@dataclass(slots=True)
class Outcome:
    """What a hook found. fixed: packages merged anew; updated: packages brought up to date."""

    findings: list[Finding] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)


def run_hook(*, fix: bool = False, directory: Path | None = None) -> Outcome:
    """Check the packages of the merge that is going on; outside of merges nothing is found.

    fix: merge half merged packages again from the merge base, and stage the result.
    Raises PkgUpdateError `several-branches` if that cannot be done, and what an update raises.
    """
    root = top_level(directory)
    git = Git(root)
    state = read_merge_state(git)
    if state is None:
        return Outcome()
    outcome = Outcome()
    for package, inner in state.packages().items():
        findings = _check(state, package, inner)
        if findings and fix:
            _fix(git, root, state, package, inner)
            outcome.fixed.append(package)
        outcome.findings += findings
    if outcome.fixed:
        again = run_hook(directory=directory)
        outcome.findings, outcome.updated = again.findings, again.updated
    elif not outcome.findings:
        outcome.updated = _update_asked_for(git, root, state)
    return outcome


def _check(state: MergeState, package: str, inner: set[str]) -> list[Finding]:
    merged, base, ours, *theirs = (
        tree.below(package, without=inner)
        for tree in (state.index, state.base, state.ours, *state.theirs)
    )
    return placed(check_merge(merged, base, [ours, *theirs]), package)


def _fix(git: Git, root: Path, state: MergeState, package: str, inner: set[str]) -> None:
    from pkgupdate.integrations.git.driver import read_settings
    from pkgupdate.integrations.git.markers import MarkerForm
    from pkgupdate.integrations.git.remerge import remerge, stage

    if len(state.theirs) > 1:
        raise PkgUpdateError(
            "several-branches",
            f"{package or 'the package'} cannot be merged again from several branches at once",
            hint="merge the branches one after the other",
        )
    trees = (state.base, state.theirs[0], state.ours)
    sides: Sides[Tree] = Sides(*(tree.below(package, without=inner) for tree in trees))
    form = MarkerForm(read_settings(git).style)
    stage(git, root, package, remerge(sides, form))


def _update_asked_for(git: Git, root: Path, state: MergeState) -> list[str]:
    """Update the packages that are to follow upstream on this branch, and stage the result.

    Git's `branch.NAME.pkgupdate` names them by glob. Where `pkgupdate.updateOnMerge` is set, so do
    the packages' own policies, with `branches`.
    """
    branch = git.run("symbolic-ref", "-q", "--short", "HEAD").text
    globs = git.run("config", "-z", "--get-all", f"branch.{branch}.pkgupdate").names
    opted_in = git.run("config", "--type=bool", "--get", "pkgupdate.updateOnMerge").text == "true"
    updated = []
    for package in state.packages():
        named_here = any(fnmatchcase(package or ".", glob) for glob in globs)
        if not (named_here or opted_in):
            continue
        config = load_config(root / package)
        asks = opted_in and any(fnmatchcase(branch, glob) for glob in config.branches)
        if (named_here or asks) and _update(git, root, package, config):
            updated.append(package)
    return updated


def _update(git: Git, root: Path, package: str, config: Config) -> bool:
    """Was there anything to update?

    Raises PkgUpdateError `collisions` rather than decide any, and what an update raises.
    """
    from pkgupdate.update.plan import apply_plan, exclusive, plan_update

    folder = root / package
    options = replace(config.update_options(), allow_dirty=True)
    with exclusive(folder):
        plan = plan_update(folder, options)
        if plan.collisions and config["on_conflict"] in ("rules", "fail", "ask"):
            raise PkgUpdateError(
                "collisions",
                f"updating {package or 'the package'} during the merge collides with local changes",
                where=Location(plan.collisions[0].file),
                hint="commit the merge with --no-verify, then run `pkgupdate update`",
            )
        apply_plan(plan)
    if plan.changes:
        git.need("--literal-pathspecs", "add", "-A", "--", package or ".")
    return bool(plan.changes)
