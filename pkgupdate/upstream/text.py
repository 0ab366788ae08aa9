"""Text from elsewhere made fit for a terminal, a log or a report.

Upstream names and git's own messages may hold credentials, terminal escapes or newlines; everything
the upstream layer says to a person goes through here first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_USERINFO = re.compile(r"(?<=://)[^/\s'\"]*@")
_PASSWORD = re.compile(r"(?P<user>(?<![^\s'\"(]))[^\s/@:'\"]+:[^\s/@'\"]+@(?=[\w.-]+[:/])")


def printable(text: str) -> str:
    """Return `text` with every character that a terminal would act on written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without the credentials of any URL in it, and without each of `secrets`."""
    from urllib.parse import unquote

    spellings = {spelling for secret in secrets for spelling in (secret, unquote(secret))}
    for secret in sorted(spellings, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _PASSWORD.sub(r"\g<user>", _USERINFO.sub("", text))


def clean(text: str, secrets: Iterable[str] = ()) -> str:
    """Return several lines of a program's output, redacted and printable, blank lines dropped."""
    lines = (printable(line.rstrip()) for line in redact(text, secrets).splitlines())
    return "\n".join(line for line in lines if line)
