"""Nothing of a package reaches a terminal raw, and no value of a Secret is shown."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hostile_repo import KPTFILE, RawRepo
from hostile_run import Run

EVIL = "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\u2066\r\x08"
QUOTED = json.dumps(EVIL)
RESOURCE = f"""\
# {EVIL.translate({0x1B: None, 7: None, 0x9B: None, 8: None, 13: None})}
apiVersion: v1
kind: {QUOTED}
metadata:
  name: {QUOTED}
  namespace: {QUOTED}
  labels: {{? {QUOTED} : %s}}
data:
  {QUOTED}: "%s\\e[2J"
  text: "one\\ntwo\\e[1m %s\\n"
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {password: %s-hunter2} # was %s-hunter2
"""
FORMATS = ("text", "json", "markdown", "diff")


def package(value: str) -> dict[str, str | dict[str, str]]:
    function = (
        f"pipeline:\n  mutators:\n  - image: {QUOTED}\n    configMap: {{{QUOTED}: {value}}}\n"
    )
    return {
        "Kptfile": KPTFILE + function,
        "evil.yaml": RESOURCE % (value, value, value),
        f"{EVIL}.txt": f"one\n{EVIL}{value}\nthree\n",
        "broken.yaml": f"a: [{EVIL}\n{value}",
        f"sub\n{EVIL}": {"x.yaml": RESOURCE % (value, value, value)},
        "secret.yaml": SECRET % (value, value),
        "settings.json": json.dumps({EVIL: value}) + "\n",
    }


@pytest.fixture
def dest(up: RawRepo, work: Path, run: Run) -> Path:
    """A package that was changed on both sides everywhere."""
    subprocess.run(["git", "init", "-q", work], check=True)
    up.commit({"pkg": package("one")}, "v1")
    up.commit({"pkg": package("two")}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    for path in (work / "dest").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"one", b"own"))
    subprocess.run(["git", "-C", work, "add", "-A"], check=True)
    subprocess.run(["git", "-C", work, "commit", "-qm", "edit"], check=True)
    return work / "dest"


def test_every_report(dest: Path, run: Run) -> None:
    for form in FORMATS:
        outcome = run("update", f"{dest}@v2", "--dry-run", "--format", form)
        assert outcome.code == 0, outcome.shown
        assert "hunter2" not in outcome.shown
        if form == "json":
            assert json.loads(outcome.out)["decisions"]
    for arguments in (
        ("update", f"{dest}@v2", "--dry-run", "-v", "-v"),
        ("diff", dest),
        ("diff", dest, "--type", "3way"),
        ("tree", dest),
        ("status", dest),
        ("log", dest, "v2"),
    ):
        assert "hunter2" not in run(*arguments).shown


def test_the_commit(dest: Path, run: Run) -> None:
    assert run("update", f"{dest}@v2", "--commit").code == 0
    show = ["git", "-C", dest, "log", "-1", "--format=%B"]
    text = subprocess.run(show, check=True, capture_output=True).stdout.decode()
    assert [char for char in text if not char.isprintable() and char != "\n"] == []
    assert "hunter2" not in text
    assert "\\x1b" in text


def test_errors(up: RawRepo, work: Path, run: Run) -> None:
    for path, content in {
        "Kptfile": f"{KPTFILE}{EVIL}: [",
        "pkgupdate.yaml": f"apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\n{QUOTED}: 1\n",
    }.items():
        folder = work / path.lower()
        folder.mkdir()
        (folder / "Kptfile").write_text(KPTFILE)
        (folder / path).write_text(content)
        outcome = run("update", folder)
        assert outcome.code in (2, 3)
    assert run("update", work / EVIL).code == 3
    assert run("get", f"{up.url}/{EVIL}@v1").code == 3
    up.commit({"pkg": package("one")}, "v1")
    assert run("get", f"{up.url}/pkx@v1").code == 3


def test_messages_of_the_upstream_server(up: RawRepo, work: Path, run: Run) -> None:
    up.commit(
        {f"pkg{EVIL}": {"Kptfile": KPTFILE}}, f"v1{EVIL}".replace("\r", "").replace("\x08", "")
    )
    outcome = run("get", f"{up.url}/pkg@v1")
    assert outcome.code == 3


def test_policies_from_upstream(up: RawRepo, work: Path, run: Run) -> None:
    """They are data that someone reviews: unknown settings and wild patterns are refused, fast."""
    head = "apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\n"
    up.commit({"pkg": package("one")}, "v1")
    up.commit({"pkg": package("two")}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    for text, code in {
        "cacheDir: /tmp/elsewhere\n": 3,
        "allowDirty: true\n": 3,
        f"protect: [{{resource: '{'*a' * 50}b', path: '{'**.a.' * 20}b'}}]\n": 0,
        "protect: {a: b}\n": 3,
        "protect: [{resource: '*', path: 'a['}]\n": 3,
        "schema: [{path: a, keys: [[1]]}]\n": 3,
        "onConflict: !!python/name:os.system x\n": 3,
        "onConflict: " + "9" * 5_000 + "\n": 3,
        "a: &a [x]\n" + "".join(f"b{i}: &a [*a, *a]\n" for i in range(60)): 3,
        "\0": 3,
    }.items():
        (work / "dest/pkgupdate.yaml").write_text(head + text)
        assert run("update", "dest@v2", "--dry-run").code == code, text
