"""What the API server does to an object that it stores, as far as comparing has to know it.

The server's schemas do not say which values are quantities, or which zeros it leaves out, so these
tables name them: (type, field). Sources: the Go types of Kubernetes 1.32 (`resource.Quantity`,
`omitempty` fields that are no pointers).
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from pkgupdate.patch.values import Data

QUANTITIES: Final = frozenset(
    {
        ("CSIStorageCapacity", "capacity"),
        ("CSIStorageCapacity", "maximumVolumeSize"),
        ("CapacityRequirements", "requests"),
        ("EmptyDirVolumeSource", "sizeLimit"),
        ("LimitRangeItem", "default"),
        ("LimitRangeItem", "defaultRequest"),
        ("LimitRangeItem", "max"),
        ("LimitRangeItem", "maxLimitRequestRatio"),
        ("LimitRangeItem", "min"),
        ("MetricTarget", "averageValue"),
        ("MetricTarget", "value"),
        ("Overhead", "podFixed"),
        ("PersistentVolumeSpec", "capacity"),
        ("PodSpec", "overhead"),
        ("ResourceFieldSelector", "divisor"),
        ("ResourceQuotaSpec", "hard"),
        ("ResourceRequirements", "limits"),
        ("ResourceRequirements", "requests"),
        ("VolumeResourceRequirements", "limits"),
        ("VolumeResourceRequirements", "requests"),
    }
)
"""Fields that hold one quantity, or a map of them."""

ZERO_IS_ABSENT: Final = frozenset(
    {
        ("Container", "stdin"),
        ("Container", "stdinOnce"),
        ("Container", "tty"),
        ("ContainerPort", "hostPort"),
        ("CustomResourceDefinitionSpec", "preserveUnknownFields"),
        ("CustomResourceDefinitionVersion", "deprecated"),
        ("DaemonSetSpec", "minReadySeconds"),
        ("DeploymentSpec", "minReadySeconds"),
        ("DeploymentSpec", "paused"),
        ("NFSVolumeSource", "readOnly"),
        ("PersistentVolumeClaimVolumeSource", "readOnly"),
        ("PodSpec", "hostIPC"),
        ("PodSpec", "hostNetwork"),
        ("PodSpec", "hostPID"),
        ("PriorityClass", "globalDefault"),
        ("Probe", "initialDelaySeconds"),
        ("ReplicaSetSpec", "minReadySeconds"),
        ("ServicePort", "nodePort"),
        ("ServiceSpec", "healthCheckNodePort"),
        ("ServiceSpec", "publishNotReadyAddresses"),
        ("StatefulSetSpec", "minReadySeconds"),
        ("VolumeMount", "readOnly"),
    }
)
"""Fields whose `false` or `0` the server does not store. For any other field a zero that the live
object lacks is a difference (`automountServiceAccountToken: false`)."""

UNSET_PORTS: Final = frozenset(
    {
        ("HTTPGetAction", "port"),
        ("NetworkPolicyPort", "port"),
        ("ServicePort", "targetPort"),
        ("TCPSocketAction", "port"),
    }
)
"""Int-or-string fields in which zero is no value: Go programs write it for a port not set. Where
zero is a value (`maxUnavailable: 0`), it counts."""

NEVER_FILLED: Final = frozenset({"LabelSelector"})
"""Types to which the server adds nothing: what only the live object has in them is a change."""

_QUANTITY = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(m|u|n|k|[MGTPE]|[KMGTPE]i)?)\Z"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_LARGEST_EXPONENT = 100


def quantity(value: Data) -> Fraction | None:
    """The amount that a Kubernetes quantity stands for (`1000m` is 1, `1Gi` is 2^30).

    None for what is no quantity.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    match = _QUANTITY.match(str(value))
    if match is None:
        return None
    number, exponent, suffix = match.groups()
    amount = Fraction(number)
    if suffix in _BINARY:
        return amount * (1 << _BINARY[suffix])
    power = int(exponent[1:]) if exponent else _DECIMAL.get(suffix, 0)
    if abs(power) > _LARGEST_EXPONENT:
        return None
    return amount * Fraction(10**power) if power >= 0 else amount / 10**-power


def is_zero(value: Data) -> bool:
    """Is this a `false` or a `0`?"""
    return value is False or (isinstance(value, int | float) and value == 0)
