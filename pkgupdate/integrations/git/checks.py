"""Is a package half merged? The checks of one version of it, and of a merge of two.

A tree is the files of one package alone, without the packages inside it. Against its parents, a
merge answers only for what it brought: what is wrong on a side already does not stop it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pkgupdate.document.document import Document
from pkgupdate.document.nodes import Mapping, Node
from pkgupdate.document.nodes import Sequence as ListNode
from pkgupdate.document.stream import Part, Stream, decode
from pkgupdate.document.values import Value
from pkgupdate.errors import DocumentError, UpstreamError
from pkgupdate.integrations.git.findings import Code, Finding
from pkgupdate.integrations.git.lock_unit import unit_of
from pkgupdate.integrations.git.markers import read_conflicts
from pkgupdate.merge.pipeline import short_name
from pkgupdate.package.identity import Identity, identity_of_part, identity_when_fetched
from pkgupdate.package.ignore import Ignore
from pkgupdate.package.kinds import KPTFILE, Route, route_of
from pkgupdate.package.tree import FileKind, Tree

_CONFIGS = ("config", "configMap", "configPath")
_LISTS = ("mutators", "validators")
_FOLLOWED = ("repo", "directory", "ref")
_TEMPLATE = "{{"


def check_package(tree: Tree) -> list[Finding]:
    """Everything that is wrong with one version of a package; file paths are those of the tree."""
    findings: list[Finding] = []
    ignore = Ignore(tree)
    resources: list[tuple[str, Part]] = []
    for path in sorted(tree.entries):
        text = _text(tree, path)
        if text is None:
            continue
        marked = [c.start + 1 for c in read_conflicts(text)] if "<<<<<<<" in text else []
        findings += (Finding(Code.MARKERS, path, n, "conflict markers") for n in marked)
        is_yaml = route_of(path) in (Route.KPTFILE, Route.RESOURCES) and not ignore.covers(path)
        if marked or not is_yaml:
            continue
        faults = list(_syntax_faults(path, text))
        findings += faults
        if not faults:
            resources += ((path, part) for part in Stream(text, name=path).parts)
    findings += _check_identities(resources)
    if (kptfile := read_kptfile(tree)) is not None:
        findings += _check_functions(kptfile)
        findings += _check_lock(kptfile)
    return findings


def check_merge(tree: Tree, base: Tree, parents: Sequence[Tree]) -> list[Finding]:
    """What is wrong with a merge that is not wrong with one of its parents already."""
    findings = check_package(tree)
    if findings:
        known = {finding.key for parent in parents for finding in check_package(parent)}
        findings = [finding for finding in findings if finding.key not in known]
    documents = [read_kptfile(version) for version in (tree, base, *parents)]
    if documents[0] is not None:
        merged, origin, *sides = documents
        findings += _check_lost(merged, origin, sides)
        findings += _check_mixed_lock(merged, sides, findings)
    return findings


def placed(findings: Iterable[Finding], directory: str) -> list[Finding]:
    """The findings with the package's directory before their paths."""
    start = f"{directory}/" if directory else ""
    return [replace(finding, file=start + finding.file) for finding in findings]


def read_kptfile(tree: Tree) -> Document | None:
    """The Kptfile of a package, None if there is none that can be read."""
    text = _text(tree, KPTFILE) if KPTFILE in tree.entries else None
    try:
        return None if text is None else Document(text, name=KPTFILE)
    except DocumentError:
        return None


def _text(tree: Tree, path: str) -> str | None:
    if tree.entries[path].kind not in (FileKind.FILE, FileKind.EXEC):
        return None
    return decode(tree.read(path))


def _syntax_faults(path: str, text: str) -> Iterator[Finding]:
    """What keeps the file from being YAML; a template does not claim to be any."""
    if _TEMPLATE in text and route_of(path) is not Route.KPTFILE:
        return
    for part in Stream(text, name=path).parts:
        try:
            document = part.document
        except DocumentError as error:
            message = f"{error.what}: {error.why}" if error.why else error.what
            yield Finding(Code.SYNTAX, path, error.where.line, message)
            continue
        for key, line in document.duplicate_keys:
            yield Finding(Code.SYNTAX, path, line, f"the key {key!r} is given twice in one map")


def _check_identities(resources: Iterable[tuple[str, Part]]) -> Iterator[Finding]:
    """Resources that are there twice, by their name or by the one they were fetched with."""
    named: dict[Identity, tuple[str, int]] = {}
    fetched: dict[Identity, Identity] = {}
    for path, part in resources:
        identity = identity_of_part(part)
        if identity is None or not identity.is_named:
            continue
        line = part.first_line
        if identity in named:
            other, _ = named[identity]
            text = f"{identity} is also in {other}"
            yield Finding(Code.DUPLICATE_RESOURCE, path, line, text, "keep one of the two")
            continue
        named[identity] = (path, line)
        known_as = identity_when_fetched(part, identity)
        assert known_as is not None
        if known_as in fetched:
            text = f"{identity} and {fetched[known_as]} both go by {known_as} in merge comments"
            hint = "an update can follow one of them only: correct `# kpt-merge:`"
            yield Finding(Code.MERGE_COMMENT, path, line, text, hint)
        fetched.setdefault(known_as, identity)


