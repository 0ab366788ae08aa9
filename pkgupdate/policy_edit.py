"""Protections added to, and taken from, the text of a policy file; every other byte stays."""

from __future__ import annotations

from pkgupdate.document.apply import apply_edits
from pkgupdate.document.document import Document
from pkgupdate.document.edits import DeleteEntry, Edit, FromData, InsertEntry, SetValue
from pkgupdate.document.nodes import Mapping, Sequence
from pkgupdate.document.values import Value
from pkgupdate.merge.policy import Target
from pkgupdate.paths import format_path
from pkgupdate.policy_file import API_VERSION, KIND, POLICY_FILE

NEW_POLICY = f"""\
apiVersion: {API_VERSION}
kind: {KIND}
metadata:
  name: update-policy
  annotations:
    config.kubernetes.io/local-config: "true"
protect:
"""


def with_protection(text: str, target: Target) -> str:
    """The text of a policy file (`NEW_POLICY` for one to be made) with one more protection.

    Takes a text that `policy_file` accepts. Raises DocumentError `edit-failed`.
    """
    document, root = _parsed(text)
    item: dict[Value, Value] = {"resource": target.resource}
    if target.path:
        item["path"] = format_path(target.path)
    index = root.index("protect")
    edit: Edit
    if index < 0:
        edit = InsertEntry(root, len(root.entries) - 1, "protect", FromData([item]))
    else:
        protect = root.entries[index].value
        if isinstance(protect, Sequence) and protect.entries:
            edit = InsertEntry(protect, len(protect.entries) - 1, None, FromData(item))
        else:
            edit = SetValue(root, index, FromData([item]))
    return apply_edits(document, [edit])


def without_protection(text: str, protected: tuple[Target, ...], target: Target) -> str:
    """The text without every entry of `protect` that is `target`; no list stays empty.

    protected: what `policy_file` read from this text. Raises DocumentError `edit-failed`.
    """
    document, root = _parsed(text)
    protect = root.get("protect")
    assert isinstance(protect, Sequence)
    edits: list[Edit] = [DeleteEntry(protect, i) for i, t in enumerate(protected) if t == target]
    if len(edits) == len(protected):
        edits = [DeleteEntry(root, root.index("protect"))]
    return apply_edits(document, edits)


def _parsed(text: str) -> tuple[Document, Mapping]:
    document = Document(text, name=POLICY_FILE)
    assert isinstance(document.root, Mapping)
    return document, document.root
