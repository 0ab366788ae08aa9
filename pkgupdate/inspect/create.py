"""Making a folder a package, as `kpt pkg init` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pkgupdate.errors import Location, PackageError
from pkgupdate.package.kinds import KPTFILE

_LOCAL_CONFIG = {"config.kubernetes.io/local-config": "true"}
_CONTEXT_FILE = "package-context.yaml"
_README = """\
# {name}

{description}

## Use

Fetch the package, change what you like, and take later versions in:

```
pkgupdate get REPO.git/DIRECTORY@VERSION {name}
pkgupdate update {name}@NEW_VERSION
```

See what is in it: `pkgupdate tree {name}`
"""


def create_package(
    root: Path, *, description: str, keywords: Sequence[str] = (), site: str = ""
) -> dict[str, bool]:
    """Write the files of a new package that are not there yet.

    The folder is made if it is missing (its parent is not). Returns for each file whether it was
    written; nothing is ever overwritten. Raises PackageError `init-failed`.
    """
    name = root.resolve().name
    info = {"site": site, "description": description, "keywords": list(keywords)}
    try:
        root.mkdir(exist_ok=True)
        return {
            file: _write_new(root / file, text) for file, text in _files(name, description, info)
        }
    except OSError as e:
        raise PackageError(
            "init-failed",
            f"cannot make {root} a package",
            where=Location(str(e.filename or root)),
            why=e.strerror or str(e),
        ) from e


def _files(name: str, description: str, info: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and content of each file; the data are those that kpt writes."""
    kptfile = {
        "apiVersion": "kpt.dev/v1",
        "kind": "Kptfile",
        "metadata": {"name": name, "annotations": _LOCAL_CONFIG},
        "info": {key: value for key, value in info.items() if value},
    }
    context = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kptfile.kpt.dev", "annotations": _LOCAL_CONFIG},
        "data": {"name": "example"},
    }
    yield KPTFILE, _yaml(kptfile)
    yield "README.md", _README.format(name=name, description=description)
    yield _CONTEXT_FILE, _yaml(context)


def _yaml(data: Mapping[str, Any]) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes shared parts out, and double quotes, as kpt does."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

        def represent_text(self, text: str) -> yaml.Node:
            node = self.represent_str(text)
            if yaml.safe_load(node.value) != text:
                node.style = '"'
            return node

    Dumper.add_representer(str, Dumper.represent_text)
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1000)


def _write_new(path: Path, text: str) -> bool:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True
