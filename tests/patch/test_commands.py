"""`pkgupdate patch create`, `patch apply` and `match` from the command line."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pkgupdate.cli import main

LIVE = Path(__file__).parents[2] / "testdata" / "live"
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1  # few
  template:
    spec:
      containers:
      - name: web
        image: nginx:1
"""


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*arguments: Any, stdin: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"PKGUPDATE_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("PKGUPDATE_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "a.yaml").write_text(WEB)
    (tmp_path / "b.yaml").write_text(WEB.replace("replicas: 1", "replicas: 2"))
    (tmp_path / "live.yaml").write_text(WEB.replace("replicas: 1", "replicas: 5\n  paused: true"))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "patch"),
    [
        ([], {"spec": {"replicas": 2}}),
        (["--type", "merge"], {"spec": {"replicas": 2}}),
        (["--type", "json"], [{"op": "replace", "path": "/spec/replicas", "value": 2}]),
        (["--current", "live.yaml"], {"spec": {"replicas": 2}}),
        (["--current", "live.yaml", "--type", "merge"], {"spec": {"replicas": 2}}),
    ],
)
def test_create(run: Run, files: Path, options: list[str], patch: Any) -> None:
    command = ["patch", "create", "--original", "a.yaml", "--modified", "b.yaml", *options]
    done = run(*command, "--format", "json")
    assert (done.code, json.loads(done.out)) == (0, patch)
    assert run(*command).out.startswith(("spec:\n", "- op: replace\n"))


def test_create_refuses_to_overwrite(run: Run, files: Path) -> None:
    command = ["patch", "create", "--original", "a.yaml", "--modified", "b.yaml"]
    done = run(*command, "--current", "live.yaml", "--no-overwrite")
    assert done.code == 3
    assert "patch-conflict" in done.err
    assert "spec.replicas" in done.err


def test_create_of_equal_files_is_empty(run: Run, files: Path) -> None:
    assert run("patch", "create", "--original", "a.yaml", "--modified", "a.yaml").out == "{}\n"


@pytest.mark.parametrize(
    ("content", "code"), [("", "one-resource"), ("a: 1\n---\nb: 1\n", "one-resource")]
)
def test_create_needs_one_resource(run: Run, files: Path, content: str, code: str) -> None:
    (files / "c.yaml").write_text(content)
    done = run("patch", "create", "--original", "a.yaml", "--modified", "c.yaml")
    assert done.code == 2
    assert code in done.err


def test_create_and_apply(run: Run, files: Path) -> None:
    for kind in ("strategic", "merge", "json"):
        (files / "c.yaml").write_text(WEB)
        command = ["patch", "create", "--original", "a.yaml", "--modified", "b.yaml"]
        made = run(*command, "--type", kind).out
        done = run("patch", "apply", "--patch", "-", "c.yaml", stdin=made)
        assert (done.code, done.out) == (0, "")
        assert (files / "c.yaml").read_text() == (files / "b.yaml").read_text()


def test_apply_without_writing(run: Run, files: Path) -> None:
    patch = "spec: {replicas: 2}"
    printed = run("patch", "apply", "--patch", "-", "a.yaml", "--output", "-", stdin=patch)
    assert printed.out == (files / "b.yaml").read_text()
    done = run("patch", "apply", "--patch", "-", "a.yaml", "--dry-run", stdin=patch)
    assert "would patch: a.yaml" in done.err
    assert (files / "a.yaml").read_text() == WEB


def test_apply_to_a_package(run: Run, files: Path) -> None:
    package = files / "pkg"
    (package / "sub").mkdir(parents=True)
    (package / "sub" / "web.yaml").write_text(WEB)
    (package / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\n")
    (package / "chart.yaml").write_text("a: {{ .Values }}\nb: [\n")
    patch = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2}}"
    patch += "\n---\n{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: p}, info: {a: b}}\n"
    done = run("patch", "apply", "--patch", "-", "pkg", stdin=patch)
    assert done.code == 0
    assert "chart.yaml" in done.err
    assert "replicas: 2  # few" in (package / "sub" / "web.yaml").read_text()
    assert "info:\n  a: b\n" in (package / "Kptfile").read_text()


def test_apply_all_or_nothing(run: Run, files: Path) -> None:
    patches = "spec: {replicas: 2}\n---\nspec: {template: {spec: {containers: [{image: a}]}}}\n"
    done = run("patch", "apply", "--patch", "-", "a.yaml", stdin=patches)
    assert done.code == 3
    assert "spec.template.spec.containers" in done.err
    assert (files / "a.yaml").read_text() == WEB


def test_no_such_file(run: Run, files: Path) -> None:
    done = run("patch", "apply", "--patch", "nope.yaml", "a.yaml")
    assert done.code == 2
    assert "nope.yaml" in done.err


def test_match(run: Run, files: Path) -> None:
    desired, live = LIVE / "deployment" / "desired.yaml", LIVE / "deployment" / "live.yaml"
    command = ["match", "--desired", desired, "--live"]
    done = run(*command, live, "--exit-code")
    assert (done.code, done.out.splitlines()[0]) == (0, "in-sync  apps/Deployment/shop/web")
    changed = live.read_text().replace("replicas: 3", "replicas: 4")
    done = run(*command, "-", "--exit-code", stdin=changed)
    assert done.code == 1
    assert "  spec.replicas: live 4, desired 3" in done.out.splitlines()
    table = run(*command, "-", "--format=markdown", stdin=changed).out
    assert table.endswith(
        "| `apps/Deployment/shop/web` | differs | spec.replicas: live 4, desired 3 |\n"
    )
    done = run(*command, "-", "--exit-code", "--ignore", "spec.replicas", stdin=changed)
    assert done.code == 0
    done = run(*command, "-", "--exit-code", stdin="")
    assert (done.code, done.out.splitlines()[0]) == (1, "missing  apps/Deployment/shop/web")


def test_match_of_a_package_as_json(run: Run, files: Path) -> None:
    (files / "pkg").mkdir()
    (files / "pkg" / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: pkg}\n"
    )
    items = []
    for kind in ("secret", "service", "certificate"):
        text = (LIVE / kind / "desired.yaml").read_text()
        (files / "pkg" / f"{kind}.yaml").write_text(text.replace("s3cr3t-token", "0ther-token"))
        live = (LIVE / kind / "live.yaml").read_text()
        items.append("- " + live.replace("\n", "\n  ").rstrip())
    live = "apiVersion: v1\nkind: List\nitems:\n" + "\n".join(items) + "\n"
    command = ["match", "--desired", "pkg", "--live", "-", "--format", "json"]
    report = json.loads(run(*command, stdin=live).out)
    assert report["summary"] == {"in-sync": 2, "differs": 1, "missing": 0}
    (differs,) = (r for r in report["resources"] if r["state"] == "differs")
    assert differs["resource"] == "Secret/shop/web"
    assert differs["changes"] == [
        {
            "path": "data.token",
            "order": False,
            "live": "(hidden)",
            "desired": "(hidden)",
            "absent": [],
        }
    ]
    assert differs["patch"] == {"data": {"token": "(hidden)"}}
    shown = json.loads(run(*command, "--show-secrets", stdin=live).out)
    assert "MHRoZXItdG9rZW4=" in json.dumps(shown)
