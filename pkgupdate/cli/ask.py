"""Asking a person about collisions, one by one.

`ask` knows no command and no file: it shows decisions and returns answers, which become the
`choices` of a policy. Nothing is written before all are given.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from pkgupdate.cli import console
from pkgupdate.document.document import Document
from pkgupdate.errors import DocumentError, PkgUpdateError, UsageError
from pkgupdate.merge.decisions import (
    Choice,
    Choices,
    Decision,
    DecisionKey,
    FreeValue,
    Rule,
    Subject,
)
from pkgupdate.report.display import as_yaml
from pkgupdate.report.model import Item
from pkgupdate.report.text import Style, collision_block, plain

_SIDES: dict[str, Choice] = {
    "u": "upstream",
    "upstream": "upstream",
    "l": "local",
    "local": "local",
}
_HELP = """\
  u  take upstream's version          U  and so for all others of this kind
  l  keep the local version           L  and so for all others of this kind
  q  stop; nothing is written"""
_EDIT_HELP = "  e  write a value"


class HasDecisions(Protocol):
    """The outcome of a merge."""

    @property
    def decisions(self) -> list[Decision]:
        """What was decided."""


Outcome = TypeVar("Outcome", bound=HasDecisions)


@dataclass(frozen=True, slots=True)
class Dialog:
    """How to talk: `read` shows a prompt and gives a line (EOFError at the end), `write` shows one
    line, `edit` lets a person change a text (None: given up), `style` paints."""

    read: Callable[[str], str]
    write: Callable[[str], None]
    edit: Callable[[str], str | None]
    style: Style = plain


def terminal_dialog() -> Dialog:
    """The dialog on the terminal, on stderr and stdin.

    Raises UsageError `not-a-terminal` where nobody can answer.
    """
    if not console.is_interactive():
        raise UsageError(
            "not-a-terminal",
            "nobody can be asked: this is not a terminal",
            hint="choose --on-conflict upstream, local or fail",
        )
    return Dialog(_read, _write, _edit, lambda text, what: console.paint(text, what, sys.stderr))


def ask(decisions: Sequence[Decision], dialog: Dialog) -> dict[DecisionKey, Choice]:
    """The answers to all these decisions, by their keys.

    Raises PkgUpdateError `stopped` when the person quits.
    """
    answers: dict[DecisionKey, Choice] = {}
    for_kind: dict[tuple[Rule, Subject], Choice] = {}
    for number, decision in enumerate(decisions, start=1):
        if decision.key in answers:  # another stretch of the same text: one answer is for all
            continue
        kind = (decision.rule, decision.subject)
        if kind in for_kind:
            answers[decision.key] = for_kind[kind]
            continue
        dialog.write(f"\n{number} of {len(decisions)}" if len(decisions) > 1 else "")
        for line in collision_block(Item.of(decision), dialog.style):
            dialog.write(line)
        answers[decision.key], is_for_kind = _answer(decision, dialog, len(decisions) > 1)
        if is_for_kind:
            for_kind[kind] = answers[decision.key]
    return answers


def flip(merge: Callable[[Choices], Outcome], dialog: Dialog) -> Outcome:
    """Let a person change any decision of a merge, as often as they like; the last outcome.

    All decisions are listed first, and after each change those that it concerns. Raises
    PkgUpdateError `stopped` when the person quits.
    """
    answers: dict[DecisionKey, Choice] = {}
    outcome = merge(answers)
    shown: list[str] = []
    while True:
        decisions = outcome.decisions
        messages = [Item.of(decision).message for decision in decisions]
        for number, text in enumerate(messages, start=1):
            if text not in shown:
                dialog.write(f"{number:>4}  {text}")
        shown = messages
        word = _line(dialog, "number of the decision to change (? lists all, empty when done): ")
        if not word:
            return outcome
        if word.isdecimal() and 0 < int(word) <= len(decisions):
            answers |= ask([decisions[int(word) - 1]], dialog)
            outcome = merge(answers)
        elif word == "?":
            shown = []
        else:
            dialog.write(f"  there is no decision {word!r}: 1 to {len(decisions)}")


def _line(dialog: Dialog, prompt: str) -> str:
    """One answer; the end of the input quits."""
    try:
        word = dialog.read(prompt).strip()
    except EOFError:
        word = "q"
    if word in ("q", "quit"):
        raise PkgUpdateError("stopped", "stopped; nothing was written")
    return word


def _answer(decision: Decision, dialog: Dialog, has_others: bool) -> tuple[Choice, bool]:
    """One answer, and whether it is for all of the kind."""
    is_value = decision.subject is Subject.VALUE
    keys = ["[u]pstream", "[l]ocal"]
    keys += ["[e]dit"] if is_value else []
    keys += ["[U]/[L] all of this kind"] if has_others else []
    while True:
        word = _line(dialog, f"  {', '.join(keys)}, [q]uit: ")
        if word.lower() in _SIDES:
            return _SIDES[word.lower()], word[0].isupper()
        if word in ("e", "edit") and is_value:
            value = _edited(decision, dialog)
            if value is not None:
                return value, False
        else:
            dialog.write(f"{_HELP}\n{_EDIT_HELP}" if is_value else _HELP)


def _edited(decision: Decision, dialog: Dialog) -> FreeValue | None:
    """The value that the person writes, as YAML."""
    text = dialog.edit(as_yaml(decision.local))
    if text is None:
        return None
    try:
        return FreeValue(Document(text).data)
    except DocumentError as e:
        dialog.write(f"  this is not YAML: {e.why or e.what}")
        return None


def _write(line: str) -> None:
    console.clear_progress()
    print(line, file=sys.stderr)


def _read(prompt: str) -> str:
    console.clear_progress()
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _edit(text: str) -> str | None:
    """Let the person change the text in their editor, else on one line."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        return _read("  value (YAML): ")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "value.yaml"
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([*shlex.split(editor), str(path)], check=False)
        return path.read_text(encoding="utf-8") if done.returncode == 0 else None
