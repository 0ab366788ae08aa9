"""The `upstream` and `upstreamLock` sections of a Kptfile: read, and set without loss.

    upstream:                      upstreamLock:
      type: git                      type: git
      git:                           git:
        repo: …                        repo: …
        directory: …                   directory: …
        ref: …                         ref: …
      updateStrategy: …                commit: …

Setting them edits the text: only values that differ change, what is missing is added where kpt
would write it, comments and layout stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pkgupdate.document.document import BOM, Document
from pkgupdate.document.nodes import Alias, Node, Scalar
from pkgupdate.document.nodes import Mapping as MappingNode
from pkgupdate.document.stream import decode
from pkgupdate.document.values import Value
from pkgupdate.errors import DocumentError, Location, PackageError
from pkgupdate.package.kinds import KPTFILE

if TYPE_CHECKING:
    from pkgupdate.document.edits import Edit

_Fields: TypeAlias = "Mapping[str, str | _Fields]"

_SECTIONS = ("apiVersion", "kind", "metadata", "upstream", "upstreamLock")
_HINT = "a Kptfile is one YAML document with apiVersion: kpt.dev/v1 and kind: Kptfile"


class UpstreamSection(NamedTuple):
    """What a package follows. Empty `ref`: the default branch; empty `strategy`: the default."""

    repo: str
    directory: str
    ref: str
    strategy: str = ""


class LockSection(NamedTuple):
    """What was last fetched."""

    repo: str
    directory: str
    ref: str
    commit: str


class Kptfile(NamedTuple):
    """A Kptfile that was read. `file` is its path for messages."""

    document: Document
    file: str
    name: str
    upstream: UpstreamSection | None
    lock: LockSection | None

    def require_upstream(self) -> UpstreamSection:
        """The `upstream` section. Raises PackageError `upstream-missing`."""
        if self.upstream is None:
            raise PackageError(
                "upstream-missing",
                "the Kptfile does not say what the package follows",
                where=Location(file=self.file),
                why="it has no section `upstream`",
                hint="add upstream.git with repo, directory and ref, "
                "or fetch the package with: pkgupdate get",
            )
        return self.upstream


def read_kptfile(content: bytes, file: str = KPTFILE) -> Kptfile:
    """Read the Kptfile. Raises PackageError `kptfile-broken`, with the line."""
    text = decode(content)
    if text is None:
        raise _broken(file, 0, "it is not UTF-8 text")
    try:
        document = Document(text, name=file)
    except DocumentError as e:
        raise _broken(file, e.where.line, e.why or e.what) from e
    if not isinstance(document.root, MappingNode):
        raise _broken(file, 1, "it is not a map")
    reader = _Reader(document, file)
    metadata = document.root.get("metadata")
    return Kptfile(document, file, reader.text(metadata, "name"), reader.upstream(), reader.lock())


class _Reader:
    """Reads sections by their text, so that `ref: 1.10` stays `1.10`."""

    def __init__(self, document: Document, file: str) -> None:
        assert isinstance(document.root, MappingNode)
        self._document = document
        self._root = document.root
        self._file = file

    def upstream(self) -> UpstreamSection | None:
        section = self._map(self._root, "upstream")
        if section is None:
            return None
        git = self._git(section)
        return UpstreamSection(
            self._required(git, "repo", "upstream.git"),
            self.text(git, "directory") or "/",
            self.text(git, "ref"),
            self.text(section, "updateStrategy"),
        )

    def lock(self) -> LockSection | None:
        section = self._map(self._root, "upstreamLock")
        git = self._git(section) if section is not None else None
        if git is None or not self.text(git, "commit"):
            return None
        return LockSection(
            self._required(git, "repo", "upstreamLock.git"),
            self.text(git, "directory") or "/",
            self.text(git, "ref"),
            self.text(git, "commit"),
        )

    def text(self, parent: Node | None, key: str) -> str:
        """The scalar below a key as written, empty if there is none."""
        node = _followed(parent.get(key)) if isinstance(parent, MappingNode) else None
        if node is None:
            return ""
        if not isinstance(node, Scalar):
            raise self._broken(node, f"{key} has to be a text")
        return "" if node.text in ("null", "~") and not node.style else node.text

    def _git(self, section: MappingNode) -> MappingNode:
        kind = self.text(section, "type")
        if kind not in ("", "git"):
            raise self._broken(section, f"type {kind!r} is not known; the only one is git")
        git = self._map(section, "git")
        if git is None:
            raise self._broken(section, "`git` with repo, directory and ref is missing")
        return git

    def _required(self, git: MappingNode, key: str, where: str) -> str:
        text = self.text(git, key)
        if not text:
            raise self._broken(git, f"{where}.{key} is missing or empty")
        return text

    def _map(self, parent: MappingNode, key: str) -> MappingNode | None:
        node = _followed(parent.get(key))
        if node is None or (isinstance(node, Scalar) and not isinstance(node.data, str)):
            return None
        if not isinstance(node, MappingNode):
            raise self._broken(node, f"{key} has to be a map")
        return node if node.entries else None

    def _broken(self, node: Node, why: str) -> PackageError:
        return _broken(self._file, self._document.line_of(node.start), why)


def set_upstream(kptfile: Kptfile, upstream: UpstreamSection, lock: LockSection) -> bytes:
    """The Kptfile with these sections. An empty strategy leaves the one that is there.

    Raises DocumentError `edit-failed` if the text cannot be edited safely.
    """
    strategy = {"updateStrategy": upstream.strategy} if upstream.strategy else {}
    follows = {"repo": upstream.repo, "directory": upstream.directory, "ref": upstream.ref}
    fetched = {
        "repo": lock.repo,
        "directory": lock.directory,
        "ref": lock.ref,
        "commit": lock.commit,
    }
    sections: dict[str, _Fields] = {
        "upstream": {"type": "git", "git": follows, **strategy},
        "upstreamLock": {"type": "git", "git": fetched},
    }
    return _edited(kptfile.document, sections)


def set_name(kptfile: Kptfile, name: str) -> bytes:
    """The Kptfile with this `metadata.name`. Raises DocumentError `edit-failed`."""
    return _edited(kptfile.document, {"metadata": {"name": name}})


def _edited(document: Document, sections: _Fields) -> bytes:
    assert isinstance(document.root, MappingNode)
    edits = list(_edits(document.root, sections, _SECTIONS))
    if not edits:
        return (BOM * document.bom + document.text).encode()
    from pkgupdate.document.apply import apply_edits

    return apply_edits(document, edits).encode()


def _edits(node: MappingNode, fields: _Fields, order: Sequence[str]) -> Iterator[Edit]:
    """What makes the fields of a map equal to `fields`; `order` says where new ones go."""
    from pkgupdate.document.edits import FromData, InsertEntry, SetValue

    for key, value in fields.items():
        index = node.index(key)
        if index < 0:
            before = order[: order.index(key)]
            after = max((node.index(known) for known in before), default=-1)
            yield InsertEntry(node, after, key, FromData(_data(value)))
            continue
        present = node.entries[index].value
        if isinstance(value, str):
            target = _followed(present)
            if not isinstance(target, Scalar) or target.text != value:
                yield SetValue(node, index, FromData(value))
        elif isinstance(present, MappingNode):
            yield from _edits(present, value, list(value))
        else:
            yield SetValue(node, index, FromData(_data(value)))


def _data(value: str | _Fields) -> Value:
    if isinstance(value, str):
        return value
    return {key: _data(below) for key, below in value.items()}


def _followed(node: Node | None) -> Node | None:
    return node.target if isinstance(node, Alias) else node


def _broken(file: str, line: int, why: str) -> PackageError:
    return PackageError(
        "kptfile-broken",
        "the Kptfile cannot be read",
        where=Location(file=file, line=line),
        why=why,
        hint=_HINT,
    )
