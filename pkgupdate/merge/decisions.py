"""The decision model: what the merge did at one place, and why.

Merging produces decisions; applying them is a second step. A decision that changes the local text
carries the edits that do it, so no local byte changes without a decision that explains it. The
writer, the reports, dry runs, policies, the Git merge driver and the KRM function all live on this
one model; `docs/decision-format.md` describes its JSON form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

from pkgupdate.document.edits import Edit
from pkgupdate.document.values import MISSING, MaybeValue
from pkgupdate.paths import Path, format_path


class Kind(StrEnum):
    """What became of a place where at least one side differs from the original."""

    APPLIED = "applied"
    """Upstream's change was taken."""
    KEPT = "kept"
    """The local change stays (upstream did not touch the place), or a note about what stayed."""
    AGREED = "agreed"
    """Both sides made the same change."""
    COLLISION = "collision"
    """Both sides changed the same finest unit in different ways; a rule decided."""
    WITHHELD = "withheld"
    """Upstream's change was not taken because a policy protects or leaves out the place."""


class Subject(StrEnum):
    """What kind of thing a decision is about."""

    VALUE = "value"
    ORDER = "order"
    COMMENT_HEAD = "comment-head"
    COMMENT_LINE = "comment-line"
    COMMENT_FOOT = "comment-foot"
    RESOURCE = "resource"
    FILE = "file"
    MODE = "mode"
    PACKAGE = "package"


class Rule(StrEnum):
    """Why it was decided so; each rule has its section in docs/merge-rules.md."""

    UPSTREAM_ONLY = "upstream-only"
    LOCAL_ONLY = "local-only"
    SAME_CHANGE = "same-change"
    EDIT_EDIT = "edit-edit"
    DELETE_EDIT = "delete-edit"
    """Upstream deleted what the local side edited."""
    EDIT_DELETE = "edit-delete"
    """Upstream edited what the local side deleted."""
    EXCLUSIVE = "exclusive"
    """Fields that exclude each other are one unit."""
    ORDER = "order"
    COMMENT = "comment"
    TEXT = "text"
    """Lines of a multi-line string or of a text file were merged."""
    JSON = "json"
    """JSON held in a string was merged as data."""
    REPEATED_KEYS = "repeated-keys"
    """A list that should be associative repeats a merge key and was merged by position."""
    REPEATED_IDENTITY = "repeated-identity"
    """A file holds one resource identity more than once; paired by position."""
    PIPELINE_REPLACED = "pipeline-replaced"
    """The pipeline has no usable key: upstream's list replaced the local one."""
    MOVED = "moved"
    AMBIGUOUS = "ambiguous"
    """Several resources or items are alike; nothing was guessed."""
    BINARY = "binary"
    NOT_YAML = "not-yaml"
    """A YAML file that cannot be merged as YAML was merged as text, or kept."""
    SUBMODULE = "submodule"
    LINK = "link"
    PROTECTED = "protected"
    SCOPE = "scope"
    STRATEGY = "strategy"
    CHOICE = "choice"
    """A person chose."""
    MERGE_COMMENT = "merge-comment"
    """The merge comment of a new resource was added."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the merge decided at one place.

    file: path of the file in the package, as written ('/' separators).
    resource: ``group/Kind/namespace/name`` (`''` for what is no resource).
    path: field path inside the resource (or file, if it is YAML without identity).
    original, upstream, local, result: canonical values, `MISSING` where there is none. For comments
        a list of lines; for whole files and resources, `MISSING` or a short string that stands for
        the version (a content hash), never the content of a Secret.
    edits: what this decision changes in the local document (none: nothing changes).
    new_path: the file the thing ends up in, if it moves.
    note: one more sentence for people.
    function: short name of the pipeline function the decision is about, if it is about one.
    """

    kind: Kind
    rule: Rule
    subject: Subject = Subject.VALUE
    file: str = ""
    resource: str = ""
    path: Path = ()
    original: MaybeValue = MISSING
    upstream: MaybeValue = MISSING
    local: MaybeValue = MISSING
    result: MaybeValue = MISSING
    edits: tuple[Edit, ...] = field(default=(), compare=False)
    new_path: str = ""
    note: str = ""
    function: str = ""

    @property
    def key(self) -> DecisionKey:
        """What names this decision in a policy's choices and in a stored plan."""
        return (self.file, self.resource, format_path(self.path), self.subject.value)


DecisionKey: TypeAlias = tuple[str, str, str, str]
Choice: TypeAlias = "Literal['upstream', 'local'] | FreeValue"


class FreeValue(NamedTuple):
    """A value that a person wrote in place of all three."""

    value: MaybeValue


Choices: TypeAlias = Mapping[DecisionKey, Choice]
