"""Work is in proportion to the change, not to the package."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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


Versions = tuple[Files, Files, Files]


def joined(names: list[str]) -> str:
    return "---\n".join(map(resource, names))


def in_one_file(*versions: str) -> Versions:
    original, upstream, local = ({"a.yaml": text} for text in versions)
    return original, upstream, local


def names_of(count: int, mark: str = "r") -> list[str]:
    return [f"{mark}{i}" for i in range(count)]


def added_between(count: int) -> Versions:
    upstream = [name for i in range(count) for name in (f"r{i}", f"new{i}")]
    local = joined(names_of(count)).replace("name: r0", "name: mine")
    return in_one_file(joined(names_of(count)), joined(upstream), local)


def gathered_here(count: int) -> Versions:
    """Local moved all resources into a file that already held as many."""
    others = {"all.yaml": joined(names_of(count, "other"))}
    original = package(count) | others
    upstream = {path: text.replace('"1"', '"2"') for path, text in package(count).items()}
    local = {"all.yaml": joined(names_of(count, "other") + names_of(count))}
    return original, upstream | others, local


def deleted_here(count: int) -> Versions:
    """Local has other resources, each in a directory of its own."""
    original = {f"{name}/a.yaml": resource(name) for name in names_of(count)}
    upstream = {f"{n}/a.yaml": resource(n, "data: {A: b}\n") for n in names_of(count)}
    local = {f"{name}/a.yaml": resource(name) for name in names_of(count, "mine")}
    return original, upstream, local


def of_one_name(count: int) -> Versions:
    """A file holds one identity again and again, in other numbers on each side."""
    original = [resource("r", f"data:\n  A: {i}\n  B: b\n") for i in range(count)]
    upstream = [text.replace("B: b", "B: new") for text in original]
    local = [text.replace("B: b", "B: mine") for text in original[:-2]]
    return in_one_file(*map("---\n".join, (original, [*upstream, resource("r")], local)))


def subpackages(count: int, mark: str, body: str = "data: {}\n") -> Files:
    files: Files = {"top.yaml": resource("top")}
    for name in names_of(count, mark):
        files[f"{name}/Kptfile"] = resource(name, "", kind="Kptfile", version="kpt.dev/v1")
        files[f"{name}/a.yaml"] = resource(name, body)
    return files


def renamed_packages(count: int) -> Versions:
    original = subpackages(count, "old")
    upstream = {path.replace("old", "new"): text for path, text in original.items()}
    return original, upstream, original


def replaced_packages(count: int) -> Versions:
    original = subpackages(count, "old")
    return original, subpackages(count, "new", "data: {A: b}\n"), original


@pytest.mark.parametrize(
    "sides_of",
    [
        added_between,
        gathered_here,
        deleted_here,
        of_one_name,
        renamed_packages,
        replaced_packages,
    ],
)
def test_twice_as_much_is_twice_the_work(
    sides_of: Callable[[int], Versions], calls: Callable[[Callable[[], object]], int]
) -> None:
    def merging(count: int) -> Callable[[], object]:
        versions = sides_of(count)
        return lambda: merge(*versions)

    merging(2)()  # what is loaded late
    assert calls(merging(600)) < 2.3 * calls(merging(300))
