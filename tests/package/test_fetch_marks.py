"""What `kpt pkg get` writes into resources is no local change, and is not reported as one."""

from __future__ import annotations

import pytest

from pkgupdate.merge.decisions import Kind
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.tree import FileKind, FileState, MemoryTree

RESOURCE = """\
apiVersion: v1
kind: ConfigMap
metadata:{comment}
  name: web
{annotations}data:
  a: "{a}"
"""
MARK = "    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|web'\n"
OWN = "    example.com/owner: shop\n"


def _tree(text: str) -> MemoryTree:
    return MemoryTree({"web.yaml": FileState(FileKind.FILE, text.encode())})


@pytest.mark.parametrize(
    ("fetched", "local", "kept"),
    [
        ("", "  annotations:\n" + MARK, 0),
        ("  annotations:\n" + OWN, "  annotations:\n" + OWN + MARK, 0),
        ("", "  annotations:\n" + MARK + OWN, 1),
        ("", "  annotations:\n" + OWN, 1),
    ],
)
def test_marks_of_a_fetch_are_not_kept_changes(fetched: str, local: str, kept: int) -> None:
    sides = Sides(
        _tree(RESOURCE.format(comment="", annotations=fetched, a=1)),
        _tree(RESOURCE.format(comment="", annotations=fetched, a=2)),
        _tree(RESOURCE.format(comment=" # kpt-merge: /web", annotations=local, a=1)),
    )
    result = merge_trees(sides, policy=Policy(in_detail=True))
    assert [d.kind for d in result.decisions].count(Kind.KEPT) == kept
    [change] = result.changes
    assert change.after is not None
    assert change.after.content.decode() == RESOURCE.format(
        comment=" # kpt-merge: /web", annotations=local, a=2
    )
