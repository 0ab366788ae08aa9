"""Signatures by ssh keys, as git verifies them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from upstream_repos import Repo

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.repository import Upstream

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is missing")


@pytest.fixture
def signer(up: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    trusted = tmp_path / "trusted"
    trusted.write_text(f"tester@example.org {key.with_suffix('.pub').read_text()}")
    config = tmp_path / "gitconfig"
    config.write_text(f'[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tallowedSignersFile = {trusted}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    up.git("config", "user.signingKey", str(key))
    return up


def verify(repo: Repo, ref: str) -> str:
    """Return the code of the error, or `ok`."""
    with Upstream(repo.url) as upstream:
        commit = upstream.resolve(ref, "/").commit
        upstream.ensure([commit], "/")
        try:
            upstream.verify_signature(commit, ref)
        except UpstreamError as error:
            return error.code
    return "ok"


def test_signed_and_unsigned(signer: Repo) -> None:
    signer.commit({"a": "1"})
    signer.git("tag", "light")
    signer.git("tag", "-a", "-m", "x", "noted")
    signer.git("tag", "-s", "-m", "x", "signed")
    for ref in ("main", "light", "noted", signer.git("rev-parse", "HEAD")):
        assert verify(signer, ref) == "signature-missing"
    assert verify(signer, "signed") == "ok"
    assert verify(signer, "refs/tags/signed") == "ok"
    signer.git("commit", "-q", "-S", "--allow-empty", "-m", "signed")
    signer.git("tag", "-a", "-m", "x", "noted2")
    assert verify(signer, "main") == verify(signer, "noted2") == "ok"


def test_a_stranger_and_a_replayed_tag(signer: Repo, tmp_path: Path) -> None:
    signer.commit({"a": "1"})
    signer.git("tag", "-s", "-m", "x", "v1")
    signer.git("update-ref", "refs/tags/v2", signer.git("rev-parse", "refs/tags/v1"))
    assert verify(signer, "v2") == "signature-bad"
    (tmp_path / "trusted").write_text("")
    assert verify(signer, "v1") == "signature-bad"
