from collections.abc import Callable

import pytest

from pkgupdate.document.stream import Stream, decode
from pkgupdate.errors import DocumentError


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a: 1\n", "a: 1\n"),
        (b"\xef\xbb\xbfa: 1\n", "\ufeffa: 1\n"),
        (b"a\0b", None),
        (b"\xff\xfe", None),
        (b"", ""),
    ],
)
def test_decode(data: bytes, text: str | None) -> None:
    assert decode(data) == text


SPLITS = [
    ("", [""]),
    ("a: 1\n", ["a: 1\n"]),
    ("a: 1\n---\nb: 2\n", ["a: 1\n", "---\nb: 2\n"]),
    ("---\na: 1\n---\nb: 2\n", ["---\na: 1\n", "---\nb: 2\n"]),
    ("# top\n---\na: 1\n", ["# top\n---\na: 1\n"]),
    ("\ufeff---\na: 1\n---\n", ["\ufeff---\na: 1\n", "---\n"]),
    ("a: 1\r\n---\r\nb: 2\r\n", ["a: 1\r\n", "---\r\nb: 2\r\n"]),
    ("a: 1\n--- # c\nb: 2", ["a: 1\n", "--- # c\nb: 2"]),
    ("a: 1\n---b: 2\n", ["a: 1\n---b: 2\n"]),
    ("a: |\n  ---\n  x\n", ["a: |\n  ---\n  x\n"]),
    ("a: 1\n...\n---\nb: 2\n", ["a: 1\n...\n", "---\nb: 2\n"]),
    ("a: 1\n...\n# c\n%YAML 1.1\n---\nb: 2\n", ["a: 1\n...\n", "# c\n%YAML 1.1\n---\nb: 2\n"]),
    ("a: 1\n...\nb: 2\n", ["a: 1\n...\n", "b: 2\n"]),
    ("a: 1\n...\n# the end\n", ["a: 1\n...\n# the end\n"]),
    ("%YAML 1.1\n---\na: 1\n", ["%YAML 1.1\n---\na: 1\n"]),
    ("--- {a: 1}\n--- [b]\n", ["--- {a: 1}\n", "--- [b]\n"]),
]


@pytest.mark.parametrize(("text", "parts"), SPLITS)
def test_split(text: str, parts: list[str]) -> None:
    stream = Stream(text)
    assert [part.text for part in stream.parts] == parts
    assert stream.render({}) == text
    for part in stream.parts:
        assert part.document is part.document


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("", True),
        ("# only\n\n", True),
        ("---\n# c\n...\n", True),
        ("%YAML 1.1\n---\n", True),
        ("a: 1\n", False),
        ("--- x\n", False),
        ("---\n- a\n", False),
        ("null\n", False),
    ],
)
def test_is_empty(text: str, empty: bool) -> None:
    assert Stream(text).parts[0].is_empty is empty


def test_lines_of_errors_are_lines_of_the_file() -> None:
    parts = Stream("a: 1\n---\nb: 2\n---\nc: [\n", name="x.yaml").parts
    assert [part.first_line for part in parts] == [1, 2, 4]
    with pytest.raises(DocumentError) as caught:
        _ = parts[2].document
    assert caught.value.where.file == "x.yaml"
    assert caught.value.where.line in (5, 6)


DELETIONS = [
    ("a: 1\n---\nb: 2\n---\nc: 3\n", [0], "b: 2\n---\nc: 3\n"),
    ("a: 1\n---\nb: 2\n---\nc: 3\n", [1], "a: 1\n---\nc: 3\n"),
    ("a: 1\n---\nb: 2\n---\nc: 3\n", [2], "a: 1\n---\nb: 2\n"),
    ("---\na: 1\n---\nb: 2\n", [0], "---\nb: 2\n"),
    ("---\na: 1\n---\nb: 2\n", [1], "---\na: 1\n"),
    ("a: 1\n---\nb: 2", [1], "a: 1"),
    ("a: 1\r\n---\r\nb: 2\r\n", [0], "b: 2\r\n"),
    ("\ufeffa: 1\n---\nb: 2\n", [0], "\ufeffb: 2\n"),
    ("\ufeff---\na: 1\n---\nb: 2\n", [0], "\ufeff---\nb: 2\n"),
    ("# licence\n\na: 1\n---\nb: 2\n", [0], "# licence\n\nb: 2\n"),
    ("# licence\n---\na: 1\n---\nb: 2\n", [0], "# licence\n---\nb: 2\n"),
    ("a: 1\n--- # about b\nb: 2\n", [0], "--- # about b\nb: 2\n"),
    ("a: 1\n...\n---\nb: 2\n...\n", [1], "a: 1\n...\n"),
    ("a: |\n  x\n---\nb: 2", [1], "a: |\n  x\n"),
    ("a: 1\n---\nb: 2\n", [0, 1], ""),
]


