"""The three trees during one merge: filtered, read at most once, and counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from pkgupdate.document.stream import Stream, decode
from pkgupdate.merge.sides import Sides
from pkgupdate.package.changes import Stats
from pkgupdate.package.tree import FileEntry, FileState, Tree


class Source:
    """One tree. Files can be hidden from the merge while it runs."""

    def __init__(self, tree: Tree, stats: Stats) -> None:
        self._tree = tree
        self._stats = stats
        self._contents: dict[str, bytes] = {}
        self._streams: dict[str, Stream | None] = {}
        self.paths: set[str] = set(tree.entries)

    def hide(self, is_hidden: Callable[[str], bool]) -> None:
        """Leave files out from now on."""
        self.paths = {path for path in self.paths if not is_hidden(path)}

    def entry(self, path: str) -> FileEntry | None:
        """The entry of a file, None if there is none."""
        return self._tree.entries[path] if path in self.paths else None

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        content = self._contents.get(path)
        if content is None:
            content = self._contents[path] = self._tree.read(path)
            self._stats.files_read += 1
        return content

    def state(self, path: str) -> FileState | None:
        """A file with its content, None if there is none."""
        entry = self.entry(path)
        return FileState(entry.kind, self.read(path)) if entry else None

    def state_before(self, path: str) -> FileState | None:
        """The same, of hidden files too."""
        entry = self._tree.entries.get(path)
        return FileState(entry.kind, self.read(path)) if entry else None

    @property
    def documents_parsed(self) -> int:
        """How many documents of its files had to be parsed."""
        streams = [stream for stream in self._streams.values() if stream]
        return sum(part.was_parsed for stream in streams for part in stream.parts)

    def stream(self, path: str) -> Stream | None:
        """The documents of a file; None for a file that is not there, or is no text."""
        if path not in self._streams:
            text = decode(self.read(path)) if path in self.paths else None
            self._streams[path] = None if text is None else Stream(text, name=path)
        return self._streams[path]


def below(path: str, directory: str) -> bool:
    """Is the path in the directory, at any depth? (`""` is the root.)"""
    return not directory or path.startswith(directory + "/")


def ancestors(path: str) -> Iterator[str]:
    """The directories that the path is in, from the inside out, without the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def files_of(directories: Collection[str], paths: Iterable[str]) -> Mapping[str, set[str]]:
    """Which of the paths each of the directories has, at any depth."""
    found: Mapping[str, set[str]] = {directory: set() for directory in directories}
    for path in paths:
        for directory in ancestors(path):
            if directory in found:
                found[directory].add(path)
    return found


class FilteredTree:
    """A tree without some of its files."""

    def __init__(self, tree: Tree, keep: Callable[[str], bool]) -> None:
        """`keep` says by the path which files stay."""
        self._tree = tree
        self._entries = _FilteredEntries(tree.entries, keep)

    @property
    def entries(self) -> Mapping[str, FileEntry]:
        """The files that stay, by path."""
        return self._entries

    def read(self, path: str) -> bytes:
        """The content of a file, or the target of a link."""
        return self._tree.read(path)


class _FilteredEntries(Mapping[str, FileEntry]):
    """Leaves looking up (which may hash) to the mapping behind it."""

    def __init__(self, entries: Mapping[str, FileEntry], keep: Callable[[str], bool]) -> None:
        self._entries = entries
        self._paths = dict.fromkeys(path for path in entries if keep(path))

    def __getitem__(self, path: str) -> FileEntry:
        if path not in self._paths:
            raise KeyError(path)
        return self._entries[path]

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


Sources = Sides[Source]
