"""Contents that try to break, blow up or fool the YAML and merge layers.

What they guard against would take hours: the limit that every test has stops it.
"""

from __future__ import annotations

import json
import random
import resource
from collections.abc import Callable

import pytest

from pkgupdate.document.document import Document
from pkgupdate.document.limits import MAX_DEPTH
from pkgupdate.document.stream import Stream
from pkgupdate.errors import DocumentError
from pkgupdate.merge.decisions import Decision
from pkgupdate.merge.policy import Policy, Target
from pkgupdate.merge.sides import Sides
from pkgupdate.package.merge import PackageMerge, merge_trees
from pkgupdate.package.tree import MemoryTree
from pkgupdate.paths import covers, parse_pattern
from pkgupdate.report.display import line_changes
from pkgupdate.report.message import message
from pkgupdate.upstream.text import redact

Texts = tuple[str | bytes, str | bytes, str | bytes]


def merged(texts: Texts, name: str = "a.yaml") -> PackageMerge:
    """Merge one file in three versions; every decision can be told."""
    trees = [MemoryTree({name: t if isinstance(t, bytes) else t.encode()}) for t in texts]
    result = merge_trees(Sides(*trees), policy=Policy())
    for decision in result.decisions:
        assert message(decision, "upstream").isprintable()
    return result


def after(result: PackageMerge, local: str | bytes) -> bytes:
    for change in result.changes:
        assert change.after is not None
        return change.after.content
    return local if isinstance(local, bytes) else local.encode()


def aliases(levels: int, width: int = 9) -> str:
    lines = ["a0: &a0 [x]\n"]
    for i in range(levels):
        lines.append(f"a{i + 1}: &a{i + 1} [{','.join([f'*a{i}'] * width)}]\n")
    return "".join(lines)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (aliases(8), "yaml-too-large"),
        (aliases(200, 2), "yaml-too-large"),
        (
            "a: &a {x: y}\n" + "".join(f"b{i}: &a {{<<: *a, l: *a}}\n" for i in range(40)),
            "yaml-alias",
        ),
        (f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 100)}]\n", "yaml-too-large"),
        ("a: &a [*a]\n", "yaml-alias"),
        ("a: *b\nb: &b 1\n", "yaml-alias"),
        ("[" * 10_000 + "]" * 10_000, "yaml-too-deep"),
        ("{a: " * 10_000 + "}" * 10_000, "yaml-too-deep"),
        ("- " * 10_000 + "x", "yaml-too-deep"),
        ("? " * 10_000 + "x", "yaml-too-deep"),
        ("".join(" " * i + "a:\n" for i in range(MAX_DEPTH + 2)), "yaml-too-deep"),
        ("!t " * 10_000 + "x", "yaml-syntax"),
        ("&a " * 10_000 + "x", "yaml-syntax"),
        ("a: \0\n", "yaml-syntax"),
        ("a: \x1b[31m\n", "yaml-syntax"),
        ("a: '\udc80'\n", "yaml-syntax"),
        ("a: 'x\n" * 50_000, "yaml-syntax"),
        ('"\\uD800"', "yaml-syntax"),
        ("%TAG ! tag:" + "x" * 100_000 + "\n--- [", "yaml-syntax"),
        ("x" * (64 * 1024 * 1024 + 1), "yaml-too-large"),
        ("a: 1\n---\nb: 2\n", "yaml-syntax"),
    ],
    ids=range(21),
)
def test_refused(text: str, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        Document(text)
    assert caught.value.code in (code, "yaml-syntax")
    assert len(str(caught.value)) < 2000


def test_values_are_counted_without_aliases_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pkgupdate.document.parse.MAX_EXPANDED_NODES", 1_000)
    Document("- a\n" * 900)
    with pytest.raises(DocumentError, match="over a limit"):
        Document("- a\n" * 1_100)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system ['touch x']\n",
        "a: !!python/name:os.system\n",
        "!!python/object/new:type {args: [z, !!python/tuple [], {}]}\n",
        "a: !<tag:yaml.org,2002:python/module:os> ''\n",
        "a: " + "9" * 5_000 + "\n",
        "a: -0x" + "f" * 100_000 + "\n",
        "a: 1e99999\nb: -1e99999\nc: .inf\nd: .nan\n",
        "a: 0o7_7_\nb: 0b1\nc: 1:30\nd: 0_\n",
        "2024-01-31: a\n? 1\n: b\n? 0x1\n: c\n? '1'\n: d\n? true\n: e\n? yes\n: f\n",
        "a: " + "!t [" * 60 + '"x\'\\""' + "]" * 60 + "\n",
        "{[" * 15 + '"x\'\\""' + "]: 1}" * 15 + "\n",
        "a: 1\n" * 20_000,
        "metadata: # kpt-merge: " + "a/" * 5_000 + "\n  name: x\n",
        "metadata: # kpt-merge: ../\x7f\n  name: x\n",
        "apiVersion: v1\nkind: [a]\nmetadata: {name: {a: b}, namespace: [1]}\n",
        "apiVersion: 1\nkind: 2\nmetadata:\n  name: 3\n",
        "a: '[" + "[" * 100_000 + "]" * 100_001 + "'\n",
        'a: \'{"k": ' + "9" * 5_000 + "}'\n",
        "\ufeffa: 1\r\n\r\n...\r\n---\r\n# x\r\n",
        "%YAML 1.1\n%TAG !e! tag:e,2000:\n---\na: !e!x b\n...\n%YAML 1.2\n---\nc: d\n",
        "".join(f"# {chr(i)}\n" for i in (0x85, 0x2028, 0x2029, 0xA0, 0x202E)) + "a: 1\n",
        "a: |9\n          x\nb: >-\n\n\n  y\n\n",
        "? |\n  block\n: - one\n  -\n   - two\n",
        "a: &\u00e9 1\nb: *\u00e9\n",
        "<<: 1\n<<: 2\n? <<\n: 3\n",
        "--- --- ---\n... ...\n",
        "'",
        "",
        "\n" * 100_000,
        "#" * 100_000,
    ],
    ids=range(30),
)
def test_read_as_data(text: str) -> None:
    """Read or refused; merged with itself and with changes; no byte of the local file is lost."""
    assert "".join(part.text for part in Stream(text).parts) == text
    changed = text + "\n# changed\nzz: 1\n"
    assert not merged((text, text, text)).changes
    assert not merged((text, text, changed)).changes
    assert after(merged((text, changed, text)), text) == changed.encode()
    again = after(merged((text, changed, text + "\n# here\nyy: 2\n")), text)
    assert not merged((changed, changed, again)).changes


