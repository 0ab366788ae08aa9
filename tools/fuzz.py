"""Coverage-guided fuzzing of the document and merge layers, with atheris.

Usage: python tools/fuzz.py TARGET [CORPUS…] [libFuzzer options], such as

    python tools/fuzz.py merge -max_total_time=60

An input is three texts, divided by the byte 0x1E: original, upstream and local. Each target checks
laws that hold whatever the texts are, and fails on every exception but a `PkgUpdateError`.
`scripts/fuzz` runs all targets; what they found is in `tests/security/test_fuzz.py`.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from pkgupdate.errors import DocumentError, PkgUpdateError

SEPARATOR = "\x1e"
TESTDATA = Path(__file__).parents[1] / "testdata"
_MAX_SEED = 3_000
_MUTATIONS = 4
_PIECES = (
    "- ", "  ", "key: ", "? ", ": ", "&a ", "*a", "<<: *a", "|\n", "|2-\n", ">+\n", "# note", "#",
    "---\n", "...\n", "%YAML 1.1\n", "!!str ", "!t ", "null", "~", "{}", "[]", "{a: 1, b: [x]}",
    "'", '"', "\\", "\t", "\r\n", "\u2028", "\x85", "\ufeff", "'it''s'", '"a\\\n  b"', "0x1F",
    "name: x\n", "- name: x\n", "metadata: # kpt-merge: a/b\n", '{"a": [1, 2]}', "!!binary ",
)  # fmt: skip


def check_document(*texts: str) -> None:
    """A document parses or is refused; a stream keeps every byte; its comments can be read."""
    from pkgupdate.document.document import Document
    from pkgupdate.document.nodes import Mapping, Sequence
    from pkgupdate.document.stream import Stream

    for text in texts:
        stream = Stream(text)
        assert "".join(part.text for part in stream.parts) == text
        assert stream.render({}) == text
        try:
            documents = [part.document for part in stream.parts]
        except DocumentError:
            continue
        for document in documents:
            pending = [document.root]
            while pending:
                node = pending.pop()
                if isinstance(node, Mapping | Sequence):
                    for index, entry in enumerate(node.entries):
                        document.comments(node, index)
                        pending.append(entry.value)
        assert all(Document(part.text).data == part.document.data for part in stream.parts)


def check_merge(original: str, upstream: str, local: str) -> None:
    """The merge of documents is written as intended; the laws of one-sided and equal changes."""
    from pkgupdate.document.apply import apply_edits
    from pkgupdate.document.document import Document
    from pkgupdate.document.intent import apply_to_data
    from pkgupdate.merge.documents import Place, merge_documents
    from pkgupdate.merge.policy import Policy
    from pkgupdate.merge.sides import Sides
    from pkgupdate.schema import SchemaSet

    sides = Sides(*(Document(text) for text in (original, upstream, local)))
    schema = SchemaSet().for_resource("apps/v1", "Deployment")

    def merge(three: Sides[Document]) -> str:
        decisions = merge_documents(three, Place("f"), schema, Policy())
        edits = [edit for decision in decisions for edit in decision.edits]
        if not edits:
            return three.local.text
        text = apply_edits(three.local, edits)
        assert Document(text).data == apply_to_data(three.local, edits)
        return text

    merged = Document(merge(sides))
    assert merge(Sides(sides.upstream, sides.upstream, merged)) == merged.text
    assert merge(Sides(sides.original, sides.original, sides.local)) == sides.local.text
    assert merge(Sides(sides.original, sides.upstream, sides.upstream)) == sides.upstream.text
    alone = merge(Sides(sides.original, sides.upstream, sides.original))
    assert Document(alone).data == sides.upstream.data


def check_kptfile(original: str, upstream: str, local: str) -> None:
    """The merge of Kptfiles can be written and read again."""
    from pkgupdate.document.apply import apply_edits
    from pkgupdate.document.document import Document
    from pkgupdate.merge.documents import Place
    from pkgupdate.merge.pipeline import merge_kptfiles
    from pkgupdate.merge.policy import Policy
    from pkgupdate.merge.sides import Sides
    from pkgupdate.update.kptfile import LockSection, UpstreamSection, read_kptfile, set_upstream

    sides = Sides(*(Document(text) for text in (original, upstream, local)))
    decisions = merge_kptfiles(sides, Place("Kptfile"), Policy(), is_root=True)
    edits = [edit for decision in decisions for edit in decision.edits]
    text = apply_edits(sides.local, edits) if edits else sides.local.text
    follows = UpstreamSection("https://example.org/r", "/d", "v2", "resource-merge")
    lock = LockSection(follows.repo, follows.directory, follows.ref, "0" * 40)
    again = read_kptfile(set_upstream(read_kptfile(text.encode()), follows, lock))
    assert (again.upstream, again.lock) == (follows, lock)


def check_package(original: str, upstream: str, local: str) -> None:
    """The merge of packages never fails on content, and a second one changes nothing."""
    from pkgupdate.merge.policy import Policy
    from pkgupdate.merge.sides import Sides
    from pkgupdate.package.merge import merge_trees
    from pkgupdate.package.tree import MemoryTree
    from pkgupdate.report.message import message

    def tree(text: str) -> MemoryTree:
        content = text.encode("utf-8", "surrogatepass")
        return MemoryTree({"a.yaml": content, "b.txt": content, "d/c.json": content[::2]})

    sides = Sides(tree(original), tree(upstream), tree(local))
    result = merge_trees(sides, policy=Policy(), merge_comments=True)
    for decision in result.decisions:
        line = message(decision, "upstream")
        assert line.isprintable(), line
    files = {path: sides.local.read(path) for path in sides.local.entries}
    for change in result.changes:
        if change.after is None:
            del files[change.path]
        else:
            files[change.path] = change.after.content
    merged = MemoryTree(files)
    again = merge_trees(Sides(sides.upstream, sides.upstream, merged), policy=Policy())
    assert not again.changes


TARGETS: dict[str, Callable[..., None]] = {
    "document": check_document,
    "merge": check_merge,
    "kptfile": check_kptfile,
    "package": check_package,
}


def run_input(target: str, data: bytes) -> None:
    """Check one input. Expected refusals pass."""
    texts = data.decode("utf-8", "replace").split(SEPARATOR)
    original, upstream, local = (texts + texts[-1:] * 2)[:3]
    with contextlib.suppress(PkgUpdateError):
        TARGETS[target](original, upstream, local)


def seeds() -> Iterator[bytes]:
    """Inputs to begin with: the small YAML files of the testdata, alone and side by side."""
    for folder in sorted({path.parent for path in TESTDATA.rglob("*.yaml")}):
        texts = [
            path.read_text(encoding="utf-8", errors="replace")[:_MAX_SEED]
            for path in sorted(folder.iterdir())
            if path.suffix in (".yaml", "") and path.is_file()
        ]
        for text in texts[:3]:
            yield text.encode()
        if len(texts) >= 3:
            yield SEPARATOR.join(texts[:3]).encode()


def mutate(data: bytes, seed: int) -> bytes:
    """A few changes of the kind that people make: lines and words of one of the three texts."""
    rng = random.Random(seed)
    texts = data.decode("utf-8", "replace").split(SEPARATOR)
    texts = (texts + texts[-1:] * 2)[:3]
    for _ in range(rng.randint(1, _MUTATIONS)):
        side = rng.randrange(3)
        lines = texts[side].split("\n")
        at = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, rng.choice(lines))
            case 2:
                lines.insert(at, rng.choice(texts[rng.randrange(3)].split("\n")))
            case 3:
                lines[at] = " " * rng.randrange(5) + lines[at].lstrip()
            case 4:
                cut = rng.randint(0, len(lines[at]))
                lines[at] = lines[at][:cut] + rng.choice(_PIECES) + lines[at][cut:]
            case 5:
                lines[at] = lines[at].rpartition(":")[0] + ": " + rng.choice(_PIECES)
            case _:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
        texts[side] = "\n".join(lines)
    return SEPARATOR.join(texts).encode("utf-8", "replace")


def main(arguments: list[str]) -> None:
    """Fuzz one target until libFuzzer ends."""
    import atheris

    target = arguments[1] if len(arguments) > 1 else ""
    if target not in TARGETS:
        sys.exit(f"usage: fuzz.py {'|'.join(TARGETS)} [CORPUS] [libFuzzer options]")

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        return (atheris.Mutate(data, max_size) if seed % 5 == 0 else mutate(data, seed))[:max_size]

    with atheris.instrument_imports(include=["pkgupdate"]):
        import pkgupdate.document.apply
        import pkgupdate.merge.documents
        import pkgupdate.merge.pipeline
        import pkgupdate.package.merge
        import pkgupdate.update.kptfile  # noqa: F401
    folders = [argument for argument in arguments[2:] if not argument.startswith("-")]
    if folders:
        for number, seed in enumerate(seeds()):
            (Path(folders[0]) / f"seed-{number:04}").write_bytes(seed)
    atheris.Setup(
        [arguments[0], *arguments[2:]],
        lambda data: run_input(target, data),
        custom_mutator=mutator,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
