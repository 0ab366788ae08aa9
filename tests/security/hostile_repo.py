"""Git repositories with content that Git itself would not let anyone check in."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

FILE, EXEC, LINK, SUBMODULE, DIRECTORY = b"100644", b"100755", b"120000", b"160000", b"40000"


@dataclass(frozen=True)
class Entry:
    """A file of this mode; of a submodule, the content is ignored."""

    mode: bytes
    content: bytes


@dataclass(frozen=True)
class Pairs:
    """A directory by its entries, so that names can repeat."""

    entries: list[tuple[str, Node]]


Node: TypeAlias = "bytes | str | Entry | Pairs | Mapping[str, Node]"
"""A file's content, an entry with its mode, or a directory."""

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  key: %s\n"


def link(target: str) -> Entry:
    """A symbolic link."""
    return Entry(LINK, os.fsencode(target))


def config_map(name: str = "web", value: str = "one") -> str:
    return CONFIG_MAP % (name, value)


class RawRepo:
    """A bare repository whose objects are written byte by byte, without any check."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written: dict[int, tuple[Node, str]] = {}  # holds the node, or its id is used again
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", path], check=True)

    @property
    def url(self) -> str:
        return f"file://{self.path}"

    def commit(self, files: Node, *tags: str) -> str:
        """Write a tree and a commit of it on main; gives the commit's id."""
        _, tree = self._node(files)
        head = self.path / "refs/heads/main"
        parent = f"parent {head.read_text().strip()}\n" if head.exists() else ""
        who = "tester <tester@example.org> 0 +0000"
        text = f"tree {tree}\n{parent}author {who}\ncommitter {who}\n\nchange\n"
        commit = self._object("commit", text.encode())
        for ref in ("heads/main", *(f"tags/{tag}" for tag in tags)):
            (self.path / "refs" / ref).write_text(commit + "\n")
        return commit

    def _node(self, node: Node) -> tuple[bytes, str]:
        if isinstance(node, bytes | str | Entry):
            entry = node if isinstance(node, Entry) else Entry(FILE, _bytes(node))
            if entry.mode == SUBMODULE:
                return SUBMODULE, "1" * 40
            return entry.mode, self._object("blob", entry.content)
        if id(node) not in self._written:
            pairs = node.entries if isinstance(node, Pairs) else list(node.items())
            rows = []
            for name, below in pairs:
                mode, oid = self._node(below)
                order = os.fsencode(name) + (b"/" if mode == DIRECTORY else b"")
                row = mode + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(oid)
                rows.append((order, row))
            tree = self._object("tree", b"".join(row for _, row in sorted(rows)))
            self._written[id(node)] = node, tree
        return DIRECTORY, self._written[id(node)][1]

    def _object(self, kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}\0".encode() + data
        oid = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        path = self.path / "objects" / oid[:2] / oid[2:]
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(zlib.compress(whole, 1))
        return oid


def _bytes(content: bytes | str) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every path below a folder with its kind and content; links are not followed."""
    found: dict[str, tuple[int, bytes]] = {}
    for directory, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(directory) / name
            mode = path.lstat().st_mode
            if path.is_symlink():
                found[str(path)] = mode, os.fsencode(path.readlink())
            else:
                found[str(path)] = mode, path.read_bytes() if path.is_file() else b""
    return found
