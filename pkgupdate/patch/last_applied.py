"""The annotation in which a live object remembers what was last applied to it.

Written as base64 of a zip archive with one JSON file; read as that or as plain JSON, so that
`kubectl apply`'s own annotation can be read as well.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import zipfile
from collections.abc import Iterable
from typing import Final

from pkgupdate.errors import Location
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.values import Data, Map
from pkgupdate.paths import format_path

DEFAULT_KEY: Final = "pkgupdate.dev/last-applied"
KUBECTL_KEY: Final = "kubectl.kubernetes.io/last-applied-configuration"
MAX_ANNOTATIONS: Final = 256 * 1024
"""Bytes that all annotations of an object, keys and values, may have together in Kubernetes."""
MAX_OBJECT: Final = 16 * 1024 * 1024
"""Bytes of an unpacked last-applied object; more is refused, not unpacked."""

_MEMBER = "original"
_EPOCH = (1980, 1, 1, 0, 0, 0)


class Annotator:
    """Reads and writes the last-applied annotation.

    key: where it is written, and read first.
    fallbacks: keys that are read where `key` is not set; by default that of kubectl.
    """

    def __init__(self, key: str = DEFAULT_KEY, fallbacks: Iterable[str] = (KUBECTL_KEY,)) -> None:
        self.key = key
        self._keys = tuple(dict.fromkeys((key, *fallbacks)))

    def original(self, live: Map) -> Map | None:
        """What was last applied to the object, None if it does not say.

        Raises PatchError (`annotation-unreadable`).
        """
        annotations = _annotations(live)
        for key in self._keys:
            if isinstance(annotations.get(key), str):
                return _decode(annotations[key], key)
        return None

    def annotated(self, desired: Map) -> Map:
        """The object with the annotation set to what it states.

        Raises PatchError (`annotation-too-large`) if its annotations get larger than Kubernetes
        allows.
        """
        plain = self.plain(desired)
        annotations = {**_annotations(plain), self.key: _encode(plain)}
        size = sum(len(f"{key}{value}".encode()) for key, value in annotations.items())
        if size > MAX_ANNOTATIONS:
            raise PatchError(
                "annotation-too-large",
                f"the annotations of the object would have {size} bytes",
                where=Location(path=format_path(("metadata", "annotations", self.key))),
                why=f"Kubernetes allows {MAX_ANNOTATIONS} bytes for all annotations together",
                hint="split the object, or apply it without this annotation",
            )
        metadata = plain.get("metadata")
        fields = metadata if isinstance(metadata, dict) else {}
        return {**plain, "metadata": {**fields, "annotations": annotations}}

    def plain(self, resource: Map) -> Map:
        """The object without these annotations; empty annotations go with them."""
        metadata = resource.get("metadata")
        if not isinstance(metadata, dict) or not isinstance(metadata.get("annotations"), dict):
            return resource
        kept = {k: v for k, v in metadata["annotations"].items() if k not in self._keys}
        fields = {key: value for key, value in metadata.items() if key != "annotations"}
        return {**resource, "metadata": {**fields, "annotations": kept} if kept else fields}


def _annotations(resource: Map) -> dict[str, Data]:
    metadata = resource.get("metadata")
    found = metadata.get("annotations") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def _encode(resource: Map) -> str:
    """The same object always gives the same text."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        member = zipfile.ZipInfo(_MEMBER, _EPOCH)
        member.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(member, json.dumps(resource, ensure_ascii=False, separators=(",", ":")))
    return base64.b64encode(packed.getvalue()).decode("ascii")


def _decode(value: str, key: str) -> Map:
    try:
        data = json.loads(_unpack(value))
    except (ValueError, zipfile.BadZipFile, NotImplementedError, RecursionError) as error:
        raise _unreadable(key) from error
    if not isinstance(data, dict):
        raise _unreadable(key)
    return data


def _unpack(value: str) -> str:
    """The JSON text; a value that is no base64 is taken as it is."""
    try:
        packed = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return value
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        members = archive.infolist()
        if len(members) != 1:
            raise ValueError("not one file")
        with archive.open(members[0]) as file:
            content = file.read(MAX_OBJECT + 1)
    if len(content) > MAX_OBJECT:
        raise ValueError("too large")
    return content.decode("utf-8")


def _unreadable(key: str) -> PatchError:
    return PatchError(
        "annotation-unreadable",
        "the last-applied annotation cannot be read",
        where=Location(path=format_path(("metadata", "annotations", key))),
        why="it is neither a JSON object nor base64 of a zip archive with one",
        hint="remove the annotation, or apply the object again",
    )
