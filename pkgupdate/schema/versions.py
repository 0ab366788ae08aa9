"""API versions: taking them apart, and which one is newer."""

from __future__ import annotations

import re

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?\Z")
_STAGES = {None: 2, "beta": 1, "alpha": 0}


def split_api_version(api_version: str) -> tuple[str, str]:
    """`apps/v1` gives ("apps", "v1"), `v1` gives ("", "v1")."""
    group, _, version = api_version.rpartition("/")
    return group, version


def version_priority(version: str) -> tuple[int, int, int]:
    """Sort key, newest last, in Kubernetes' order: v2 > v1 > v1beta2 > v1alpha1 > other names."""
    match = _VERSION.match(version)
    if match is None:
        return (-1, 0, 0)
    return (_STAGES[match[2]], int(match[1]), int(match[3] or 0))
