"""Generate `pkgupdate/schema/kubernetes.json`, what the program knows about Kubernetes' own kinds.

The source is the PyPI package `kubernetes-validate`, which carries the JSON schemas of Kubernetes
1.25 and later. It is large, so it is installed apart, for one run (with pkgupdate importable):

    python3 -m venv /tmp/schemas && /tmp/schemas/bin/pip install kubernetes-validate
    python3 tools/generate_schema_table.py \
        /tmp/schemas/lib/python3*/site-packages/kubernetes_validate/kubernetes-json-schema

The same schemas always give the same bytes. All versions are united: a kind, field or marker that
any version has stays known, and where versions contradict each other the newest one wins.

The table has two parts. `kinds` maps an apiVersion to the kinds in it (`Kind`, or `Kind=Type` where
the type is named otherwise). `types` maps a struct's name to its fields, one word per field:

    NAME [SHAPE] [:TYPE] [;MARK]...      a scalar field is its bare name

SHAPE is `[]` for a list and `{}` for a map, from the outside in; TYPE is the struct inside. Marks:
`keys=a,b~DEFAULT` (associative list), `set`, `atomic`, `patch=STRATEGY,...` and `key=MERGEKEY` (of
strategic merge patch). A type without fields holds arbitrary data. Types of several API versions
that are alike share one entry; the others carry their version as in `Event@events.v1`. Lists of
resources (`DeploymentList`) are left out: they follow from the kinds.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pkgupdate.schema.versions import version_priority

OUTPUT = Path(__file__).parents[1] / "pkgupdate" / "schema" / "kubernetes.json"

KEY_DEFAULTS = {"protocol": "TCP"}
"""The API server's defaults of optional list keys; the JSON schemas leave defaults out."""

ASSOCIATIVE = {("CustomResourceDefinitionSpec", "versions"): ("name",)}
"""Lists that upstream calls atomic though their items have a name that must be unique."""

NOT_KINDS = {"DeleteOptions", "WatchEvent"}
"""Request and stream types that every API group registers; no resource files."""


@dataclass
class Field:
    """One field of a struct; `type` is the full name of a definition or empty (scalars)."""

    shape: str
    type: str
    marks: dict[str, str]

    def word(self, name: str, id_of: dict[str, str]) -> str:
        """The field in the table's notation."""
        marks = "".join(f";{k}={v}" if v else f";{k}" for k, v in self.marks.items())
        return name + self.shape + (f":{id_of[self.type]}" if self.type else "") + marks


@dataclass
class Struct:
    """One definition: its fields by name, and the kinds that are this struct."""

    fields: dict[str, Field] = field(default_factory=dict)
    kinds: set[tuple[str, str]] = field(default_factory=set)


def read_definitions(schemas: Path) -> dict[str, Struct]:
    """The union of all versions below `schemas`, oldest first."""
    folders = [
        (m, p) for p in schemas.iterdir() if (m := re.fullmatch(r"v1\.(\d+)\.0-local", p.name))
    ]
    if not folders:
        raise SystemExit(f"no v1.*.0-local folders in {schemas}")
    union: dict[str, Struct] = defaultdict(Struct)
    for _, folder in sorted(folders, key=lambda pair: int(pair[0][1])):
        definitions = json.loads((folder / "_definitions.json").read_text())["$defs"]
        scalars = {name for name, schema in definitions.items() if is_scalar(schema)}
        for name in definitions.keys() - scalars:
            add_definition(union[name], name, definitions, scalars)
    return union


def is_scalar(schema: dict[str, Any]) -> bool:
    """Quantity, Time and their like: a name for a string or a number."""
    return "oneOf" in schema or plain_type(schema) not in {"", "object"}


def plain_type(schema: dict[str, Any]) -> str:
    """The type without the null that every optional field allows."""
    kinds = schema.get("type", "")
    return next(kind for kind in kinds if kind != "null") if isinstance(kinds, list) else str(kinds)


def add_definition(
    struct: Struct, name: str, definitions: dict[str, Any], scalars: set[str]
) -> None:
    """Lay one version of a definition over what the older versions said."""
    schema, type_name = definitions[name], short(name)
    is_list = type_name.endswith("List") and "items" in schema.get("properties", ())
    if type_name not in NOT_KINDS and not is_list:
        for gvk in schema.get("x-kubernetes-group-version-kind", ()):
            api_version = f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"]
            struct.kinds.add((api_version, gvk["kind"]))
    for key, value in schema.get("properties", {}).items():
        shape, ref = shape_of(value, scalars)
        required = definitions.get(ref, {}).get("required", [])
        marks = list_marks(value, required) if shape.startswith("[]") else {}
        if (type_name, key) in ASSOCIATIVE:
            marks = {"keys": ",".join(ASSOCIATIVE[type_name, key])}
        marks |= patch_marks(value) if shape or ref else {}
        if older := struct.fields.get(key):
            marks = keep_older(older.marks, marks)
        struct.fields[key] = Field(shape, ref, marks)


