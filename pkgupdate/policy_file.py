"""The policy file of a package, `pkgupdate.yaml`, and the user's own settings file.

The policy file is a resource of kind UpdatePolicy with kpt's local-config annotation, so that it is
never applied to a cluster. docs/policy.md describes every field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pkgupdate.errors import Location, PkgUpdateError, PolicyError
from pkgupdate.merge.policy import Target
from pkgupdate.paths import parse_pattern
from pkgupdate.settings import BY_KEY, Where, checked, near_match

if TYPE_CHECKING:
    from pkgupdate.document import nodes
    from pkgupdate.document.document import Document
    from pkgupdate.schema.entries import SchemaEntry

POLICY_FILE: Final = "pkgupdate.yaml"
API_VERSION: Final = "pkgupdate.dev/v1alpha1"
KIND: Final = "UpdatePolicy"
_HEADER = ("apiVersion", "kind", "metadata")
_LISTS = ("protect", "scope", "schema", "branches")
_SCHEMA_FIELDS = ("resource", "path", "type", "keys", "defaults")
_LIST_TYPES = ("map", "set", "atomic")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a file of settings says.

    values: by the setting's name. protected, scope: places. schema: how lists merge.
    branches: globs of the branches into which a merge updates the package.
    """

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    protected: tuple[Target, ...] = ()
    scope: tuple[Target, ...] = ()
    schema: tuple[SchemaEntry, ...] = ()
    branches: tuple[str, ...] = ()


def read_policy_file(package: Path) -> SettingsFile | None:
    """The policy file of the package in this folder, None if it has none.

    Raises PolicyError or DocumentError with file, line and near match.
    """
    return _read(package / POLICY_FILE, "policy")


def read_user_file(path: Path) -> SettingsFile | None:
    """The user's settings file, None if there is none. Raises as `read_policy_file`."""
    return _read(path, "user")


def parse_policy(text: str, name: str = POLICY_FILE) -> SettingsFile:
    """The policy in the text of a policy file. Raises as `read_policy_file`."""
    return _parse(text, Path(name), "policy")


def parse_target(text: str) -> Target:
    """A place as flags write it: ``RESOURCE:PATH``, or ``RESOURCE`` for the whole resource.

    Names of resources may hold colons: the last one that brackets do not enclose divides. Raises
    UsageError `path-syntax`.
    """
    outside = text.partition("[")[0]
    resource, colon, path = outside.rpartition(":")
    if not colon:
        return Target(text)
    return Target(resource, parse_pattern(path + text[len(outside) :]))


def _read(path: Path, where: Where) -> SettingsFile | None:
    if where == "policy" and path.is_symlink():  # it may have come with the package
        raise PolicyError(
            "policy-unreadable",
            "cannot read the settings file",
            where=Location(str(path)),
            why="it is a link",
            hint="replace the link by the file",
        )
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as e:
        raise PolicyError(
            "policy-unreadable",
            "cannot read the settings file",
            where=Location(str(path)),
            why=str(getattr(e, "strerror", None) or "it is not UTF-8 text"),
        ) from e
    return _parse(text, path, where)


def _parse(text: str, path: Path, where: Where) -> SettingsFile:
    from pkgupdate.document.document import Document
    from pkgupdate.document.nodes import Mapping as MappingNode

    reader = _Reader(path, Document(text, name=str(path)), where)
    root = reader.document.root
    if root is None:
        return SettingsFile(path)
    if not isinstance(root, MappingNode):
        raise reader.error("policy-shape", "a settings file holds fields, one `key: value` a line")
    return reader.read(root)


