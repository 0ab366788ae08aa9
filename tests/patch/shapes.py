"""Random resources of a dozen kinds, and random patches for them, from one description each.

Not the whole API: enough fields for every way in which a patch can treat a value, at every depth.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

Data = Any


@dataclass(frozen=True)
class Scalar:
    values: tuple[Data, ...]


@dataclass(frozen=True)
class Table:
    """A map of scalars."""

    keys: tuple[str, ...]
    values: tuple[Data, ...] = ("x", "y", "z")


@dataclass(frozen=True)
class Struct:
    fields: dict[str, Shape]


@dataclass(frozen=True)
class Items:
    """A list of maps that merges by `key`; without a key it is atomic."""

    key: str
    names: tuple[Data, ...]
    item: Struct


@dataclass(frozen=True)
class Values:
    """A list of scalars; `merged` as a set, or atomic."""

    values: tuple[Data, ...]
    merged: bool = False


Shape = Scalar | Table | Struct | Items | Values

WORDS = Scalar(("x", "y", "z", ""))
NUMBERS = Scalar((0, 1, 2, 9007199254740993, -7))
FLAGS = Scalar((True, False))
LETTERS = ("a", "b", "c", "d", "e", "f")

METADATA = Struct(
    {
        "labels": Table(LETTERS),
        "annotations": Table(("a.b/c", "$d", "e f")),
        "finalizers": Values(("k/a", "k/b", "k/c", "k/d", "k/e"), merged=True),
        "ownerReferences": Items("uid", LETTERS, Struct({"kind": WORDS, "controller": FLAGS})),
    }
)
ENV = Items(
    "name",
    LETTERS,
    Struct(
        {
            "value": WORDS,
            "valueFrom": Struct(
                {
                    "fieldRef": Struct({"fieldPath": WORDS}),
                    "secretKeyRef": Struct({"name": WORDS, "key": WORDS, "optional": FLAGS}),
                }
            ),
        }
    ),
)
CONTAINER = Struct(
    {
        "image": WORDS,
        "args": Values(LETTERS),
        "env": ENV,
        "ports": Items(
            "containerPort", (80, 81, 82, 9000), Struct({"name": WORDS, "hostPort": NUMBERS})
        ),
        "volumeMounts": Items(
            "mountPath", ("/a", "/b", "/c"), Struct({"name": WORDS, "readOnly": FLAGS})
        ),
        "resources": Struct({"limits": Table(("cpu", "memory"), ("1", "2Gi", 3))}),
        "securityContext": Struct(
            {"runAsUser": NUMBERS, "capabilities": Struct({"add": Values(LETTERS)})}
        ),
    }
)
POD = Struct(
    {
        "containers": Items("name", LETTERS, CONTAINER),
        "initContainers": Items("name", LETTERS[:3], CONTAINER),
        "volumes": Items(
            "name",
            LETTERS,
            Struct(
                {
                    "emptyDir": Struct({"medium": WORDS}),
                    "configMap": Struct({"name": WORDS, "optional": FLAGS}),
                    "hostPath": Struct({"path": WORDS}),
                }
            ),
        ),
        "imagePullSecrets": Items("name", LETTERS, Struct({})),
        "hostAliases": Items("ip", LETTERS, Struct({"hostnames": Values(LETTERS)})),
        "tolerations": Items("", LETTERS, Struct({"key": WORDS, "operator": WORDS})),
        "nodeSelector": Table(LETTERS),
        "hostNetwork": FLAGS,
        "terminationGracePeriodSeconds": NUMBERS,
    }
)
TEMPLATE = Struct({"metadata": METADATA, "spec": POD})
SELECTOR = Struct({"matchLabels": Table(LETTERS)})
STRATEGY = Struct(
    {"type": WORDS, "rollingUpdate": Struct({"maxSurge": NUMBERS, "maxUnavailable": WORDS})}
)
RULES = Items("", LETTERS, Struct({"verbs": Values(LETTERS), "resources": Values(LETTERS)}))
CONDITIONS = Items("type", LETTERS, Struct({"status": WORDS, "reason": WORDS}))

KINDS: dict[tuple[str, str], dict[str, Shape]] = {
    ("v1", "Pod"): {"spec": POD, "status": Struct({"conditions": CONDITIONS})},
    ("apps/v1", "Deployment"): {
        "spec": Struct(
            {"replicas": NUMBERS, "selector": SELECTOR, "strategy": STRATEGY, "template": TEMPLATE}
        ),
        "status": Struct({"replicas": NUMBERS, "conditions": CONDITIONS}),
    },
    ("apps/v1", "StatefulSet"): {
        "spec": Struct(
            {
                "serviceName": WORDS,
                "template": TEMPLATE,
                "volumeClaimTemplates": Items(
                    "", LETTERS, Struct({"spec": Struct({"storageClassName": WORDS})})
                ),
            }
        )
    },
    ("apps/v1", "DaemonSet"): {"spec": Struct({"template": TEMPLATE, "updateStrategy": STRATEGY})},
    ("batch/v1", "CronJob"): {
        "spec": Struct(
            {
                "schedule": WORDS,
                "jobTemplate": Struct(
                    {"spec": Struct({"backoffLimit": NUMBERS, "template": TEMPLATE})}
                ),
            }
        )
    },
    ("v1", "Service"): {
        "spec": Struct(
            {
                "type": WORDS,
                "selector": Table(LETTERS),
                "ports": Items(
                    "port", (80, 443, 8080, 53), Struct({"name": WORDS, "targetPort": NUMBERS})
                ),
                "externalIPs": Values(LETTERS),
            }
        )
    },
    ("v1", "ConfigMap"): {"data": Table(LETTERS), "immutable": FLAGS},
    ("v1", "Secret"): {"data": Table(LETTERS), "type": WORDS},
    ("v1", "ServiceAccount"): {
        "secrets": Items("name", LETTERS, Struct({"namespace": WORDS})),
        "imagePullSecrets": Items("", LETTERS, Struct({"name": WORDS})),
    },
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): {"rules": RULES},
    ("networking.k8s.io/v1", "Ingress"): {
        "spec": Struct(
            {
                "ingressClassName": WORDS,
                "tls": Items("", LETTERS, Struct({"hosts": Values(LETTERS), "secretName": WORDS})),
            }
        )
    },
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"): {
        "webhooks": Items(
            "name",
            LETTERS,
            Struct({"failurePolicy": WORDS, "timeoutSeconds": NUMBERS, "rules": RULES}),
        )
    },
    ("autoscaling/v2", "HorizontalPodAutoscaler"): {
        "spec": Struct(
            {
                "minReplicas": NUMBERS,
                "metrics": Items("", LETTERS, Struct({"type": WORDS})),
                "scaleTargetRef": Struct({"name": WORDS, "kind": WORDS}),
            }
        )
    },
}


def root_shape(fields: dict[str, Shape]) -> Struct:
    return Struct({"metadata": METADATA, **fields})


def resource(rng: random.Random, api_version: str, kind: str) -> dict[str, Data]:
    body = value(rng, root_shape(KINDS[api_version, kind]))
    return complete(body, api_version, kind)


def complete(body: dict[str, Data], api_version: str, kind: str) -> dict[str, Data]:
    metadata = {**(body.get("metadata") or {}), "name": "web"}
    return {**body, "apiVersion": api_version, "kind": kind, "metadata": metadata}


def value(rng: random.Random, shape: Shape) -> Data:
    match shape:
        case Scalar(values):
            return rng.choice(values)
        case Table(keys, values):
            return {key: rng.choice(values) for key in _some(rng, keys)}
        case Struct(fields):
            return {key: value(rng, fields[key]) for key in _some(rng, tuple(fields))}
        case Items(key, names, item):
            return [_item(rng, key, name, item) for name in _some(rng, names)]
        case Values(values):
            return _some(rng, values)


def changed(rng: random.Random, data: Data, shape: Shape) -> Data:
    """The value after a few edits of the kinds that people make."""
    if rng.random() < 0.1:
        return value(rng, shape)
    match shape:
        case Scalar() | Table() | Values():
            return value(rng, shape) if rng.random() < 0.5 else data
        case Struct(fields):
            keys = [key for key in fields if (rng.random() < 0.85) == (key in data)]
            return {
                key: changed(rng, data[key], fields[key])
                if key in data
                else value(rng, fields[key])
                for key in keys
            } | {key: item for key, item in data.items() if key not in fields}
        case Items(key, names, item):
            if not key:
                return [changed(rng, old, item) for old in data if rng.random() < 0.8]
            kept = [
                {**changed(rng, old, item), key: old[key]} for old in data if rng.random() < 0.8
            ]
            had = {old[key] for old in data}
            new = [name for name in names if name not in had and rng.random() < 0.3]
            items = kept + [_item(rng, key, name, item) for name in new]
            if rng.random() < 0.5:
                rng.shuffle(items)
            return items


def patch(rng: random.Random, data: Data, shape: Shape) -> Data:
    """A strategic merge patch as somebody might write it, not always a valid one."""
    if rng.random() < 0.05:
        return None
    match shape:
        case Scalar() | Values(merged=False):
            return value(rng, shape)
        case Table(keys, values):
            return _marked(rng, {k: rng.choice((*values, None)) for k in _some(rng, keys)})
        case Struct(fields):
            return _struct_patch(rng, data if isinstance(data, dict) else {}, fields)
        case Values() | Items():
            return value(rng, shape)


def _struct_patch(rng: random.Random, data: dict[str, Data], fields: dict[str, Shape]) -> Data:
    result: dict[str, Data] = {}
    for name in _some(rng, tuple(fields)):
        shape = fields[name]
        old = data.get(name)
        if isinstance(shape, Items) and shape.key:
            _list_patch(rng, result, name, old or [], shape)
        elif isinstance(shape, Values) and shape.merged:
            _set_patch(rng, result, name, shape)
        else:
            result[name] = patch(rng, old, shape)
    if rng.random() < 0.08:
        keys = set(_some(rng, tuple(fields))) | ({k for k in result if k[0] != "$"})
        result["$retainKeys"] = sorted(keys)
    if rng.random() < 0.03:
        result["unknownField"] = rng.choice(({"a": None, "b": {"$patch": "delete"}}, [1], "x"))
    return _marked(rng, result)


def _list_patch(
    rng: random.Random, result: dict[str, Data], name: str, old: list[Data], shape: Items
) -> None:
    previous = {item[shape.key]: item for item in old}
    items = []
    for key in _some(rng, shape.names):
        roll = rng.random()
        if roll < 0.25:
            items.append({shape.key: key, "$patch": "delete"})
            continue
        item = _struct_patch(rng, previous.get(key, {}), shape.item.fields)
        items.append({**item, shape.key: key})
        if roll > 0.95:
            items.append({shape.key: key})
        if roll > 0.98:
            items[-1].pop(shape.key)
    if rng.random() < 0.06:
        items.insert(rng.randint(0, len(items)), {"$patch": rng.choice(("replace", "merge"))})
    if rng.random() < 0.6:
        order = [i[shape.key] for i in items if shape.key in i and "$patch" not in i]
        for key in _some(rng, shape.names):
            if key not in order:
                order.insert(rng.randint(0, len(order)), key)
        if rng.random() < 0.1:
            rng.shuffle(order)
        result[f"$setElementOrder/{name}"] = [{shape.key: key} for key in order]
        if rng.random() < 0.15:
            return
    result[name] = items


def _set_patch(rng: random.Random, result: dict[str, Data], name: str, shape: Values) -> None:
    added = _some(rng, shape.values)
    if rng.random() < 0.5:
        result[f"$deleteFromPrimitiveList/{name}"] = [
            item for item in _some(rng, shape.values) if item not in added
        ]
    if rng.random() < 0.5:
        order = list(added)
        for item in _some(rng, shape.values):
            if item not in order:
                order.insert(rng.randint(0, len(order)), item)
        if rng.random() < 0.1:
            rng.shuffle(order)
        result[f"$setElementOrder/{name}"] = order
    if added:
        result[name] = added


def merge_patch(rng: random.Random, data: Data, shape: Shape) -> Data:
    """A JSON merge patch: some values of a changed object, some nulls."""
    if rng.random() < 0.1:
        return None
    if isinstance(shape, Struct):
        old = data if isinstance(data, dict) else {}
        return {
            name: merge_patch(rng, old.get(name), shape.fields[name])
            for name in _some(rng, tuple(shape.fields))
        }
    return value(rng, shape)


def _marked(rng: random.Random, data: dict[str, Data]) -> dict[str, Data]:
    roll = rng.random()
    if roll < 0.03:
        return {**data, "$patch": "replace"}
    if roll < 0.05:
        return {"$patch": "delete"}
    return {**data, "$patch": "merge"} if roll < 0.052 else data


def _item(rng: random.Random, key: str, name: Data, item: Struct) -> dict[str, Data]:
    body = value(rng, item)
    return {key: name, **body} if key else body


def _some(rng: random.Random, items: tuple[Data, ...]) -> list[Data]:
    picked = [item for item in items if rng.random() < 0.45]
    rng.shuffle(picked)
    return picked
