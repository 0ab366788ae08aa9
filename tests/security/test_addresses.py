"""Addresses, refs and directories that try to be something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_repo import KPTFILE, RawRepo, config_map, snapshot
from hostile_run import Run

BAD = "bad-address"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("ext::sh -c 'touch {marker}'", BAD),
        ("ext::sh -c touch% {marker}.git/d@v1", BAD),
        ("fd::17/foo.git/d@v1", BAD),
        ("file::///tmp/x.git/d", BAD),
        ("EXT::sh.git/d@v1", BAD),
        ("--upload-pack=touch {marker}", "usage"),
        ("https://-oProxyCommand=touch/x.git/d@v1", BAD),
        ("ssh://-oProxyCommand=touch${{IFS}}{marker}/x.git/d@v1", BAD),
        ("ssh://-l@host/x.git/d@v1", BAD),
        ("-oProxyCommand=x@host:y.git/d@v1", "usage"),
        ("host:-oProxyCommand.git/d@v1", BAD),
        ("javascript://host/x.git/d@v1", BAD),
        ("ftp://host/x.git/d@v1", BAD),
        ("data://text/plain,x.git/d@v1", BAD),
        ("https://host/x.git?y=z.git/d@v1", BAD),
        ("https://ho\x1b[31mst/x.git/d@v1", BAD),
        ("https://host/x.git/d\n@v1", BAD),
        ("https://host/x.git/d\u202e@v1", BAD),
        ("https:///x.git/d@v1", BAD),
        ("https://host:99999999999x/r.git/d@v1", BAD),
        ("file://evil.example/x.git/d@v1", BAD),
        ("~no-such-user-here/x.git/d@v1", BAD),
        ("{up}/../../etc", BAD),
        ("{up}/pkg/../../x@v1", BAD),
        ("{up}/.git/hooks@v1", "directory-missing"),
        ("{up}/pkg/.GIT/x@v1", BAD),
        ("{up}/pkg@--upload-pack=touch", BAD),
        ("{up}/pkg@-v1", BAD),
        ("{up}/pkg@v1..v2", BAD),
        ("{up}/pkg@v1:pkg", BAD),
        ("{up}/pkg@refs/heads/*", "ref-unknown"),
        ("{up}/pkg@@{{-1}}", BAD),
        ("{up}/pkg@HEAD~1", None),
        ("{up}/pkg@" + "a" * 5000, BAD),
        ("{up}/pkg@v1\x1b]0;title\x07", BAD),
        ("{up}/" + "d/" * 3000 + "@v1", None),
        ("{up}/pkg@>=" + "9" * 4200, None),
        ("{up}/nothing\u0301@v1", "directory-missing"),
    ],
)
def test_get(
    up: RawRepo, work: Path, marker: Path, run: Run, address: str, code: str | None
) -> None:
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    arguments = ["get", address.format(marker=marker, up=up.url), "dest"]
    outcome = run(*arguments)
    assert outcome.code in (2, 3)
    assert code is None or f"error[{code}]" in outcome.err
    assert not snapshot(work)


@pytest.mark.parametrize(
    ("section", "code"),
    [
        ("repo: ext::sh -c 'touch {marker}'\n    directory: /pkg\n    ref: v2", BAD),
        ("repo: --upload-pack=touch\n    directory: /pkg\n    ref: v2", BAD),
        ("repo: {up}\n    directory: ../../etc\n    ref: v2", BAD),
        ("repo: {up}\n    directory: /pkg/../..\n    ref: v2", BAD),
        ("repo: {up}\n    directory: /.git/hooks\n    ref: v2", BAD),
        ("repo: {up}\n    directory: /pkg\n    ref: --exec=x", BAD),
        ("repo: {up}\n    directory: /elsewhere\n    ref: v2", "directory-missing"),
        ('repo: {up}\n    directory: /pkg\n    ref: "v2\\x1b[2J"', BAD),
        ("repo: {up}\n    directory: /pkg\n    ref: [v2]", "kptfile-broken"),
        ("repo: {up}\n    directory: /pkg\n    ref: !!python/object/apply:os.system [x]", None),
        ("repo: {up}\n    directory: /pkg\n    ref: " + "9" * 100_000, BAD),
        ("repo: [" + "[" * 10_000, "kptfile-broken"),
        ("repo: *nowhere", "kptfile-broken"),
    ],
)
def test_kptfiles_that_point_elsewhere(
    up: RawRepo, work: Path, marker: Path, run: Run, section: str, code: str | None
) -> None:
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map(value="two")}}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    text = section.format(marker=marker, up=up.url)
    (work / "dest/Kptfile").write_text(f"{KPTFILE}upstream:\n  type: git\n  git:\n    {text}\n")
    before = snapshot(work)
    outcome = run("update", "dest")
    assert outcome.code == 3
    assert code is None or f"error[{code}]" in outcome.err
    assert snapshot(work) == before


@pytest.mark.parametrize(
    "commit",
    ["--all", "../../x", "0" * 40, "HEAD", "v1\n", "deadbee", "f" * 64, "-" * 40, "9" * 5000],
)
def test_locks_that_name_no_commit(up: RawRepo, work: Path, run: Run, commit: str) -> None:
    up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map()}}, "v1")
    now = up.commit({"pkg": {"Kptfile": KPTFILE, "web.yaml": config_map(value="two")}}, "v2")
    assert run("get", f"{up.url}/pkg@v1", "dest").code == 0
    kptfile = work / "dest/Kptfile"
    head, _, _ = kptfile.read_text().rpartition("    commit: ")
    kptfile.write_text(f"{head}    commit: {commit!r}\n")
    before = snapshot(work)
    outcome = run("update", "dest@v2")
    assert (outcome.code, snapshot(work)) == (3, before), now
