"""Work is in proportion to the change, not to the package."""

from __future__ import annotations

from .support import Files, merge, resource, texts


def package(count: int, annotated: bool = False) -> Files:
    files: Files = {}
    for i in range(count):
        text = resource(f"r{i}")
        if annotated:
            text = text.replace("metadata:", f"metadata: # kpt-merge: /r{i}")
        files[f"{i:04}.yaml"] = text
    return files


def test_one_changed_file_of_many_is_taken_without_parsing() -> None:
    original = package(1000)
    upstream = original | {"0500.yaml": resource("r500", 'data:\n  A: "2"\n')}
    result = merge(original, upstream, original)
    assert [change.path for change in result.changes] == ["0500.yaml"]
    assert result.stats.files_read <= 3
    assert result.stats.documents_parsed == 0


def test_merge_comments_do_not_make_a_file_changed() -> None:
    original = package(1000)
    upstream = original | {"0500.yaml": resource("r500", 'data:\n  A: "2"\n')}
    local = package(1000, annotated=True)
    result = merge(original, upstream, local)
    assert texts(local, result)["0500.yaml"] == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /r500\n  name: r500\n"
        'data:\n  A: "2"\n'
    )
    assert result.stats.files_read <= 3
    assert result.stats.documents_parsed == 0


def test_only_the_document_that_both_sides_changed_is_parsed() -> None:
    texts_of = [resource(f"r{i}", "data:\n  A: a\n  B: b\n") for i in range(300)]
    original: Files = {"all.yaml": "---\n".join(texts_of)}

    def edited(old: str, new: str, *places: int) -> Files:
        parts = [t.replace(old, new) if i in places else t for i, t in enumerate(texts_of)]
        return {"all.yaml": "---\n".join(parts)}

    local = edited("A: a", "A: mine", 7, 9)
    result = merge(original, edited("B: b", "B: new", 7, 8), local)
    merged = texts(local, result)["all.yaml"].split("---\n")
    assert [i for i, t in enumerate(merged) if t != texts_of[i]] == [7, 8, 9]
    assert "A: mine\n  B: new" in merged[7]
    assert result.stats.documents_parsed == 3
    assert result.stats.files_read <= 3


def test_no_change_reads_nothing() -> None:
    original = package(100)
    result = merge(original, original, package(100, annotated=True))
    assert result.stats.files_read == 0
    assert not result.changes and not result.decisions


def test_definitions_are_looked_for_only_when_a_list_changed() -> None:
    def widget(size: str, color: str, parts: str) -> str:
        spec = f"spec:\n  size: {size}\n  color: {color}\n  parts: [{parts}]\n"
        return resource("w", spec, kind="Widget", version="example.com/v1")

    others = package(100)

    def files_read(upstream: str, local: str) -> int:
        versions = (widget("1", "red", "a"), upstream, local)
        result = merge(*({**others, "w.yaml": text} for text in versions))
        assert len(result.changes) == 1
        return result.stats.files_read

    assert files_read(widget("2", "red", "a"), widget("1", "blue", "a")) == 3
    assert files_read(widget("1", "red", "a, new"), widget("1", "red", "mine, a")) > 100