class _Reader:
    """Reads one file and names file and line in every complaint."""

    def __init__(self, path: Path, document: Document, where: Where) -> None:
        self.path = path
        self.document = document
        self.where: Where = where

    def read(self, root: nodes.Mapping) -> SettingsFile:
        """The settings of the file. Raises PolicyError."""
        from pkgupdate.document.nodes import key_data

        if self.where == "policy":
            self._check_header(root)
        values: dict[str, Any] = {}
        places: dict[str, tuple[Target, ...]] = {}
        schema: tuple[SchemaEntry, ...] = ()
        branches: tuple[str, ...] = ()
        for entry in root.entries:
            key = str(key_data(entry))
            if key in _HEADER and self.where == "policy":
                continue
            if key in ("protect", "scope") and self.where == "policy":
                places[key] = tuple(self._target(item, key) for item in self._items(entry.value))
            elif key == "schema" and self.where == "policy":
                schema = tuple(self._schema_entry(item) for item in self._items(entry.value))
            elif key == "branches" and self.where == "policy":
                branches = tuple(self._branch(item) for item in self._items(entry.value))
            else:
                setting = BY_KEY.get(key)
                if setting is None or (setting.where == "user" and self.where == "policy"):
                    raise self._unknown(key, self._known(), entry.value)
                plain = self._plain(entry.value)
                values[setting.name] = checked(setting, plain, self._location(entry.value, key))
        return SettingsFile(
            self.path, values, places.get("protect", ()), places.get("scope", ()), schema, branches
        )

    def error(
        self,
        code: str,
        what: str,
        node: nodes.Node | None = None,
        *,
        path: str = "",
        hint: str = "",
    ) -> PolicyError:
        """A complaint that names the place."""
        return PolicyError(code, what, where=self._location(node, path), hint=hint)

    def _location(self, node: nodes.Node | None, path: str = "") -> Location:
        line = self.document.line_of(node.start) if node is not None else 1
        return Location(str(self.path), line, path=path)

    def _known(self) -> tuple[str, ...]:
        if self.where == "user":
            return tuple(BY_KEY)
        keys = (key for key, setting in BY_KEY.items() if setting.where == "policy")
        return (*_HEADER, *keys, *_LISTS)

    def _unknown(self, key: str, known: tuple[str, ...], node: nodes.Node) -> PolicyError:
        hint = near_match(key, known) or "known: " + ", ".join(sorted(known))
        if self.where == "policy" and key in BY_KEY:
            hint = "it can stand in the user's own settings file, or be given as a flag"
        return self.error("unknown-setting", f"there is no setting {key!r} here", node, hint=hint)

    def _check_header(self, root: nodes.Mapping) -> None:
        for key, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
            node = root.get(key)
            if node is None or node.data != wanted:
                raise self.error(
                    "policy-shape",
                    f"{POLICY_FILE} is not an {KIND} of {API_VERSION}",
                    node,
                    path=key,
                    hint=f"write `{key}: {wanted}`",
                )

    def _plain(self, node: nodes.Node) -> object:
        from pkgupdate.document.values import to_plain

        return to_plain(node.data)

    def _items(self, node: nodes.Node) -> Iterator[nodes.Node]:
        from pkgupdate.document.nodes import Scalar, Sequence

        if isinstance(node, Scalar) and self._plain(node) is None:
            return
        if not isinstance(node, Sequence):
            raise self.error("policy-shape", "a list is expected here", node)
        for entry in node.entries:
            yield entry.value

    def _fields(self, node: nodes.Node, known: tuple[str, ...]) -> dict[str, Any]:
        from pkgupdate.document.nodes import Mapping as MappingNode
        from pkgupdate.document.nodes import key_data

        if not isinstance(node, MappingNode):
            raise self.error("policy-shape", f"fields are expected here: {', '.join(known)}", node)
        for entry in node.entries:
            key = str(key_data(entry))
            if key not in known:
                raise self._unknown(key, known, entry.value)
        data = self._plain(node)
        assert isinstance(data, dict)
        return data

    def _target(self, node: nodes.Node, key: str) -> Target:
        fields = self._fields(node, ("resource", "path"))
        resource = fields.get("resource")
        if not isinstance(resource, str) or not resource:
            raise self.error(
                "policy-shape", f"an entry of {key} needs a resource", node, hint='resource: "*"'
            )
        with self._located(node):
            return Target(resource, parse_pattern(str(fields.get("path") or "")))

    def _branch(self, node: nodes.Node) -> str:
        name = self._plain(node)
        if not isinstance(name, str) or not name:
            raise self.error(
                "policy-shape", "an entry of branches is a branch's name", node, hint="- main"
            )
        return name

    @contextmanager
    def _located(self, node: nodes.Node) -> Iterator[None]:
        """Give errors about a value the place it stands at."""
        try:
            yield
        except PkgUpdateError as e:
            where = self._location(node)
            raise PolicyError(e.code, e.what, where=where, why=e.why, hint=e.hint) from e

    def _schema_entry(self, node: nodes.Node) -> SchemaEntry:
        from pkgupdate.schema.entries import SchemaEntry
        from pkgupdate.schema.model import ListRule

        fields = self._fields(node, _SCHEMA_FIELDS)
        keys = fields.get("keys") or []
        list_type = fields.get("type", "map" if keys else "")
        is_text = isinstance(keys, list) and all(isinstance(key, str) for key in keys)
        if list_type not in _LIST_TYPES or not is_text or bool(keys) != (list_type == "map"):
            raise self.error(
                "policy-shape",
                "an entry of schema says how the items of a list match",
                node,
                hint="write keys: [name], or type: set, or type: atomic",
            )
        defaults = {str(k): str(v) for k, v in (fields.get("defaults") or {}).items()}
        with self._located(node):
            return SchemaEntry(
                str(fields.get("resource", "*")),
                parse_pattern(str(fields.get("path", ""))),
                ListRule(list_type, tuple(keys), defaults),
            )
