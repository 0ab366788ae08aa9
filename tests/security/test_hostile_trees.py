"""Trees that no honest Git would make: what must not be written is refused before anything is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hostile_repo import (
    DIRECTORY,
    EXEC,
    KPTFILE,
    SUBMODULE,
    Entry,
    Node,
    Pairs,
    RawRepo,
    config_map,
    link,
    snapshot,
)
from hostile_run import Run

UNSAFE = "unsafe-path"


def nested(depth: int, name: str = "d") -> Node:
    node: Node = "x\n"
    for _ in range(depth):
        node = {name: node}
    return node


def shared(levels: int, width: int) -> Node:
    """A tree of `width ** levels` files in a handful of objects."""
    node: Node = "x\n"
    for _ in range(levels):
        node = {f"n{i}": node for i in range(width)}
    return node


REFUSED = {
    "parent": ({"..": {"x": "x"}}, UNSAFE),
    "parent-file": ({"..": "x"}, UNSAFE),
    "here": ({".": {"x": "x"}}, UNSAFE),
    "slash": ({"../x": "x"}, UNSAFE),
    "absolute": ({"/etc/x": "x"}, UNSAFE),
    "empty-name": ({"": "x"}, ""),
    "git": ({".git": {"hooks": {"pre-commit": Entry(EXEC, b"#!/bin/sh\n")}}}, UNSAFE),
    "git-file": ({".git": "gitdir: /elsewhere\n"}, UNSAFE),
    "git-link": ({".git": link("/elsewhere")}, UNSAFE),
    "git-upper": ({"sub": {".GIT": {"config": "x"}}}, UNSAFE),
    "git-dot": ({".git.": {"config": "x"}}, UNSAFE),
    "git-blank": ({".git ": {"config": "x"}}, UNSAFE),
    "git-short": ({"GIT~1": {"config": "x"}}, UNSAFE),
    "git-stream": ({".git::$INDEX_ALLOCATION": {"config": "x"}}, UNSAFE),
    "git-invisible": ({".g\u200cit": {"config": "x"}}, UNSAFE),
    "twins": ({"Web.yaml": "a: 1\n", "web.yaml": "a: 1\n"}, UNSAFE),
    "twin-link": ({"Sub": link("/tmp"), "sub": {"x": "x"}}, UNSAFE),
    "twins-composed": ({"caf\u00e9": "x", "cafe\u0301": "x"}, UNSAFE),
    "bare-repository": (
        {"HEAD": "ref: refs/heads/x\n", "objects": {"x": "x"}, "refs": {"x": "x"}, "config": "x"},
        UNSAFE,
    ),
    "bare-below": ({"sub": {"HEAD": "x", "objects": {"x": "x"}, "refs": {"x": "x"}}}, UNSAFE),
    "bare-common": ({"sub": {"head": "x", "commondir": "../x\n"}}, UNSAFE),
    "mode-zero": ({"z": Entry(b"0", b"z")}, UNSAFE),
    "mode-device": ({"z": Entry(b"20666", b"z")}, UNSAFE),
    "too-deep": ({"d": nested(250, "d" * 10)}, UNSAFE),
    "shared-trees": (shared(8, 10), "directory-too-large"),
    "long-name": ({"n" * 300: "x"}, "apply-failed"),
    "kptfile-link": ({"Kptfile": link("/etc/passwd")}, "kptfile-broken"),
    "kptfile-deep": ({"Kptfile": "[" * 10_000}, "kptfile-broken"),
    "kptfile-binary": ({"Kptfile": b"\0\1\2"}, "kptfile-broken"),
    "kptfile-latin": ({"Kptfile": b"metadata: {name: caf\xe9}\n"}, "kptfile-broken"),
    "kptfile-bomb": (
        {"Kptfile": "a: &a [x,x]\n" + "".join(f"b{i}: &a [*a,*a]\n" for i in range(40))},
        "kptfile-broken",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(up: RawRepo, work: Path, run: Run, name: str) -> None:
    files, code = REFUSED[name]
    assert isinstance(files, dict)
    up.commit({"pkg": {"Kptfile": KPTFILE, **files}}, "v1")
    up.commit({"good": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "good")
    outcome = run("get", f"{up.url}/pkg@v1", "dest")
    assert outcome.code == 3
    assert f"error[{code}" in outcome.err
    assert not snapshot(work)
    if code != "apply-failed":
        assert run("get", f"{up.url}/good@good", "dest").code == 0
        kptfile = work / "dest/Kptfile"
        kptfile.write_text(kptfile.read_text().replace("/good", "/pkg", 1))
        before = snapshot(work)
        kptfile_only = name.startswith("kptfile")  # the local one stays, with a decision
        assert f"error[{code}" in run("update", "dest@v1").err or kptfile_only
        assert snapshot(work) == before or kptfile_only


TAKEN = {
    "link-outside": {"l": link("/etc/passwd")},
    "link-above": {"sub": {"l": link("../../outside")}},
    "link-loop": {"l": link("l")},
    "link-newline": {"l": link("a\nb\x1b[2J")},
    "link-and-folder": Pairs([("Kptfile", KPTFILE), ("x", link("/tmp")), ("x", {"y": "y"})]),
    "same-name-twice": Pairs([("Kptfile", KPTFILE), ("x", "1"), ("x", "2")]),
    "policy-link": {"pkgupdate.yaml": link("/etc/passwd")},
    "krmignore-link": {".krmignore": link("/etc/passwd")},
    "attributes": {".gitattributes": "* filter=evil diff=evil merge=evil\n", ".gitmodules": "x"},
    "submodule": {"sub": Entry(SUBMODULE, b"")},
    "hooks-folder": {"hooks": {"post-checkout": Entry(EXEC, b"#!/bin/sh\nexit 1\n")}},
    "newline": {"a\nb.yaml": config_map()},
    "escape": {"\x1b[31mred\x1b]0;t\x07.yaml": config_map()},
    "bidi": {"\u202egnp.yaml": config_map()},
    "not-utf8": {os.fsdecode(b"\xff\xfe.yaml"): config_map()},
    "option": {"--help.yaml": config_map(), "-rf": "x"},
    "backslash": {"..\\..\\x.yaml": config_map(), "C:\\x": "x"},
    "odd-mode": {"x": Entry(b"100777", b"x"), "y": Entry(b"104755", b"y")},
    "blank-names": {" ": "x", "  ": "y", "con": "z", "nul.yaml": "a: 1\n"},
    "python-tags": {"x.yaml": "a: !!python/object/apply:os.system ['exit 1']\n"},
    "all-of-yaml": {"x.yaml": "%YAML 9.9\n---\n? [a]\n: b\n", "y.yaml": "\ufeff\r\n...\n---\n"},
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken_as_data(
    up: RawRepo, work: Path, tmp_path: Path, marker: Path, run: Run, name: str
) -> None:
    files = TAKEN[name]
    node = files if isinstance(files, Pairs) else {"Kptfile": KPTFILE, **files}
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    up.commit({"pkg": node}, "v2")
    (tmp_path / "outside").write_text("mine\n")
    assert run("get", f"{up.url}/pkg@v2", "got").code == 0
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    for form in ("text", "json", "markdown", "diff"):
        outcome = run("update", "dest@v2", "--dry-run", "--offline", "--format", form)
        assert outcome.code == 0
        if form == "json":
            json.loads(outcome.out)
    (work / "dest/web.yaml").write_text(config_map(value="mine"))
    for arguments in (
        ["update", "dest@v2", "--offline"],
        ["update", "dest@v2", "--offline"],
        ["status", "dest"],
        ["tree", "dest"],
        ["diff", "dest", "--offline"],
        ["undo", "dest"],
    ):
        outcome = run(*arguments)
        is_refused = name == "policy-link" and "error[policy-unreadable]" in outcome.err
        assert outcome.code == 0 or is_refused, (arguments, outcome.shown)
    assert (tmp_path / "outside").read_text() == "mine\n"
    inside = [path for path in work.rglob("*") if ".git" in path.parts]
    assert not inside
    for path in work.rglob("*"):
        if not path.is_symlink():
            assert not path.stat().st_mode & 0o7000


def test_links_are_never_followed_when_a_folder_takes_their_place(
    up: RawRepo, work: Path, tmp_path: Path, run: Run
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    up.commit({"pkg": {"Kptfile": KPTFILE, "d": link(str(outside))}}, "v1")
    up.commit({"pkg": {"Kptfile": KPTFILE, "d": {"x.yaml": config_map()}}}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    assert run("update", "dest@v2").code == 0
    assert not list(outside.iterdir())
    assert (work / "dest/d/x.yaml").read_text().endswith("key: one\n")
    assert not (work / "dest/d").is_symlink()


def test_a_hundred_thousand_files(up: RawRepo, work: Path, run: Run) -> None:
    folder = {"f.yaml": config_map(), **{f"f{i}": "x" for i in range(249)}}
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    up.commit({"pkg": {"Kptfile": KPTFILE, **{f"d{i}": folder for i in range(400)}}}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    outcome = run("update", "dest@v2", "--dry-run", "--format", "json")
    assert outcome.code == 0
    assert len(json.loads(outcome.out)["files"]) == 100_002


@pytest.mark.parametrize(("megabytes", "code"), [(100, 0), (101, 3)])
def test_large_files(up: RawRepo, work: Path, run: Run, megabytes: int, code: int) -> None:
    up.commit({"pkg": {"Kptfile": KPTFILE, "big.bin": bytes(megabytes << 20)}}, "v1")
    outcome = run("get", f"{up.url}/pkg@v1", "dest")
    assert outcome.code == code
    assert ("error[blob-too-large]" in outcome.err) is bool(code)


def test_no_program_of_a_package_runs(up: RawRepo, work: Path, marker: Path, run: Run) -> None:
    """Hooks and settings of the upstream repository, attributes and hooks in the package."""
    program = f"#!/bin/sh\ntouch {marker}\n".encode()
    for name in ("post-checkout", "post-upload-pack", "pre-upload", "reference-transaction"):
        hook = up.path / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(program)
        hook.chmod(0o755)
    for key in ("core.fsmonitor", "uploadpack.packObjectsHook", "core.sshCommand"):
        subprocess.run(["git", "-C", up.path, "config", key, f"touch {marker}"], check=True)
    package = {
        "Kptfile": KPTFILE + f"pipeline:\n  mutators:\n  - exec: touch {marker}\n",
        ".gitattributes": "* filter=x diff=x merge=x\n",
        ".gitconfig": f"[core]\n\tfsmonitor = touch {marker}\n",
        "hooks": {"post-merge": Entry(EXEC, program)},
        "sub": {"config": f"[core]\n\tfsmonitor = touch {marker}\n", "HEAD": "ref: refs/x\n"},
        "web.yaml": config_map(),
    }
    up.commit({"pkg": package}, "v1")
    up.commit({"pkg": {**package, "web.yaml": config_map(value="two")}}, "v2")
    subprocess.run(["git", "init", "-q", work], check=True)
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    subprocess.run(["git", "-C", work, "add", "-A"], check=True)
    subprocess.run(["git", "-C", work, "commit", "-qm", "get"], check=True)
    assert run("update", "dest@v2", "--commit").code == 0
    assert run("status", "dest").code == 0
    assert "two" in (work / "dest/web.yaml").read_text()


def test_a_package_that_was_made_a_repository_names_no_programs(
    up: RawRepo, work: Path, marker: Path, run: Run
) -> None:
    """The user put such files there by other means; Git would take the folder for a repository."""
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map(value="two")}}, "v2")
    subprocess.run(["git", "init", "-q", work], check=True)
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    dest = work / "dest"
    (dest / "HEAD").write_text("ref: refs/heads/main\n")
    for folder in ("objects", "refs"):
        (dest / folder).mkdir()
        (dest / folder / "keep").touch()
    settings = f'[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch {marker}; false"\n'
    (dest / "config").write_text(settings)
    subprocess.run(["git", "-C", work, "add", "-A"], check=True)
    subprocess.run(["git", "-C", work, "commit", "-qm", "get"], check=True)
    run("status", "dest")
    run("update", "dest@v2", "--commit")
    assert not marker.exists()


def test_the_table_is_large_enough() -> None:
    assert len(REFUSED) + len(TAKEN) >= 50
    assert DIRECTORY
