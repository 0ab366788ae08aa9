"""Are live objects what a package wants them to be, and where not?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from pkgupdate.package.identity import Identity
from pkgupdate.patch.changes import Change, unstated
from pkgupdate.patch.equivalence import ignore_server_changes
from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.maker import PatchMaker
from pkgupdate.patch.options import Option, ignore_claim_templates, ignore_status
from pkgupdate.patch.resources import ByIdentity, resource_identity
from pkgupdate.patch.values import Map

SERVER_OPTIONS: tuple[Option, ...] = (
    ignore_status(),
    ignore_claim_templates(),
    ignore_server_changes(),
)
"""What makes a desired object comparable with what the API server returns."""


class State(StrEnum):
    """How a live object stands to the desired one."""

    IN_SYNC = "in-sync"
    DIFFERS = "differs"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Match:
    """One desired resource and what was found out about its live object.

    changes: where the live object would change. patch: what would be sent; empty where no patch
        can say it (two ports of one number).
    """

    identity: Identity
    state: State
    changes: tuple[Change, ...] = ()
    patch: Map | None = field(default=None, repr=False)


def match(
    desired: Iterable[Map], live: Iterable[Map], maker: PatchMaker, *options: Option
) -> list[Match]:
    """Compare every desired resource with its live object, in the order of the desired ones.

    Objects pair by group, kind, namespace and name, as `ByIdentity` finds them.
    options: further ones, besides `SERVER_OPTIONS`.
    Raises PatchError as `PatchMaker.calculate`.
    """
    objects = ByIdentity((resource_identity(resource), resource) for resource in live)
    return [
        _match(resource, identity, objects.find(identity), maker, options)
        for resource in desired
        if (identity := resource_identity(resource)) is not None
    ]


def _match(
    desired: Map,
    identity: Identity,
    live: Map | None,
    maker: PatchMaker,
    options: tuple[Option, ...],
) -> Match:
    if live is None:
        return Match(identity, State.MISSING)
    try:
        result = maker.calculate(live, desired, *options, *SERVER_OPTIONS)
    except PatchError as error:
        error.where = error.where._replace(resource=str(identity))
        raise
    found = tuple(result.changes()) or tuple(
        unstated(result.modified, result.result, result.schema)
    )
    if not found:
        return Match(identity, State.IN_SYNC)
    return Match(identity, State.DIFFERS, found, result.patch)
