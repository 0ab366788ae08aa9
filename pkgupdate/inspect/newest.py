"""Where a package could be updated to: the newest version of what it follows."""

from __future__ import annotations

from collections.abc import Sequence

from pkgupdate.update.kptfile import LockSection, UpstreamSection
from pkgupdate.upstream.address import check_ref, normal_directory
from pkgupdate.upstream.refs import Refs, is_commit_id
from pkgupdate.upstream.repository import Upstream
from pkgupdate.upstream.resolve import Resolved, is_short_id, version_tags
from pkgupdate.upstream.versions import Constraint, is_constraint, newest, parse_version


def newest_version(
    upstream: Upstream, follows: UpstreamSection, lock: LockSection, *, prereleases: bool = False
) -> Resolved:
    """What an update of the package to the newest would take.

    | the Kptfile's ref  | result                                                               |
    |--------------------|----------------------------------------------------------------------|
    | a version tag      | the highest version among the tags that are named alike (`dir/v1.2`) |
    | a constraint       | the highest version that fits                                        |
    | a commit           | the highest version for the directory, if there is any               |
    | a branch, any else | what that ref is now                                                 |

    Prereleases count if asked for, or if the package is on one. Raises UpstreamError.
    """
    directory = normal_directory(follows.directory)
    ref = check_ref(follows.ref)
    if not ref or is_constraint(ref):
        return upstream.resolve(ref, directory, prereleases=prereleases)
    refs = upstream.refs()
    tag = lock.ref.removeprefix("refs/tags/") or ref
    is_branch = ref in refs.branches and upstream.resolve(ref, directory).kind == "branch"
    if not is_branch and (version := parse_version(_name(tag))):
        constraint = Constraint((), prereleases or bool(version.prerelease))
        best = newest(_named_alike(tag, refs), constraint)
        best_version = parse_version(_name(best)) if best else None
        if best and best_version and best_version > version:
            return Resolved(refs.tags[best], best, "tag")
    elif _is_commit(ref, refs):
        best = newest(version_tags(refs, directory), Constraint((), prereleases))
        return Resolved(refs.tags[best], best, "tag") if best else Resolved(ref, ref, "commit")
    return upstream.resolve(ref, directory, prereleases=prereleases)


def _name(tag: str) -> str:
    return tag.rpartition("/")[2]


def _named_alike(tag: str, refs: Refs) -> Sequence[str]:
    prefix = tag[: -len(_name(tag))]
    return [other for other in refs.tags if other[: -len(_name(other))] == prefix]


def _is_commit(ref: str, refs: Refs) -> bool:
    is_id = is_commit_id(ref) or is_short_id(ref)
    return is_id and ref not in refs.tags and ref not in refs.branches
