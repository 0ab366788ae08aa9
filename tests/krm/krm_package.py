"""An upstream package with two versions, its local fork, and the function run on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
}
FUNCTION = f"{sys.executable} -m pkgupdate fn"

DEPLOYMENT = """\
# Copyright of the shop

# the web server
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {replicas} # as many as needed
  template:
    spec:
      containers:
      - name: web
        image: shop:{version}
        args:
        # the port
        - --port=80
"""
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: {name}
info:
  description: in version {version}
"""
PIPELINE = """\
pipeline:
  mutators:
  - image: set-labels:{version}
    name: labels
    configMap:
      app: shop
"""


def config_map(name: str, **data: object) -> str:
    lines = "".join(f'  {key}: "{value}"\n' for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n{lines}"


def secret(value: str) -> str:
    return f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: key\nstringData:\n  key: {value}\n"


def version(number: int) -> dict[str, str]:
    """The files of a version of the upstream package."""
    files = {
        "Kptfile": KPTFILE.format(name="shop", version=number) + PIPELINE.format(version=number),
        "web.yaml": DEPLOYMENT.format(replicas=number, version=number),
        "many.yaml": "---\n".join(
            config_map(name, value=number if name == "b" else 1)
            for name in (["a", "b", "c"] if number == 1 else ["a", "new", "b", "c"])
        ),
        f"only{number}.yaml": config_map(f"only{number}", value=1),
        "edited.yaml": config_map("edited", theirs=number, ours=1),
        "sub/Kptfile": KPTFILE.format(name="sub", version=number),
        "sub/part.yaml": config_map("part", value=number),
    }
    if number == 1:
        files["gone.yaml"] = "# Copyright of the shop\n\n" + config_map("gone", value=1)
        files["kept.yaml"] = config_map("kept", value=1)
    else:
        files["sub/more.yaml"] = config_map("more", value=1)
        files["other/Kptfile"] = KPTFILE.format(name="other", version=2)
        files["other/one.yaml"] = config_map("one", value=1)
    return files


class Shop:
    """upstream: the repository. root: the local package, at version 1, and edited."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.upstream = place / "upstream"
        self.root = place / "local" / "shop"

    @classmethod
    def made(cls, place: Path) -> Shop:
        """Make everything anew."""
        shop = cls(place)
        shop.upstream.mkdir()
        git(shop.upstream, "init", "-q", "-b", "main")
        shop.publish(version(1), "v1")
        shop.publish(version(2), "v2")
        shop.root.parent.mkdir()
        program("get", f"{shop.upstream}.git/@v1", str(shop.root))
        edit(shop.root / "web.yaml", "replicas: 1", "replicas: 5")
        edit(shop.root / "edited.yaml", 'ours: "1"', 'ours: "9"')
        edit(shop.root / "kept.yaml", '"1"', '"9"')
        (shop.root / "mine.yaml").write_text(config_map("mine", value=1))
        return shop

    @classmethod
    def copied(cls, source: Shop, place: Path) -> Shop:
        """The same in another place."""
        shop = cls(place)
        shutil.copytree(source.upstream, shop.upstream)
        shutil.copytree(source.root, shop.root)
        edit(shop.root / "Kptfile", str(source.upstream), str(shop.upstream))
        return shop

    def publish(self, files: dict[str, str], tag: str) -> None:
        """Make these the files of upstream, under a tag."""
        git(self.upstream, "rm", "-rqf", "--ignore-unmatch", ".")
        for name, text in files.items():
            path = self.upstream / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git(self.upstream, "add", "-A")
        git(self.upstream, "commit", "-q", "--allow-empty", "-m", tag)
        git(self.upstream, "tag", tag)

    def copy(self, name: str) -> Path:
        """A copy of the local package that is called the same."""
        target = self.place / name / "shop"
        shutil.copytree(self.root, target)
        return target


def git(place: Path, *args: str) -> str:
    return run(["git", "-C", str(place), *args])


def program(*args: str, code: int = 0, stdin: str = "") -> str:
    """Run this program in a process of its own; gives stdout."""
    return run([sys.executable, "-m", "pkgupdate", *args], code=code, stdin=stdin)


def kpt(*args: str, code: int = 0, stdin: str = "") -> str:
    return run(["kpt", "fn", *args], code=code, stdin=stdin)


def run(command: list[str], *, code: int = 0, stdin: str = "") -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def values(root: Path) -> dict[str, list[Any]]:
    """The data of every file."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(root)): list(yaml.safe_load_all(path.read_text()))
        for path in sorted(files)
    }


def texts(root: Path) -> dict[str, str]:
    """The text of every file."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_text() for path in sorted(files)}


def written_by_kpt(root: Path, target: Path) -> Path:
    """A copy of the package in the layout of kpt."""
    kpt("sink", str(target), stdin=kpt("source", str(root)))
    return target


def with_config(resource_list: str, config: dict[str, Any]) -> str:
    """The list with a function configuration."""
    return resource_list + "functionConfig:\n" + indent(yaml.safe_dump(config))


def update_config(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "pkgupdate.dev/v1alpha1",
        "kind": "PackageUpdate",
        "metadata": {"name": "update"},
        "spec": spec,
    }


def indent(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
