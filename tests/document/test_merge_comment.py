import pytest

from pkgupdate.document.merge_comment import add_merge_comment, read_merge_comment

CASES = [
    ("kind: A\nmetadata: # kpt-merge: shop/web\n  name: x\n", ("shop", "web")),
    ("metadata: # kpt-merge: /web\n  name: x\n", ("", "web")),
    ("metadata:\t#kpt-merge:  a/b \r\n  name: x\r\n", ("a", "b")),
    ("metadata: # kpt-merge: name-only\n  name: x\n", None),
    ("metadata: # something else\n  name: x\n", None),
    ("metadata:\n  name: x # kpt-merge: a/b\n", None),
    ("other:\n  metadata: # kpt-merge: a/b\n", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "name"), CASES)
def test_read(text: str, name: tuple[str, str] | None) -> None:
    assert read_merge_comment(text) == name


ADDED = [
    ("kind: A\nmetadata:\n  name: x\n", "kind: A\nmetadata: # kpt-merge: n/x\n  name: x\n"),
    ("metadata:\r\n  name: x\r\n", "metadata: # kpt-merge: n/x\r\n  name: x\r\n"),
    ("metadata: # kpt-merge: a/b\n  name: x\n", "metadata: # kpt-merge: n/x\n  name: x\n"),
    ("metadata: # mine\n  name: x\n", "# mine\nmetadata: # kpt-merge: n/x\n  name: x\n"),
    ("metadata: {name: x}\n", "metadata: {name: x}\n"),
    (
        "a: |\n  metadata:\nmetadata:\n  n: x",
        "a: |\n  metadata:\nmetadata: # kpt-merge: n/x\n  n: x",
    ),
]


@pytest.mark.parametrize(("text", "result"), ADDED)
def test_add(text: str, result: str) -> None:
    assert add_merge_comment(text, "n", "x") == result