def shape_of(schema: dict[str, Any], scalars: set[str]) -> tuple[str, str]:
    """The nesting of lists and maps, and the definition inside."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return "", "" if name in scalars else name
    kind = plain_type(schema)
    if kind not in {"array", "object"}:
        return "", ""
    inner = schema["items"] if kind == "array" else schema["additionalProperties"]
    shape, ref = shape_of(inner, scalars)
    return ("[]" if kind == "array" else "{}") + shape, ref


def list_marks(schema: dict[str, Any], required: list[str]) -> dict[str, str]:
    """How server-side apply merges the list."""
    list_type = schema.get("x-kubernetes-list-type")
    if list_type != "map":
        return {list_type: ""} if list_type else {}
    keys = schema["x-kubernetes-list-map-keys"]
    defaults = {k: "~" + d for k, d in KEY_DEFAULTS.items() if k not in required}
    return {"keys": ",".join(key + defaults.get(key, "") for key in keys)}


def patch_marks(schema: dict[str, Any]) -> dict[str, str]:
    """How a strategic merge patch merges the field."""
    marks = {
        "patch": schema.get("x-kubernetes-patch-strategy", ""),
        "key": schema.get("x-kubernetes-patch-merge-key", ""),
    }
    return {mark: value for mark, value in marks.items() if value}


def keep_older(older: dict[str, str], newer: dict[str, str]) -> dict[str, str]:
    """The newer marks, and the older ones on matters that the newer version is silent about."""
    kept = dict(newer)
    for group in ({"keys", "set", "atomic"}, {"patch", "key"}):
        if not group & newer.keys():
            kept |= {mark: value for mark, value in older.items() if mark in group}
    return kept


def short(name: str) -> str:
    """The struct's own name, as in Kubernetes' error messages."""
    return name.rpartition(".")[2]


def reachable(structs: dict[str, Struct]) -> set[str]:
    """The definitions that some kind uses."""
    found: set[str] = set()
    pending = [name for name, struct in structs.items() if struct.kinds]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += [f.type for f in structs[name].fields.values() if f.type]
    return found


def name_types(structs: dict[str, Struct], names: Iterable[str]) -> dict[str, str]:
    """A short id for every definition; definitions of the same name that are alike share it.

    Alike means equal fields whose types are alike, which partition refinement finds: begin with
    "same name", split until the words of all members of each class agree. The class with the
    newest version goes by the bare name.
    """
    newest_first = sorted(sorted(names), key=definition_priority, reverse=True)
    id_of = {name: short(name) for name in newest_first}
    while True:
        leaders: dict[tuple[str, tuple[str, ...]], str] = {}
        taken: set[str] = set()
        refined = {}
        for name in newest_first:
            alike = (short(name), words(structs[name], id_of))
            if alike not in leaders:
                is_newest = short(name) not in taken
                leaders[alike] = short(name) if is_newest else qualified(name)
                if leaders[alike] in taken:
                    raise SystemExit(f"two types would be called {leaders[alike]}")
                taken.add(leaders[alike])
            refined[name] = leaders[alike]
        if refined == id_of:
            return id_of
        id_of = refined


def definition_priority(name: str) -> tuple[int, int, int]:
    """Sort key of a definition: the version it belongs to."""
    return version_priority(name.split(".")[-2])


def qualified(name: str) -> str:
    """The type's name with its group and version."""
    return short(name) + "@" + ".".join(name.split(".")[-3:-1])


def words(struct: Struct, id_of: dict[str, str]) -> tuple[str, ...]:
    """All fields of a struct in the table's notation."""
    return tuple(f.word(name, id_of) for name, f in sorted(struct.fields.items()))


def build_table(structs: dict[str, Struct]) -> dict[str, dict[str, str]]:
    """The table as it is written."""
    names = reachable(structs)
    id_of = name_types(structs, names)
    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        for api_version, kind in structs[name].kinds:
            type_id = id_of[name]
            kinds[api_version][kind] = kind if kind == type_id else f"{kind}={type_id}"
    return {
        "kinds": {version: " ".join(sorted(group.values())) for version, group in kinds.items()},
        "types": {id_of[name]: " ".join(words(structs[name], id_of)) for name in names},
    }


def main() -> None:
    """Read the folder given on the command line, write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schemas", type=Path, help="the folder kubernetes-json-schema")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    table = build_table(read_definitions(options.schemas))
    text = json.dumps(table, indent=0, sort_keys=True, separators=(",", ":")) + "\n"
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
