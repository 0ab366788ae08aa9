"""The identity of a resource: group, kind, namespace and name.

Most texts tell theirs by a few lines at the left margin, so that a large file need not be parsed to
find the one document that changed; what is written in any other way is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pkgupdate.document.merge_comment import read_merge_comment
from pkgupdate.document.values import NULL, MaybeValue, resolve_plain, to_plain
from pkgupdate.errors import DocumentError

if TYPE_CHECKING:
    from pkgupdate.document.stream import Part


class Identity(NamedTuple):
    """What a resource is called, whatever version of its API it is written in.

    namespace: as written; empty if it is not. name: `metadata.name`, else `generateName`, else
    empty, as of a `List` or a `Kustomization`.
    """

    group: str
    kind: str
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        """``apps/Deployment/shop/web``; parts that are empty are left out."""
        return "/".join(part for part in (self.group, self.kind, self.namespace, self.name) if part)

    @property
    def is_named(self) -> bool:
        """Can the resource be told from others of its kind?"""
        return bool(self.name)

    def renamed(self, namespace: str, name: str) -> Identity:
        """The same kind of resource under another name."""
        return Identity(self.group, self.kind, namespace, name)


def identity_of(data: MaybeValue) -> Identity | None:
    """The identity that a resource's data state; None for what is no resource."""
    if not isinstance(data, dict):
        return None
    api_version, kind = data.get("apiVersion"), data.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str) or not kind:
        return None
    metadata = data.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    name = _text(fields.get("name", NULL)) or _text(fields.get("generateName", NULL))
    group = api_version.rpartition("/")[0]
    return Identity(group, kind, _text(fields.get("namespace", NULL)), name)


def identity_of_part(part: Part) -> Identity | None:
    """The identity of a document of a file; None for what is no resource or cannot be parsed."""
    scanned = _scan(part.text)
    if isinstance(scanned, Identity):
        return scanned
    if not scanned:
        return None
    try:
        return identity_of(part.document.data)
    except DocumentError:
        return None


def identity_when_fetched(part: Part, current: Identity | None) -> Identity | None:
    """The identity by the merge comment, where there is one, else the `current` one."""
    comment = read_merge_comment(part.text) if current else None
    return current.renamed(*comment) if current and comment else current


_SCALAR = r"""(?:"(?P<{0}_d>[^"\\\n]*)"|'(?P<{0}_s>[^'\n]*)'|(?P<{0}_p>[A-Za-z][\w./:-]*))"""
_END = r"[ \t]*(?:[ \t]#[^\n]*)?\r?$"
_TOP = re.compile(rf"^(?P<key>apiVersion|kind):[ \t]+{_SCALAR.format('v')}{_END}", re.MULTILINE)
_METADATA = re.compile(rf"^metadata:{_END}\n(?P<body>(?:(?:[ \t]+[^\n]*|#[^\n]*|\r?)\n)*)", re.M)
_FIELD = re.compile(rf"(?P<key>name|namespace|generateName):[ \t]+{_SCALAR.format('v')}{_END}")
_HINT = re.compile(r"apiVersion.*?:.*kind.*?:|kind.*?:.*apiVersion.*?:", re.DOTALL)


def _scan(text: str) -> Identity | bool:
    """The identity as plain lines give it; False: no resource, True: only a parser can tell."""
    top: dict[str, str] = {}
    for match in _TOP.finditer(text):
        if match["key"] in top:
            return True
        top[match["key"]] = _value(match)
    if not top:
        return _HINT.search(text) is not None
    metadata = _scan_metadata(text)
    if len(top) != 2 or not top["kind"] or metadata is None:
        return True
    name = metadata.get("name") or metadata.get("generateName") or ""
    group = top["apiVersion"].rpartition("/")[0]
    return Identity(group, top["kind"], metadata.get("namespace", ""), name)


def _scan_metadata(text: str) -> Mapping[str, str] | None:
    """The fields that name the resource; None if they are not written as plain lines."""
    match = _METADATA.search(text if text.endswith("\n") else text + "\n")
    if match is None:
        return None if "metadata" in text else {}
    return _naming_fields(match["body"])


@lru_cache(maxsize=1 << 12)  # the versions of a resource mostly have the same metadata
def _naming_fields(body: str) -> Mapping[str, str] | None:
    indent = ""
    found: dict[str, str] = {}
    for line in body.split("\n"):
        content = line.lstrip(" ")
        if not content.strip() or content.startswith("#"):
            continue
        indent = indent or line[: len(line) - len(content)]
        if len(indent) != len(line) - len(content) or _is_other_field(content):
            continue
        field = _FIELD.match(content)
        if field is None or field["key"] in found or _is_typed(field):
            return None
        found[field["key"]] = _value(field)
    return found


def _is_other_field(content: str) -> bool:
    key = re.match(r"[A-Za-z]\w*(?=:)", content)
    return key is not None and key[0] not in ("name", "namespace", "generateName")


def _is_typed(match: re.Match[str]) -> bool:
    """Is the value a word that YAML reads as something else than a string?"""
    return not isinstance(resolve_plain(match["v_p"] or "a"), str)


def _value(match: re.Match[str]) -> str:
    return match["v_d"] or match["v_s"] or match["v_p"] or ""


def _text(value: MaybeValue) -> str:
    """Names that a YAML reader takes for a number are names all the same."""
    if isinstance(value, str):
        return value
    plain = to_plain(value)
    return str(plain).lower() if isinstance(plain, bool | int | float | str) else ""
