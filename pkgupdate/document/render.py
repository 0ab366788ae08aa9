"""Canonical values as YAML text: scalars, flow and block collections, in a given style."""

from __future__ import annotations

import json
import re

from pkgupdate.document.geometry import SpliceError
from pkgupdate.document.style import DEFAULT, Style
from pkgupdate.document.values import Typed, Value, resolve_plain

_UNSAFE = r"\x00-\x1f\x7f-\xa0\ufeff\u2028\u2029"
_MARKS = r",\[\]{}&*!|>'\"%@`"
_PLAIN = re.compile(
    rf"[A-Za-z0-9_./$(][^{_UNSAFE}:#{_MARKS}]*(?::[^{_UNSAFE} #{_MARKS}:]+)*(?<! )\Z"
)
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+")
_NUMBER_11 = re.compile(r"[-+]?[0-9][0-9_,]*(\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?\Z")
_LITERAL = re.compile(r"\n*[^\s][^\r\n]*(?:\n[^\r\n]*)*")
_TAGS = {"null": "null", "merge": "<<"}


def scalar_text(value: Value, style: str = "") -> str:
    """One line of text for a scalar; `style` is the wanted quote, kept where it is safe.

    Words that some reader takes for another type are quoted.
    Raises SpliceError for values that have no scalar form.
    """
    if isinstance(value, Typed):
        return _typed_text(value)
    if not isinstance(value, str):
        raise SpliceError("a collection where a scalar is needed")
    printable = value.isprintable()
    if style == "'" and printable:
        return "'" + value.replace("'", "''") + "'"
    if style != '"' and printable and _is_plain(value):
        return value
    narrow = all(ord(char) < 0x10000 for char in value)
    return json.dumps(value, ensure_ascii=not printable and narrow)


def _is_plain(text: str) -> bool:
    return (
        _PLAIN.match(text) is not None
        and isinstance(resolve_plain(text), str)
        and not _SEXAGESIMAL.match(text)
        and not _NUMBER_11.match(text)
        and text not in ("---", "...")
    )


def _typed_text(value: Typed) -> str:
    tag, content = value
    if tag in _TAGS:
        return _TAGS[tag]
    if tag == "bool":
        return "true" if content else "false"
    if tag == "float":
        if isinstance(content, str):
            return "-.inf" if content.startswith("-") else "." + content
        return repr(content)
    if tag in ("int", "bool11", "time"):
        return str(content)
    if tag in ("complex", "dup") or not isinstance(content, str) or content[:1] in ("{", "["):
        raise SpliceError(f"a value of kind {tag} has no plain rendering")
    return f"{_tag_text(tag)} {json.dumps(content, ensure_ascii=False)}"


def _tag_text(tag: str) -> str:
    short = tag.replace("tag:yaml.org,2002:", "!!")
    return short if short.startswith("!") else f"!<{short}>"


def flow_text(value: Value, json_style: bool = False) -> str:
    """The value on one line; `json_style` quotes every key and string."""
    quote = '"' if json_style else ""
    if isinstance(value, dict):
        items = (f"{scalar_text(k, quote)}: {flow_text(v, json_style)}" for k, v in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow_text(item, json_style) for item in value) + "]"
    return scalar_text(value, quote)


def block_lines(value: Value, style: Style = DEFAULT) -> list[str]:
    """The lines of a non-empty map or list in block style, at column 0."""
    style = style.or_else(DEFAULT)
    if isinstance(value, dict):
        lines: list[str] = []
        for key, item in value.items():
            lines += entry_lines(key, item, style)
        return lines
    assert isinstance(value, list)
    return [line for item in value for line in entry_lines(None, item, style)]


def entry_lines(key: Value | None, value: Value, style: Style = DEFAULT) -> list[str]:
    """The lines of one entry (`key` None: a list item) in block style, at column 0."""
    style = style.or_else(DEFAULT)
    lead = "-" if key is None else scalar_text(key) + ":"
    if not isinstance(value, dict | list) or not value:
        first, *rest = inline_lines(value)
        return [f"{lead} {first}", *rest]
    lines = block_lines(value, style)
    if key is None:
        width = max(2, style.after_dash or 2)
        return ["-".ljust(width) + lines[0], *indented(lines[1:], width)]
    width = (style.list_in_map if isinstance(value, list) else style.map_in_map) or 0
    return [lead, *indented(lines, width)]


def inline_lines(value: Value, style: str = "", like: str = "") -> list[str]:
    """A scalar or empty collection as it follows `key: `; rest lines are relative to the key.

    `style` is the style of the scalar that it replaces and `like` that scalar's source text: a
    block scalar keeps its indicator, header comment and indent where it can express the value.
    """
    if isinstance(value, dict | list):
        return [flow_text(value)]
    if (isinstance(value, str) and style not in ('"', "'")) or style in ("|", ">"):
        block = _block_scalar(value, style, like) if isinstance(value, str) else None
        if block:
            return block
    return [scalar_text(value, style if style in ('"', "'") else "")]


def _block_scalar(value: str, style: str, like: str) -> list[str] | None:
    """The text as a literal (or folded) block scalar, None if it has no safe one."""
    if "\n" not in value and style not in ("|", ">"):
        return None
    is_indented = style == "|" and value.lstrip("\n")[:1] == " "
    if not is_indented and not _LITERAL.fullmatch(value):
        return None
    if style != "|" and re.search(r"[ \t]$", value, re.MULTILINE):
        return None  # blanks at the end of a line are seen in quotes only, and easily lost
    if not all(char == "\n" or char == "\t" or char.isprintable() for char in value):
        return None
    body = value.rstrip("\n")
    newlines = len(value) - len(body)
    keeps = "+" in like[1:3] and newlines > 0
    if newlines > 1 and not keeps:
        return None  # blank lines that follow in the document would become content
    chomp = "+" if keeps else "" if newlines else "-"
    width = _block_indent(like)
    lines = body.split("\n")
    mark = f"|{width}" if is_indented else "|"
    if style == ">" and all(line and not line[0].isspace() for line in lines):
        folds = _folds(like)
        mark, lines = ">", "\n\n".join(folds.get(line, line) for line in lines).split("\n")
    lines += [""] * (newlines - 1)
    return [mark + chomp, *indented(lines, width)]


def _folds(like: str) -> dict[str, str]:
    """How the lines of the folded value `like` are broken in its text."""
    paragraphs = [
        [line.strip() for line in paragraph.split("\n")]
        for paragraph in re.split(r"\n(?:[ \t]*\n)+", like.partition("\n")[2])
    ]
    return {" ".join(lines): "\n".join(lines) for lines in paragraphs}


def _block_indent(like: str) -> int:
    """The indent of the content lines in `like` (rest lines relative to the key), else 2."""
    explicit = re.match(r"[|>][-+]?([1-9])", like)
    if explicit:
        return int(explicit[1])
    for line in like.split("\n")[1:]:
        if line.strip():
            return max(1, len(line) - len(line.lstrip(" ")))
    return 2


def indented(lines: list[str], width: int) -> list[str]:
    """The lines moved right; empty ones stay empty."""
    pad = " " * width
    return [pad + line if line else line for line in lines]


def dedented(lines: list[str], width: int) -> list[str]:
    """The lines moved left by up to `width` spaces."""
    return [line[min(width, len(line) - len(line.lstrip(" "))) :] for line in lines]
