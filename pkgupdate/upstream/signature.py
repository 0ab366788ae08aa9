"""Signatures: whether git, with the user's keys, trusts a tag or a commit."""

from __future__ import annotations

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.git import Gateway, GitFailure
from pkgupdate.upstream.objects import ObjectReader
from pkgupdate.upstream.text import clean, printable

_HINT = "git checks with gpg's or ssh's trusted keys (git config gpg.format, allowedSignersFile)"


def verify(gateway: Gateway, reader: ObjectReader, commit: str, tag: str, tag_object: str) -> None:
    """Verify an annotated tag that points to `commit`, else the commit itself.

    A signature counts only for the very tag that was asked for: a server could answer for `v2` with
    the signed tag object of `v1`.

    Raises UpstreamError `signature-missing` and `signature-bad`.
    """
    if tag_object:
        data = reader.read_one(tag_object).data
        headers = dict(
            line.split(b" ", 1) for line in data.partition(b"\n\n")[0].split(b"\n") if b" " in line
        )
        name = headers.get(b"tag", b"").decode("utf-8", "replace")
        target = headers.get(b"object", b"").decode("ascii", "replace")
        if (name, target) != (tag, commit):
            raise UpstreamError(
                "signature-bad",
                f"the tag object of '{printable(tag)}' is one of '{printable(name)}'",
                why="a signed tag was put under another name",
            )
        if b"-----BEGIN " in data:
            _check(gateway, "verify-tag", tag_object, f"tag '{printable(tag)}'")
            return
    data = reader.read_one(commit).data
    if b"\ngpgsig" not in data.partition(b"\n\n")[0]:
        signed = f"commit {commit[:12]}"
        what = f"neither tag '{printable(tag)}' nor {signed}" if tag else signed
        verb = "has a" if tag else "has no"
        raise UpstreamError("signature-missing", f"{what} {verb} signature", hint=_HINT)
    _check(gateway, "verify-commit", commit, f"commit {commit[:12]}")


def _check(gateway: Gateway, command: str, oid: str, what: str) -> None:
    try:
        gateway.run(command, oid)
    except GitFailure as failure:
        raise UpstreamError(
            "signature-bad",
            f"the signature of {what} is not trusted",
            why=clean(failure.stderr),
            hint=_HINT,
        ) from failure
