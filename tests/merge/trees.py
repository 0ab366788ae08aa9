"""Random documents and their random edits, for properties of the merge."""

from __future__ import annotations

from collections import Counter
from typing import Any

import yaml
from hypothesis import strategies as st

from pkgupdate.document.values import Missing, Typed, Value

KEYS = st.sampled_from(["a", "b", "c", "name", "spec", "x.y/z", "on", "1"])
LINES = ["one\ntwo\nthree\n", "one\n2\nthree\n", "one\ntwo\n3\nfour"]
JSON = ['{"a": 1, "b": [1, 2]}', '{"a": 2, "b": [1, 2]}', '{"a": 1, "b": [1, 2], "c": {}}']
OPTIONS = ["--set", "--log=info", "--log=debug"]
TEXTS = st.sampled_from(["", "x", "y", "1", "true", *LINES, *JSON, *OPTIONS])
SCALARS = TEXTS | st.none() | st.booleans() | st.integers(0, 3)


def named(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["p", "q", "r", "s"])
    item = st.builds(
        lambda n, d: {**d, "name": n}, names, st.dictionaries(KEYS, values, max_size=2)
    )
    return st.lists(item, max_size=4, unique_by=lambda i: i["name"])


def collections(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.dictionaries(KEYS, values, max_size=4)
        | st.lists(values, max_size=4)
        | st.lists(SCALARS, max_size=5)
        | named(values)
    )


TREES = st.recursive(SCALARS, collections, max_leaves=14)
MAPS = st.dictionaries(KEYS, TREES, max_size=5)

ENV = st.fixed_dictionaries(
    {"name": st.sampled_from(["A", "B", "C"])},
    optional={"value": SCALARS, "valueFrom": st.just({"secretKeyRef": {"name": "s", "key": "k"}})},
)
PORTS = st.fixed_dictionaries(
    {"containerPort": st.sampled_from([80, 81])},
    optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": TEXTS},
)
CONTAINERS = st.fixed_dictionaries(
    {"name": st.sampled_from(["web", "side", "log"])},
    optional={
        "image": TEXTS,
        "args": st.lists(TEXTS, max_size=4),
        "env": st.lists(ENV, max_size=3, unique_by=lambda e: e["name"]),
        "ports": st.lists(PORTS, max_size=3),
        "livenessProbe": st.sampled_from([{"exec": {}}, {"httpGet": {"port": 1}}, {"grpc": {}}]),
    },
)
PODS = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("Pod"),
        "metadata": st.fixed_dictionaries(
            {"name": st.just("p")},
            optional={"finalizers": st.lists(TEXTS, max_size=3, unique=True), "labels": MAPS},
        ),
        "spec": st.fixed_dictionaries(
            {"containers": st.lists(CONTAINERS, max_size=3, unique_by=lambda c: c["name"])},
            optional={"tolerations": st.lists(MAPS, max_size=3), "hostNetwork": SCALARS},
        ),
    }
)


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """A value with some random edits: fields and items changed, added, deleted, moved."""
    action = draw(st.integers(0, 9))
    if action == 0:
        return draw(TREES)
    if isinstance(value, dict):
        out = {k: draw(edited(v)) if draw(st.booleans()) else v for k, v in value.items()}
        if out and action == 1:
            del out[draw(st.sampled_from(sorted(out)))]
        if action == 2:
            out[draw(KEYS)] = draw(TREES)
        return out
    if isinstance(value, list):
        out_list = [draw(edited(v)) if draw(st.booleans()) else v for v in value]
        if out_list and action == 1:
            del out_list[draw(st.integers(0, len(out_list) - 1))]
        if action == 2:
            out_list.insert(draw(st.integers(0, len(out_list))), draw(TREES))
        if action == 3:
            out_list = list(draw(st.permutations(out_list)))
        return out_list
    return draw(SCALARS) if action < 4 else value


@st.composite
def pod_edit(draw: st.DrawFn, pod: Any) -> Any:
    """Another pod that shares much with the first."""
    other = draw(PODS)
    out = dict(pod)
    for key in ("metadata", "spec"):
        if draw(st.booleans()):
            out[key] = {**pod[key]}
            for field, value in other[key].items():
                if draw(st.booleans()):
                    out[key][field] = value
    return out


@st.composite
def three_maps(draw: st.DrawFn) -> tuple[str, str, str]:
    """Texts of an original and of two edited copies."""
    original = draw(MAPS)
    return (
        text(original),
        text(as_map(draw(edited(original)))),
        text(as_map(draw(edited(original)))),
    )


@st.composite
def three_pods(draw: st.DrawFn) -> tuple[str, str, str]:
    original = draw(PODS)
    return text(original), text(draw(pod_edit(original))), text(draw(pod_edit(original)))


THREE = st.one_of(three_maps(), three_pods(), st.tuples(*[MAPS.map(lambda m: text(m))] * 3))


def as_map(value: Any) -> Any:
    return value if isinstance(value, dict) else {"a": value}


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def text(value: Any) -> str:
    return yaml.dump(value, Dumper=_NoAliases, sort_keys=False, allow_unicode=True)


def leaves(value: Value | Missing) -> Counter[Any]:
    """The scalars in a value."""
    if isinstance(value, Missing):
        return Counter()
    if isinstance(value, str | Typed):
        return Counter([value])
    found: Counter[Any] = Counter()
    for item in value.values() if isinstance(value, dict) else value:
        found += leaves(item)
    return found


def unordered(value: Any) -> Any:
    """A value whose lists compare without their order."""
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((unordered(item) for item in value), key=stable)
    return value


def stable(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{k!r}:{stable(v)}" for k, v in value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(stable, value)) + "]"
    return repr(value)
