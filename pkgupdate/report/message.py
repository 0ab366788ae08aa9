"""The one line that says what a decision is about and how it ended."""

from __future__ import annotations

from pkgupdate.document.values import MaybeValue, Missing
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.paths import format_path
from pkgupdate.report.display import comment_text, line_changes, one_line
from pkgupdate.upstream.text import printable

_SUBJECTS = {
    Subject.ORDER: "order",
    Subject.COMMENT_HEAD: "comment above",
    Subject.COMMENT_LINE: "comment beside",
    Subject.COMMENT_FOOT: "comment below",
    Subject.MODE: "mode",
}
_VALUE_WIDTH = 48
COMMENTS = (Subject.COMMENT_HEAD, Subject.COMMENT_LINE, Subject.COMMENT_FOOT)


def place(decision: Decision) -> str:
    """Where the decision lies: file, resource and path, or file and pipeline function."""
    if decision.function:
        return _join(decision.file, _in_pipeline(decision))
    resource = "" if decision.file.rpartition("/")[2] == "Kptfile" else decision.resource
    subject = f"({_SUBJECTS[decision.subject]})" if decision.subject in _SUBJECTS else ""
    return _join(decision.file, resource, format_path(decision.path), subject)


def message(decision: Decision, winner: str) -> str:
    """One line for people that begins with the place."""
    return f"{place(decision)}: {outcome(decision, winner)}"


def outcome(decision: Decision, winner: str) -> str:
    """What happened at the place, without naming it."""
    if is_note(decision):
        return printable(decision.note)
    if decision.kind is Kind.COLLISION:
        text = _collision(decision, winner)
    elif decision.rule is Rule.CHOICE:
        text = _chosen(decision, winner)
    else:
        text = _OUTCOMES[decision.kind](decision)
    if decision.new_path and decision.new_path != decision.file:
        text += f"; now in {printable(decision.new_path)}"
    if not decision.note:
        return text
    note = printable(decision.note)
    return f"{note}: {text}" if decision.rule is Rule.EXCLUSIVE else f"{text} ({note})"


def _in_pipeline(decision: Decision) -> str:
    """``pipeline.mutators set-namespace`` and the path inside the function, if any."""
    function = f"{format_path(decision.path[:2])} {decision.function}"
    inside = format_path(decision.path[3:])
    if not inside or inside.startswith("["):
        return function + inside
    return f"{function}.{inside}"


def _applied(decision: Decision) -> str:
    if isinstance(decision.upstream, Missing) and not isinstance(decision.original, Missing):
        return "deleted, as upstream"
    if isinstance(decision.original, Missing):
        return f"added {shown(decision, decision.result)}" if _is_value(decision) else "added"
    if not _is_value(decision):
        merged = decision.rule is Rule.TEXT
        return "changes of both sides merged by lines" if merged else "changed, as upstream"
    before, after = decision.local, decision.result
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        return f"text changed, {line_changes(before, after)}"
    return f"{shown(decision, decision.original)} -> {shown(decision, decision.result)}"


def _kept(decision: Decision) -> str:
    if not _is_value(decision):
        return "local state kept"
    return f"local {shown(decision, decision.local)} kept"


def _agreed(decision: Decision) -> str:
    return "same change on both sides"


def _collision(decision: Decision, winner: str) -> str:
    if decision.rule is Rule.DELETE_EDIT:
        how = "deleted upstream, changed locally"
    elif decision.rule is Rule.EDIT_DELETE:
        how = "changed upstream, deleted locally"
    elif decision.rule is Rule.PIPELINE_REPLACED:
        how = "the pipeline has no usable key"
    else:
        how = "changed on both sides"
    if winner == "merged" and decision.rule in (Rule.TEXT, Rule.JSON):
        return f"{how}; combined"
    return f"{how}; {_WINNERS[winner]}"


def _chosen(decision: Decision, winner: str) -> str:
    if not _is_value(decision):
        return f"{'local' if winner == 'both' else winner} state chosen"
    value = shown(decision, decision.result)
    return f"{value} written by hand" if winner == "merged" else f"{winner} {value} chosen"


def _withheld(decision: Decision) -> str:
    if not _is_value(decision):
        return "upstream's change withheld, local state kept"
    upstream, local = shown(decision, decision.upstream), shown(decision, decision.local)
    return f"upstream's {upstream} withheld, local {local} kept"


_OUTCOMES = {
    Kind.APPLIED: _applied,
    Kind.KEPT: _kept,
    Kind.AGREED: _agreed,
    Kind.WITHHELD: _withheld,
}


_WINNERS = {
    "upstream": "upstream wins",
    "local": "local wins",
    "both": "both end the same",
    "merged": "a value of its own was taken",
}


def winner_of(decision: Decision) -> str:
    """``upstream``, ``local``, ``both`` (they are the same) or ``merged`` (neither).

    Takes the decision with its true values: hidden ones all look alike.
    """
    upstream = decision.result == decision.upstream
    local = decision.result == decision.local
    if upstream and local:
        return "both"
    return "upstream" if upstream else "local" if local else "merged"


def shown(decision: Decision, value: MaybeValue, width: int = _VALUE_WIDTH) -> str:
    """One of the decision's values on one line."""
    return (comment_text if decision.subject in COMMENTS else one_line)(value, width)


def is_note(decision: Decision) -> bool:
    """Is there nothing to it but the note, no value on any side?"""
    sides = (decision.original, decision.upstream, decision.local)
    has_value = not all(isinstance(side, Missing) for side in sides)
    return decision.kind is Kind.KEPT and bool(decision.note) and not has_value


def is_whole(decision: Decision) -> bool:
    """Is it about a whole file, resource or package, whose values are only stand-ins?"""
    is_thing = decision.subject in (Subject.FILE, Subject.RESOURCE, Subject.PACKAGE)
    return is_thing and not decision.path


def _is_value(decision: Decision) -> bool:
    return decision.subject is Subject.VALUE or decision.subject in COMMENTS


def _join(*parts: str) -> str:
    return " ".join(printable(part) for part in parts if part)
