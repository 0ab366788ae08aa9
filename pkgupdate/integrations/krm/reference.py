"""The reference that `pkgupdate fn doc` prints; docs/krm-function.md holds the same text."""

from __future__ import annotations

from pkgupdate.integrations.krm.annotations import SET
from pkgupdate.integrations.krm.config import KEYS, MERGE, UPDATE
from pkgupdate.policy_file import API_VERSION

_TEXT = """\
A KRM function: a ResourceList on stdin, one on stdout, exit 0 or 1.

    kpt fn eval PKG --exec "pkgupdate fn" --fn-config update.yaml
    kpt fn eval PKG --exec "pkgupdate fn" -- ref=v2 mode=plan
    kpt fn source PKG | pkgupdate fn | kpt fn sink NEW

The function config is of kind {update} or a ConfigMap with the same keys:

    apiVersion: {api}
    kind: {update}
    metadata:
      name: update
    spec:
      ref: v2

{update_keys}

{merge} needs no network. Two more sets of items come in the same list,
marked by the annotation {set}; they do not go out again:

    apiVersion: {api}
    kind: {merge}
    metadata:
      name: merge
    spec:
      original: fetched
      upstream: new

{merge_keys}
"""
_WIDTH = 12


def reference() -> str:
    """The text, made from the table of keys."""
    return _TEXT.format(
        api=API_VERSION,
        update=UPDATE,
        merge=MERGE,
        set=SET,
        update_keys=_keys(UPDATE),
        merge_keys=_keys(MERGE),
    )


def _keys(kind: str) -> str:
    from textwrap import fill

    start = " " * 4
    return "\n".join(
        fill(
            start + key.name.ljust(_WIDTH) + key.help.replace("`", ""),
            80,
            subsequent_indent=start + " " * _WIDTH,
        )
        for key in KEYS
        if kind in key.kinds
    )