@pytest.mark.parametrize(
    "content",
    [b"a: \0\n", b"\xff\xfea\0:\0", b"a: caf\xe9\n", bytes(range(256)), b"\x80" * 100_000],
)
def test_bytes_that_are_no_text(content: bytes) -> None:
    result = merged((content, content + b"up", content + b"own"))
    assert [d.note for d in result.decisions if "binary" in d.note or "text" in d.note]
    assert not result.changes


def lines(count: int, seed: int, spread: int = 1 << 60) -> str:
    rng = random.Random(seed)
    return "".join(f"{rng.randrange(spread)}\n" for _ in range(count))


def items(prefix: str, count: int = 20_000) -> str:
    return "".join(f"- {prefix}{i}\n" for i in range(count))


def sides(make: Callable[[str], str]) -> Texts:
    return make("a"), make("b"), make("c")


LARGE: dict[str, Callable[[], Texts]] = {
    "different lines": lambda: (lines(50_000, 1), lines(50_000, 2), lines(50_000, 3)),
    "few kinds of lines": lambda: (lines(50_000, 1, 3), lines(50_000, 2, 3), lines(50_000, 3, 3)),
    "list of texts": lambda: sides(items),
    "list grown by both": lambda: ("- x\n", "- x\n" + items("b"), "- x\n" + items("b") + "- y\n"),
    "list of maps": lambda: sides(
        lambda x: "".join(f"- v: {x}{i}\n  w: {i}\n" for i in range(5_000))
    ),
    "named items": lambda: sides(
        lambda x: "".join(f"- name: n{i}\n  v: {x}\n" for i in range(5_000))
    ),
    "fields": lambda: sides(lambda x: "".join(f"k{i}: {x}\n" for i in range(20_000))),
    "comments": lambda: sides(
        lambda x: "".join(f"# {x}{i}\nk{i}: 1 # {x}\n" for i in range(10_000))
    ),
    "documents": lambda: sides(
        lambda x: "---\n".join(
            f"apiVersion: v1\nkind: A\nmetadata: {{name: n{i}}}\nx: {x}\n" for i in range(2_000)
        )
    ),
    "same identity": lambda: sides(
        lambda x: "---\n".join(
            f"apiVersion: v1\nkind: A\nmetadata: {{name: n}}\nx: {x}{i}\n" for i in range(500)
        )
    ),
    "document marks": lambda: sides(lambda x: "---\n" * 20_000 + f"a: {x}\n"),
    "ends": lambda: sides(lambda x: "a: 1\n...\n" * 10_000 + f"a: {x}\n"),
    "ends and comments": lambda: sides(lambda x: "...\n# c\n" * 20_000 + f"a: {x}\n"),
    "anchors": lambda: sides(
        lambda x: "".join(f"a{i}: &a{i} {{v: {x}}}\nb{i}: *a{i}\n" for i in range(2_000))
    ),
    "merge keys": lambda: sides(
        lambda x: f"a: &a {{x: {x}}}\n" + "".join(f"b{i}: {{<<: *a}}\n" for i in range(5_000))
    ),
    "flow list": lambda: sides(
        lambda x: "a: [" + ", ".join([f"{x}{i}" for i in range(20_000)]) + "]"
    ),
    "long line": lambda: sides(lambda x: 'a: "' + "x " * 500_000 + x + '"\n'),
    "long text": lambda: sides(lambda x: "a: |\n" + "".join(f"  {i} {x}\n" for i in range(20_000))),
    "blanks": lambda: sides(lambda x: "a: 1\n" + "\n" * 200_000 + f"b: {x}\n"),
    "spaces": lambda: sides(lambda x: "a: 1" + " " * 200_000 + f"#{x}\nb: {x}\n"),
    "hash signs": lambda: sides(lambda x: "a: '" + " #" * 200_000 + f"'\nb: {x} # {x}\n"),
    "repeated key": lambda: sides(lambda x: "a: 1\n" * 20_000 + f"b: {x}\n"),
    "close to the alias limit": lambda: sides(lambda x: aliases(4) + f"v: {x}\n"),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_documents_end(name: str) -> None:
    texts = LARGE[name]()
    result = merged(texts, "a.txt" if "lines" in name else "a.yaml")
    assert result.decisions or result.changes or texts[0] == texts[1]


@pytest.mark.parametrize(
    "work",
    [
        lambda: covers(parse_pattern(".".join(["**.a"] * 15) + ".c"), ("a",) * 60),
        lambda: Target("*a" * 40 + "b").names("a" * 5_000, "a" * 5_000),
        lambda: redact("a." * 100_000 + "://" * 1_000),
        lambda: redact("a:b@" * 100_000),
        lambda: line_changes(lines(20_000, 1), lines(20_000, 2)),
        lambda: merge_trees(
            Sides(
                MemoryTree({}),
                MemoryTree({".krmignore": b"*a" * 30 + b"b\n", "a" * 200 + ".yaml": b"a: 1\n"}),
                MemoryTree({}),
            ),
            policy=Policy(),
        ),
    ],
    ids=["path", "resource", "redact", "passwords", "lines", "ignore"],
)
def test_patterns_do_not_backtrack_for_ever(work: Callable[[], object]) -> None:
    work()


def test_many_renamed_resources_end() -> None:
    body = "".join(f"  k{j}: v%d{j}\n" for j in range(300))
    texts = [
        "---\n".join(
            f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {x}{i}\ndata:\n"
            + body.replace("%d", str(i))
            for i in range(150)
        )
        for x in "abc"
    ]
    merged((texts[0], texts[1], texts[2]))


def test_a_bomb_takes_no_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for text in (aliases(60), f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 10_000)}]\n"):
        with pytest.raises(DocumentError):
            Document(text)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_what_is_no_json_number_stays_valid_json() -> None:
    from pkgupdate.report.as_json import decision_data
    from pkgupdate.report.model import make_report

    texts = [f"apiVersion: v1\nkind: A\nmetadata: {{name: n}}\na: {x}\n" for x in
             ("1", "1e99999", "." + "inf")]  # fmt: skip
    decisions: list[Decision] = merged((texts[0], texts[1], texts[2])).decisions
    report = make_report("update", decisions, ())
    assert report.items
    for item in report.items:
        json.loads(json.dumps(decision_data(item), allow_nan=False))