def _check_functions(kptfile: Document) -> Iterator[Finding]:
    for section in _LISTS:
        seen: set[str] = set()
        for node in _functions(kptfile, section):
            function = node.data
            if not isinstance(function, dict):
                continue
            line, name = kptfile.line_of(node.start), function.get("name")
            where = f"pipeline.{section} {short_name(function)}"
            if isinstance(name, str) and name in seen:
                text = f"{where}: another function has this name"
                yield Finding(Code.DUPLICATE_FUNCTION, KPTFILE, line, text)
            if isinstance(name, str):
                seen.add(name)
            configs = [key for key in _CONFIGS if key in function]
            if len(configs) > 1:
                text = f"{where}: {' beside '.join(configs)}"
                yield Finding(Code.CONFIG, KPTFILE, line, text, "a function takes one of them")


def _check_lock(kptfile: Document) -> Iterator[Finding]:
    follows, fetched = _git(kptfile, "upstream"), _git(kptfile, "upstreamLock")
    if not follows or not fetched:
        return
    for key in _FOLLOWED:
        if key in follows and key in fetched and not _agree(key, follows, fetched):
            text = f"upstream.git.{key} is not what upstreamLock.git.{key} says was fetched"
            hint = "run `pkgupdate update`, or restore both sections from one side"
            yield Finding(Code.LOCK, KPTFILE, _section_line(kptfile, "upstreamLock"), text, hint)


def _agree(key: str, follows: dict[Value, Value], fetched: dict[Value, Value]) -> bool:
    """Can the lock hold this for what is followed?"""
    from pkgupdate.upstream.resolve import may_be_locked_as

    if key != "ref":
        return bool(follows[key] == fetched[key])
    refs = str(follows[key]), str(fetched[key])
    try:
        return may_be_locked_as(*refs, str(follows.get("directory", "")))
    except UpstreamError:  # no constraint that anybody could read
        return False


def _check_mixed_lock(
    merged: Document | None, sides: Sequence[Document | None], known: Sequence[Finding]
) -> Iterator[Finding]:
    """A lock whose ref comes from one side and whose commit comes from another."""
    locks = [_git(side, "upstreamLock") for side in sides if side is not None]
    lock = _git(merged, "upstreamLock") if merged is not None else {}
    if not lock or merged is None or any(f.code is Code.LOCK for f in known):
        return
    units = [unit_of(side) for side in sides if side is not None]
    pair = (lock.get("ref"), lock.get("commit"))
    pairs = [(other.get("ref"), other.get("commit")) for other in locks]
    is_mixed = pair not in pairs and all(
        part in [p[i] for p in pairs] for i, part in enumerate(pair)
    )
    if is_mixed and unit_of(merged) not in units:
        text = "the ref of upstreamLock comes from one side, the commit from the other"
        hint = "take both sections from one side, then run `pkgupdate update`"
        yield Finding(Code.LOCK, KPTFILE, _section_line(merged, "upstreamLock"), text, hint)


def _check_lost(
    merged: Document | None, origin: Document | None, sides: Sequence[Document | None]
) -> Iterator[Finding]:
    """Functions that a side has, that no side removed, and that are not there any more."""
    for section in _LISTS:
        here, before = _names(merged, section), _names(origin, section)
        present = [_names(side, section) for side in sides]
        for name in dict.fromkeys(name for names in present for name in names):
            was_removed = name in before and any(name not in names for names in present)
            if name not in here and not was_removed:
                text = f"pipeline.{section} {name}: the merge lost this function"
                hint = "neither side removed it; `pkgupdate hook run pre-commit --fix` merges again"
                yield Finding(Code.LOST_FUNCTION, KPTFILE, 0, text, hint)


def _names(kptfile: Document | None, section: str) -> list[str]:
    return [short_name(n.data) for n in _functions(kptfile, section)] if kptfile else []


def _functions(kptfile: Document, section: str) -> list[Node]:
    pipeline = kptfile.root.get("pipeline") if isinstance(kptfile.root, Mapping) else None
    functions = pipeline.get(section) if isinstance(pipeline, Mapping) else None
    return [e.value for e in functions.entries] if isinstance(functions, ListNode) else []


def _git(kptfile: Document, section: str) -> dict[Value, Value]:
    data = kptfile.data if isinstance(kptfile.data, dict) else {}
    fields = data.get(section)
    git = fields.get("git") if isinstance(fields, dict) else None
    return git if isinstance(git, dict) else {}


def _section_line(kptfile: Document, section: str) -> int:
    root = kptfile.root
    index = root.index(section) if isinstance(root, Mapping) else -1
    if not isinstance(root, Mapping) or index < 0:
        return 0
    key = root.entries[index].key
    return kptfile.line_of(key.start) if key else 0
