"""The policies of the packages inside of a package, where one update takes all of them along."""

from __future__ import annotations

from dataclasses import replace

from pkgupdate.errors import Location, PolicyError
from pkgupdate.merge.policy import Policy, Target
from pkgupdate.package.kinds import KPTFILE
from pkgupdate.package.tree import Tree
from pkgupdate.policy_file import POLICY_FILE, parse_policy


def with_inner_protections(policy: Policy, tree: Tree) -> Policy:
    """The policy of a package with what the policy files of its subpackages protect.

    All else that those say counts where such a subpackage is updated by itself. Raises as
    `read_policy_file` does.
    """
    found: list[Target] = []
    for path in tree.entries:
        directory = path.removesuffix("/" + POLICY_FILE)
        if directory == path or f"{directory}/{KPTFILE}" not in tree.entries:
            continue
        protected = parse_policy(_text(tree, path), path).protected
        found += [target._replace(directory=directory) for target in protected]
    return replace(policy, protected=(*policy.protected, *found)) if found else policy


def policy_in(policy: Policy, directory: str) -> Policy:
    """The policy as it reads inside a directory: its file paths lose that prefix."""
    if not directory:
        return policy
    prefix = directory + "/"
    choices = {
        (file.removeprefix(prefix), resource, path, subject): choice
        for (file, resource, path, subject), choice in policy.choices.items()
        if file.startswith(prefix)
    }
    protected, scope = (
        tuple(inner for target in targets if (inner := target.inside(directory)))
        for targets in (policy.protected, policy.scope)
    )
    return replace(policy, protected=protected, scope=scope, choices=choices)


def _text(tree: Tree, path: str) -> str:
    try:
        return tree.read(path).decode("utf-8")
    except UnicodeDecodeError as e:
        raise PolicyError(
            "policy-unreadable",
            "cannot read the settings file",
            where=Location(path),
            why="it is not UTF-8 text",
        ) from e
