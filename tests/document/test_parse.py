"""Reading: limits, errors, duplicate keys, and the parser without libyaml."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkgupdate.document import parse
from pkgupdate.document.document import Document
from pkgupdate.document.limits import MAX_DEPTH, MAX_TEXT_BYTES
from pkgupdate.document.nodes import Node, walk
from pkgupdate.document.stream import Stream, decode
from pkgupdate.errors import DocumentError

TESTDATA = Path(__file__).parents[2] / "testdata"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a: 1\nb: [\n", "yaml-syntax", 3),
        ("a: 1\n b: 2\n", "yaml-syntax", 2),
        ("a: *x\n", "yaml-alias", 1),
        ("a: &x [*x]\n", "yaml-alias", 1),
        ("a: 1\n---\nb: 2\n", "yaml-syntax", 3),
        ("[" * 10_000, "yaml-too-deep", 1),
        ("{a: " * 10_000, "yaml-too-deep", 1),
        ("a: \ud800\n", "yaml-syntax", 0),
        ("a: \x00\n", "yaml-syntax", 0),
    ],
)
def test_errors(text: str, code: str, line: int) -> None:
    with pytest.raises(DocumentError) as caught:
        Document(text, name="f.yaml", first_line=1)
    assert caught.value.code == code
    if line:
        assert caught.value.where.line == line
        assert caught.value.where.file == "f.yaml"


def test_nested_to_the_limit_is_compared_and_walked() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    one, other = Document(text), Document(text)
    assert one.data == other.data
    assert one.root is not None
    assert sum(1 for _ in walk(one.root)) == MAX_DEPTH


def test_block_nested_beyond_the_limit() -> None:
    text = "\n".join("  " * i + "a:" for i in range(MAX_DEPTH + 1)) + " 1\n"
    with pytest.raises(DocumentError) as caught:
        Document(text)
    assert caught.value.code == "yaml-too-deep"


def test_alias_bomb() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for i in range(1, 12):
        lines.append(f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]")
    with pytest.raises(DocumentError) as caught:
        Document("\n".join(lines))
    assert caught.value.code == "yaml-too-large"


def test_size_limit() -> None:
    with pytest.raises(DocumentError) as caught:
        Document("#" * (MAX_TEXT_BYTES + 1))
    assert caught.value.code == "yaml-too-large"


def test_duplicate_keys_have_their_lines() -> None:
    document = Document("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n", first_line=5)
    assert document.duplicate_keys == [("c", 8), ("a", 9)]


def _shape(root: Node | None) -> list[tuple[object, ...]]:
    return [
        (type(node).__name__, node.start, node.end, node.anchor, node.tag, repr(node.data))
        for node in (walk(root) if root else ())
    ]


def test_without_libyaml_the_trees_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    for path in sorted(TESTDATA.rglob("*")):
        if not path.is_file() or path.suffix not in (".yaml", ".yml", "") or path.is_symlink():
            continue
        content = decode(path.read_bytes())
        if content is not None and len(content) < 4000:
            texts += [part.text for part in Stream(content).parts]
    texts = sorted(set(texts))
    with_libyaml = [_parsed(text) for text in texts]
    monkeypatch.setattr(parse, "_parser", parse._pure_parser)
    compared = 0
    for text, expected in zip(texts, with_libyaml, strict=True):
        if "\t#" in text:
            continue  # ruamel.yaml refuses a tab before a comment
        assert _parsed(text) == expected, text
        compared += 1
    assert compared > 200


def _parsed(text: str) -> object:
    try:
        return _shape(Document(text).root)
    except DocumentError as e:
        return e.code
