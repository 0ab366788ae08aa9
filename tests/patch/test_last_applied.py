import base64
import io
import json
import random
import zipfile
from typing import Any

import pytest

from pkgupdate.patch.errors import PatchError
from pkgupdate.patch.last_applied import DEFAULT_KEY, KUBECTL_KEY, Annotator
from pkgupdate.patch.values import same

RESOURCE = {"kind": "A", "metadata": {"name": "a"}, "spec": {"n": 2**60, "f": 1.0, "é": None}}


def live(**annotations: str) -> dict[str, Any]:
    return {"kind": "A", "metadata": {"annotations": annotations}}


def zipped(content: bytes, members: int = 1) -> str:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(members):
            archive.writestr(f"original{i}", content)
    return base64.b64encode(packed.getvalue()).decode()


def test_what_is_written_can_be_read() -> None:
    annotated = Annotator().annotated(RESOURCE)
    assert same(Annotator().original(annotated), RESOURCE)
    assert same(Annotator().plain(annotated), RESOURCE)
    assert "annotations" not in RESOURCE["metadata"]


def test_writing_twice_gives_the_same_text() -> None:
    annotated = Annotator().annotated(RESOURCE)
    assert Annotator().annotated(annotated) == annotated


def test_a_key_of_your_own() -> None:
    annotator = Annotator("example.com/before", fallbacks=())
    annotated = annotator.annotated(RESOURCE)
    assert list(annotated["metadata"]["annotations"]) == ["example.com/before"]
    assert annotator.original(annotated) == RESOURCE
    assert Annotator().original(annotated) is None
    assert annotator.original(live(**{KUBECTL_KEY: "{}"})) is None


@pytest.mark.parametrize(
    "value", [json.dumps({"a": 1}), json.dumps({"a": 1}) + "\n", zipped(b'{"a": 1}')]
)
@pytest.mark.parametrize("key", [DEFAULT_KEY, KUBECTL_KEY])
def test_plain_json_and_archives_are_read(key: str, value: str) -> None:
    assert Annotator().original(live(**{key: value})) == {"a": 1}


def test_the_own_key_comes_before_that_of_kubectl() -> None:
    found = Annotator().original(live(**{KUBECTL_KEY: '{"a": 1}', DEFAULT_KEY: '{"a": 2}'}))
    assert found == {"a": 2}


@pytest.mark.parametrize("resource", [{}, {"metadata": None}, {"metadata": {"annotations": []}}])
def test_nothing_was_applied(resource: Any) -> None:
    assert Annotator().original(resource) is None
    assert Annotator().plain(resource) == resource


@pytest.mark.parametrize(
    "value",
    [
        "no json",
        "[]",
        '"text"',
        "YWJj",
        zipped(b"no json"),
        zipped(b"{}", members=2),
        zipped(b"\xff"),
        zipped(b"[" * 100_000),
        zipped(b'{"a": "' + b"x" * (17 * 1024 * 1024) + b'"}'),
    ],
)
def test_unreadable(value: str) -> None:
    with pytest.raises(PatchError) as caught:
        Annotator().original(live(**{DEFAULT_KEY: value}))
    assert caught.value.code == "annotation-unreadable"


def test_too_large() -> None:
    noise = random.Random(1).randbytes(200_000).hex()
    with pytest.raises(PatchError) as caught:
        Annotator().annotated({"metadata": {"name": "a"}, "data": noise})
    assert caught.value.code == "annotation-too-large"
    assert "262144" in caught.value.why
    other = {"metadata": {"annotations": {"other": "x" * 262_000}}, "a": 1}
    with pytest.raises(PatchError):
        Annotator().annotated(other)


def test_compression_makes_room() -> None:
    resource = {"metadata": {"name": "a"}, "data": "x" * 1_000_000}
    assert Annotator().original(Annotator().annotated(resource)) == resource