@pytest.mark.parametrize(("text", "deleted", "result"), DELETIONS)
def test_a_deleted_document_takes_its_separator_with_it(
    text: str, deleted: list[int], result: str
) -> None:
    assert Stream(text).render(dict.fromkeys(deleted)) == result


ADDITIONS = [
    ("a: 1\n", 0, "b: 2\n", "a: 1\n---\nb: 2\n"),
    ("a: 1", 0, "b: 2\n", "a: 1\n---\nb: 2"),
    ("a: 1\n", 0, "---\nb: 2\n", "a: 1\n---\nb: 2\n"),
    ("a: 1\r\n", 0, "b: 2\n", "a: 1\r\n---\r\nb: 2\r\n"),
    ("a: 1\n", -1, "b: 2\n", "b: 2\n---\na: 1\n"),
    ("---\na: 1\n", -1, "b: 2\n", "---\nb: 2\n---\na: 1\n"),
    ("# licence\n\na: 1\n", -1, "b: 2\n", "# licence\n\nb: 2\n---\na: 1\n"),
    ("a: 1\n---\nc: 3\n", 0, "b: 2", "a: 1\n---\nb: 2\n---\nc: 3\n"),
    ("a: 1\n...\n", 0, "---\nb: 2\n", "a: 1\n...\n---\nb: 2\n"),
    ("a: |\n  cut", 0, "b: 2\n", "a: |-\n  cut\n---\nb: 2"),
    ("a: 1", 0, "b: |\n  x\n", "a: 1\n---\nb: |\n  x\n"),
    ("", 0, "b: 2\n", "b: 2\n"),
    ("# only\n", 0, "b: 2\n", "# only\n---\nb: 2\n"),
    ("\ufeffa: 1\n", 0, "\ufeffb: 2\n", "\ufeffa: 1\n---\nb: 2\n"),
]


@pytest.mark.parametrize(("text", "after", "new", "result"), ADDITIONS)
def test_an_added_document_gets_a_separator(text: str, after: int, new: str, result: str) -> None:
    assert Stream(text).render({}, [(after, new)]) == result


def test_replace_delete_add_and_reorder_at_once() -> None:
    stream = Stream("# top\na: 1\n---\nb: 2\n---\nc: 3\n---\nd: 4\n")
    result = stream.render({1: None, 2: "---\nc: 33\n"}, [(1, "new: 1\n")], order=[3, 2, 0])
    assert result == "# top\nd: 4\n---\nc: 33\n---\na: 1\n---\nnew: 1\n"


def test_the_work_grows_with_the_documents_not_with_their_square(
    calls: Callable[[Callable[[], object]], int],
) -> None:
    def rendering(count: int) -> Callable[[], object]:
        stream = Stream("---\n".join(f"a: {i}\n" for i in range(count)))
        additions = [(i, "b: 1\n") for i in range(0, count, 2)]
        return lambda: stream.render({}, additions)

    assert calls(rendering(200)) < 2.5 * calls(rendering(100))


FITTED = [
    ("a: 1\n---\nb: 2\n", {1: "b: 3\n"}, "a: 1\n---\nb: 3\n"),
    ("a: 1\n---\nb: 2\n", {0: "---\na: 3"}, "a: 3\n---\nb: 2\n"),
    ("\ufeffa: 1\n", {0: "a: 2\n"}, "\ufeffa: 2\n"),
    ("a: 1\n", {0: "\ufeffa: 2\n"}, "a: 2\n"),
    ("# top\n---\na: 1\n", {0: "# top\n---\na: 2\n"}, "# top\n---\na: 2\n"),
    ("a: 1\n---\nb: 2\n", {0: "a: |\n  cut"}, "a: |-\n  cut\n---\nb: 2\n"),
    ("--- # c\na: 1\n", {0: "--- # d\na: 2\n"}, "--- # d\na: 2\n"),
]


@pytest.mark.parametrize(("text", "replacements", "result"), FITTED)
def test_a_replacement_fits_in_where_the_old_text_was(
    text: str, replacements: dict[int, str | None], result: str
) -> None:
    assert Stream(text).render(replacements) == result
