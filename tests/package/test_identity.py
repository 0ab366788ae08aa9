from __future__ import annotations

import pytest

from pkgupdate.document.stream import Part
from pkgupdate.package.identity import (
    Identity,
    identity_of,
    identity_of_part,
    identity_when_fetched,
)

WEB = Identity("apps", "Deployment", "shop", "web")
USUAL = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n"
FLOW_METADATA = "metadata: {name: web, namespace: shop}\n"
FLOW = "{apiVersion: apps/v1, kind: Deployment, " + FLOW_METADATA.rstrip() + "}"
JOB = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: run-\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: NAME\n"


@pytest.mark.parametrize(
    ("text", "identity", "is_parsed"),
    [
        (USUAL, WEB, False),
        (USUAL.replace("\n", "\r\n"), WEB, False),
        ("# head\n---\n" + USUAL + "spec:\n  name: other\n", WEB, False),
        (USUAL.replace("metadata:", "metadata: # note"), WEB, False),
        (USUAL.replace("web", "'web'").replace("shop", '"shop"'), WEB, False),
        (USUAL.replace("  name", "  labels:\n    name: x\n  name"), WEB, False),
        (USUAL.replace("name: web", "name: web # {{ not a template }}"), WEB, False),
        (FLOW, WEB, True),
        ("apiVersion: apps/v1\nkind: Deployment\n" + FLOW_METADATA, WEB, True),
        (USUAL.replace("name: web", "name: &n web"), WEB, True),
        (USUAL.replace("name: web", "name: >-\n    web"), WEB, True),
        (USUAL.replace("name: web", '"name": web'), WEB, True),
        ("apiVersion: v1\nkind: List\nitems: []\n", Identity("", "List"), False),
        (JOB, Identity("batch", "Job", "", "run-"), False),
        (SECRET.replace("NAME", "123"), Identity("", "Secret", "", "123"), True),
        (SECRET.replace("NAME", "true"), Identity("", "Secret", "", "true"), True),
        ("a: 1\n", None, False),
        ("kind: x\n", None, True),
        ("- apiVersion: v1\n  kind: X\n", None, True),
        ("{{ if }}\nmetadata:\n  name: x\n", None, False),
        ('apiVersion: v1\nkind: X\nmetadata:\n  {{- include "x" . }}\n', None, False),
        ("", None, False),
    ],
)
def test_identity(text: str, identity: Identity | None, is_parsed: bool) -> None:
    part = Part(text, "x.yaml", 1)
    assert identity_of_part(part) == identity
    assert ("document" in vars(part)) is is_parsed
    if identity is not None:
        assert identity_of(part.document.data) == identity


@pytest.mark.parametrize(
    ("identity", "text"),
    [
        (WEB, "apps/Deployment/shop/web"),
        (Identity("", "ConfigMap", "", "extra"), "ConfigMap/extra"),
        (Identity("", "List"), "List"),
    ],
)
def test_identity_as_text(identity: Identity, text: str) -> None:
    assert str(identity) == text


def test_merge_comment_gives_the_identity_at_fetch_time() -> None:
    part = Part(USUAL.replace("metadata:", "metadata: # kpt-merge: /old"), "x.yaml", 1)
    current = identity_of_part(part)
    assert current == WEB
    assert identity_when_fetched(part, current) == Identity("apps", "Deployment", "", "old")
