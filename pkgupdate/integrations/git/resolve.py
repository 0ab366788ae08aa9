"""What a merge left open in a work tree: marked blocks, and files that are not merged at all.

Each of them becomes a collision, as a merge reports it; the answers become lines of the files. In
the words of decisions, local is ours and upstream is theirs.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pkgupdate.document.stream import Stream, decode
from pkgupdate.document.values import MISSING, MaybeValue
from pkgupdate.errors import DocumentError
from pkgupdate.integrations.git.markers import Conflict, lines_of, read_conflicts
from pkgupdate.integrations.git.process import Git, top_level
from pkgupdate.merge.decisions import Choice, Decision, DecisionKey, FreeValue, Kind, Rule, Subject
from pkgupdate.package.kinds import Route, route_of
from pkgupdate.package.verdicts import fingerprint
from pkgupdate.report.redact import holds_secret

_ORIGINAL, _OURS, _THEIRS = 1, 2, 3
_NO_BASE = "(not in the markers)"


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file with something to decide.

    text: with marked blocks; None if the file as a whole has to be chosen.
    stages: the ids of the versions in the index (1 base, 2 ours, 3 theirs).
    """

    path: str
    text: str | None
    stages: Mapping[int, str]

    def collisions(self) -> list[Decision]:
        """What is to be decided, in order."""
        if self.text is None:
            return [self._whole()]
        hides = holds_secret(self.text)
        return [self._block(conflict, hides) for conflict in read_conflicts(self.text)]

    def resolved(self, answers: Mapping[DecisionKey, Choice]) -> str:
        """The text with every marked block replaced by what was chosen for it."""
        assert self.text is not None
        lines = lines_of(self.text)
        hides = holds_secret(self.text)
        out: list[str] = []
        position = 0
        for conflict in read_conflicts(self.text):
            out += lines[position : conflict.start]
            out.append(_chosen(conflict, answers[self._block(conflict, hides).key]))
            position = conflict.end
        return "".join([*out, *lines[position:]])

    def _block(self, conflict: Conflict, hides: bool) -> Decision:
        def value(text: str | None) -> MaybeValue:
            if not text:
                return MISSING
            return fingerprint(text) if hides else textwrap.dedent(text)

        return Decision(
            Kind.COLLISION,
            Rule.EDIT_EDIT if conflict.ours and conflict.theirs else Rule.DELETE_EDIT,
            file=f"{self.path}:{conflict.start + 1}",
            original=_NO_BASE if conflict.base is None else value(conflict.base),
            upstream=value(conflict.theirs),
            local=value(conflict.ours),
            result=value(conflict.ours),
            note="local is ours, upstream is theirs",
        )

    def _whole(self) -> Decision:
        def value(stage: int) -> MaybeValue:
            oid = self.stages.get(stage)
            return oid[:12] if oid else MISSING

        is_edit = _OURS in self.stages and _THEIRS in self.stages
        return Decision(
            Kind.COLLISION,
            Rule.BINARY if is_edit else Rule.DELETE_EDIT,
            Subject.FILE,
            file=self.path,
            original=value(_ORIGINAL),
            upstream=value(_THEIRS),
            local=value(_OURS),
            result=value(_OURS),
            note="the whole file: local is ours, upstream is theirs",
        )


def open_files(directory: Path | None = None) -> list[OpenFile]:
    """Everything below the directory that is not resolved, by path relative to the work tree.

    Raises PackageError `not-a-repository`.
    """
    root = top_level(directory)
    here = Git(directory)
    stages: dict[str, dict[int, str]] = {}
    for line in here.need("ls-files", "-u", "-z", "--full-name").names:
        about, _, path = line.partition("\t")
        _, oid, stage = about.split(" ")
        stages.setdefault(path, {})[int(stage)] = oid
    marked = here.run("grep", "-z", "-l", "-I", "--full-name", "-e", "^<<<<<<<").names
    found = []
    for path in sorted({*stages, *marked}):
        text = _text(root / path)
        if text is not None and next(read_conflicts(text), None):
            found.append(OpenFile(path, text, stages.get(path, {})))
        elif path in stages and _is_undecided(root / path, stages[path]):
            found.append(OpenFile(path, None, stages[path]))
    return found


def settle(
    files: Iterable[OpenFile], answers: Mapping[DecisionKey, Choice], directory: Path | None = None
) -> list[str]:
    """Write what was chosen and stage it; the paths that were written but cannot be staged.

    A YAML file that cannot be read afterwards is left for the person to look at.
    """
    root = top_level(directory)
    git = Git(root)
    done: list[str] = []
    broken: list[str] = []
    for file in files:
        if file.text is None:
            _take_whole(git, root, file, answers[file.collisions()[0].key])
            continue
        text = file.resolved(answers)
        (root / file.path).write_bytes(text.encode())
        (done if _is_sound(file.path, text) else broken).append(file.path)
    if done:
        git.need("--literal-pathspecs", "add", "--", *done)
    return broken


def _chosen(conflict: Conflict, choice: Choice) -> str:
    if not isinstance(choice, FreeValue):
        return conflict.theirs if choice == "upstream" else conflict.ours
    example = conflict.ours or conflict.theirs
    indent = example[: len(example) - len(example.lstrip(" "))]
    text = choice.value if isinstance(choice.value, str) else _as_yaml(choice.value)
    return textwrap.indent(text if text.endswith("\n") else text + "\n", indent)


def _as_yaml(value: MaybeValue) -> str:
    import yaml

    from pkgupdate.document.values import to_plain

    dumped: str = yaml.safe_dump(to_plain(value), sort_keys=False, allow_unicode=True)
    return dumped.removesuffix("...\n")


def _take_whole(git: Git, root: Path, file: OpenFile, choice: Choice) -> None:
    stage = _THEIRS if choice == "upstream" else _OURS
    if stage in file.stages:
        side = "--theirs" if stage == _THEIRS else "--ours"
        git.need("--literal-pathspecs", "checkout", "-q", side, "--", file.path)
        git.need("--literal-pathspecs", "add", "--", file.path)
    else:
        git.need("--literal-pathspecs", "rm", "-q", "-f", "--", file.path)
    if stage not in file.stages:
        (root / file.path).unlink(missing_ok=True)


def _is_undecided(path: Path, stages: Mapping[int, str]) -> bool:
    """Does the work tree still hold a version that Git left there, rather than a decision?"""
    from pkgupdate.package.tree import blob_id

    if len(stages) < 3 or not path.is_file():
        return True
    return blob_id(path.read_bytes()) in (stages[_OURS], stages[_THEIRS])


def _is_sound(path: str, text: str) -> bool:
    if route_of(path) not in (Route.KPTFILE, Route.RESOURCES):
        return True
    try:
        for part in Stream(text, name=path).parts:
            if part.document.duplicate_keys:
                return False
    except DocumentError:
        return "{{" in text
    return True


def _text(path: Path) -> str | None:
    try:
        return decode(path.read_bytes())
    except OSError:
        return None
