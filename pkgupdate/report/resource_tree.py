"""The resources of a folder as a tree of text, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pkgupdate.report.as_json import API_VERSION
from pkgupdate.report.text import Style, plain
from pkgupdate.upstream.text import printable

if TYPE_CHECKING:
    from pkgupdate.inspect.resource_tree import Branch, Leaf

KIND: Final = "ResourceTree"


def render_tree(tree: Branch, *, style: Style = plain) -> str:
    """The tree drawn with lines."""
    return "\n".join([_name(tree, style), *_below(tree, "", style)]) + "\n"


def render_tree_json(tree: Branch) -> str:
    """The tree for machines."""
    return json.dumps({"apiVersion": API_VERSION, "kind": KIND, **_data(tree)}, indent=2) + "\n"


def _below(branch: Branch, prefix: str, style: Style) -> Iterator[str]:
    members: list[Leaf | Branch] = [*branch.leaves, *branch.branches]
    for member in members:
        is_last = member is members[-1]
        corner, line = ("└── ", "    ") if is_last else ("├── ", "│   ")
        if isinstance(member, type(branch)):
            yield prefix + corner + _name(member, style)
            yield from _below(member, prefix + line, style)
        else:
            yield prefix + corner + _leaf(member, style)  # type: ignore[arg-type]


def _name(branch: Branch, style: Style) -> str:
    path = printable(branch.path)
    return style(f'Package "{path}"', "title") if branch.is_package else path


def _leaf(leaf: Leaf, style: Style) -> str:
    file = f"[{printable(leaf.file)}]"
    if leaf.identity is None:
        return f"{file}  {style('not readable: ' + printable(leaf.error), 'error')}"
    identity = leaf.identity
    name = "/".join(printable(part) for part in (identity.namespace, identity.name) if part)
    return f"{file}  {style(printable(identity.kind), 'hint')} {name}".rstrip()


def _data(branch: Branch) -> dict[str, Any]:
    return {
        "path": branch.path,
        "package": branch.is_package,
        "resources": [_leaf_data(leaf) for leaf in branch.leaves],
        "directories": [_data(below) for below in branch.branches],
    }


def _leaf_data(leaf: Leaf) -> dict[str, str]:
    identity = leaf.identity
    if identity is None:
        return {"file": leaf.file, "error": leaf.error}
    return {
        "file": leaf.file,
        "group": identity.group,
        "kind": identity.kind,
        "namespace": identity.namespace,
        "name": identity.name,
    }
