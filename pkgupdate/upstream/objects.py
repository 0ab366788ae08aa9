"""Reading objects: one `git cat-file --batch` child for any number of commits, trees and blobs."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from types import TracebackType
from typing import NamedTuple

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.cache import CacheDamaged
from pkgupdate.upstream.git import Gateway

MAX_OBJECT_BYTES = 100 * 1024 * 1024
# Questions sent before the first answer is read. They must fit into the smallest pipe (4 KiB), or
# both sides could wait for each other.
_IN_FLIGHT = 60


class GitObject(NamedTuple):
    """An object as stored; its id has been checked against its content."""

    oid: str
    type: str
    data: bytes


class ObjectReader:
    """Reads objects of a local repository by their full ids; closes its child as a context."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._process = os.getpid()
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ObjectReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child; a later read starts a new one."""
        if self._child:
            self._gateway.stop(self._child)
            self._child = None

    def read(self, oids: Iterable[str]) -> Iterator[GitObject]:
        """Yield the objects in the order of `oids`.

        Raises CacheDamaged for one that is missing or broken, UpstreamError `blob-too-large`.
        A forked copy of the process must not read: both would get answers meant for the other.
        """
        if os.getpid() != self._process:
            raise RuntimeError("objects are read only by the process that made the reader")
        queue = iter(oids)
        while batch := list(islice(queue, _IN_FLIGHT)):
            done = False
            try:
                self._ask(batch)
                answers = [self._answer(oid) for oid in batch]
                done = True
            finally:
                if not done:  # the rest of the answers would be taken for those of later questions
                    self.close()
            yield from answers

    def read_one(self, oid: str) -> GitObject:
        """Return one object; raises as `read`."""
        return next(self.read([oid]))

    def _ask(self, oids: list[str]) -> None:
        if self._child is None:
            self._child = self._gateway.start("cat-file", "--batch")
        assert self._child.stdin
        try:
            self._child.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
            self._child.stdin.flush()
        except OSError as error:
            raise CacheDamaged(f"git cat-file ended: {error}") from error

    def _answer(self, oid: str) -> GitObject:
        assert self._child and self._child.stdout
        header = self._child.stdout.readline()
        fields = header.decode("utf-8", "replace").split()
        if len(fields) != 3 or fields[0] != oid or not fields[2].isdigit():
            raise CacheDamaged(f"object {oid}: {header!r}")
        size = int(fields[2])
        if size > MAX_OBJECT_BYTES:
            raise UpstreamError(
                "blob-too-large",
                f"upstream object {oid} has {size:,} bytes",
                why=f"the limit is {MAX_OBJECT_BYTES:,} bytes",
            )
        data = self._child.stdout.read(size + 1)
        if len(data) != size + 1 or _object_id(fields[1], data[:-1], len(oid)) != oid:
            raise CacheDamaged(f"object {oid} is broken")
        return GitObject(oid, fields[1], data[:-1])


def _object_id(kind: str, data: bytes, length: int) -> str:
    digest = hashlib.sha1(usedforsecurity=False) if length == 40 else hashlib.sha256()
    digest.update(f"{kind} {len(data)}\0".encode())
    digest.update(data)
    return digest.hexdigest()
