"""The address of a repository alone: which ones are allowed, their credentials, when two are one.

What `get` stores never ends in `.git`, as kpt writes it (git finds `up.git` for `up` on disk); what
a Kptfile holds is used as it stands. Only https, http, ssh, git and file URLs, scp-like addresses
and local paths are accepted: other transports (`ext::`, `fd::`) let an address start programs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.text import printable, redact

SCHEMES = ("https", "http", "ssh", "git", "file")
MAX_LENGTH = 4096

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>.*)", re.S)
_TRANSPORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_SCP = re.compile(
    r"(?:(?P<user>[^@/:]+)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/:@\[\]]+):(?P<path>.+)", re.S
)
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_][A-Za-z0-9_.-]*)")
_DEFAULT_PORTS = {"https": "443", "http": "80", "ssh": "22", "git": "9418"}


class Remote(NamedTuple):
    """One repository address, taken apart.

    kind: `url`, `scp` or `path`.
    scheme: of a URL, in lower case; `ssh` for scp-like, `file` for a path.
    userinfo: what stands before `@`, else empty.
    host: host with port, else empty.
    path: as written, without trailing `/`.
    """

    kind: str
    scheme: str
    userinfo: str
    host: str
    path: str

    @property
    def url(self) -> str:
        """The address to hand to git, credentials included."""
        return self._spell(self.userinfo)

    @property
    def public(self) -> str:
        """The address without credentials: for the lock, messages, reports and cache names."""
        if self.scheme == "ssh":
            return self._spell(self.userinfo.partition(":")[0])
        return self._spell("")

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must not be shown to anyone."""
        user, _, password = self.userinfo.partition(":")
        if self.scheme == "ssh":
            return (password,) if password else ()
        return tuple(part for part in (self.userinfo, password, user) if len(part) > 2)

    @property
    def key(self) -> tuple[str, str, str]:
        """Equal for two addresses of one repository."""
        host, _, port = self.host.lower().rpartition(":")
        if not (host and port == _DEFAULT_PORTS.get(self.scheme)):
            host = self.host.lower()
        path = cut_suffix(self.path)
        return self.scheme, host, path.lstrip("/") if self.scheme == "ssh" else path

    @property
    def stored(self) -> Remote:
        """The remote as kpt stores it, without `.git`, unless that names another one on disk."""
        path = cut_suffix(self.path)
        is_named_so = self.path.endswith(".git") and not self.path.endswith("/.git")
        if self.scheme == "file" and is_named_so and is_repository(Path(self.path)):
            path = self.path if is_repository(Path(path)) else path
        return self._replace(path=path)

    def _spell(self, userinfo: str) -> str:
        at = f"{userinfo}@" if userinfo else ""
        if self.kind == "path":
            return self.path
        if self.kind == "scp":
            return f"{at}{self.host}:{self.path}"
        return f"{self.scheme}://{at}{self.host}{self.path}"


def parse_remote(text: str) -> Remote:
    """Take a repository address apart; a relative path is made absolute.

    Raises UpstreamError `bad-address` for anything that is not an allowed address.
    """
    check_text(text, text)
    if _TRANSPORT.match(text):
        bad_address(text, "remote helper transports are not allowed")
    if match := _URL.match(text):
        return _parse_url(text, match)
    if match := scp_match(text):
        user, host, path = match["user"] or "", match["host"], match["path"].rstrip("/")
        if (user and not _USER.fullmatch(user)) or not _HOST.fullmatch(host) or not path.strip("/"):
            bad_address(text, "the host or the path is not valid")
        if path.startswith("-"):
            bad_address(text, "the path begins with '-'")
        if host.lower() in SCHEMES:
            bad_address(text, "'://' is missing after the scheme")
        return Remote("scp", "ssh", user, host, path)
    try:
        path = absolute(Path(text).expanduser())
    except RuntimeError as error:  # `~name/…` of a user that there is not
        bad_address(text, str(error))
    return Remote("path", "file", "", "", str(path))


def scp_match(text: str) -> re.Match[str] | None:
    """Match `user@host:path`, which git takes a colon before the first slash to mean."""
    return _SCP.match(text)


def same_repo(one: str, other: str) -> bool:
    """Say whether two addresses name one repository, whatever their `.git`, `/` or credentials."""
    return parse_remote(one).key == parse_remote(other).key


def redacted(text: str) -> str:
    """Return an address as it may be shown: no credentials, nothing a terminal would act on."""
    return printable(redact(text))


def absolute(path: Path) -> Path:
    """The path from the root on, without any `..` in it."""
    return path.resolve() if ".." in path.parts else path.absolute()


def is_repository(path: Path) -> bool:
    """Say whether git would take a folder for a repository, bare or not."""
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())


def cut_suffix(path: str) -> str:
    """Cut what kpt does not store: slashes at the end, then `.git` or `/.git`."""
    bare = path.rstrip("/")
    return bare.removesuffix(".git").rstrip("/") or ("/" if path.startswith("/") else "")


def check_text(part: str, whole: str) -> None:
    """Refuse what no part of an address may be: empty, an option, too long, unprintable."""
    if not part.strip():
        bad_address(whole, "it is empty")
    if part.startswith("-"):
        bad_address(whole, "it begins with '-'")
    if len(part) > MAX_LENGTH:
        bad_address(whole[:80] + "…", f"it is longer than {MAX_LENGTH} characters")
    if not part.isprintable():
        bad_address(whole, "it has control or invisible characters")


def bad_address(text: str, why: str, hint: str = "") -> NoReturn:
    """Raise the error for an address that cannot be used."""
    raise UpstreamError(
        "bad-address",
        f"'{redacted(text)}' is not a usable upstream address",
        why=why,
        hint=hint
        or "write REPO.git/DIRECTORY@REF, for example https://example.com/org/repo.git/dir@v1",
    )


def _parse_url(text: str, match: re.Match[str]) -> Remote:
    scheme, authority, path = match["scheme"].lower(), match["authority"], match["path"]
    if scheme not in SCHEMES:
        bad_address(text, f"only {', '.join(SCHEMES)}, user@host:path and local paths are allowed")
    if " " in text and scheme != "file":
        bad_address(text, "a URL cannot have blanks")
    if scheme != "file" and ("?" in path or "#" in path):
        bad_address(
            text, "a query or fragment is not part of a repository", "write the ref as @REF"
        )
    userinfo, _, host = authority.rpartition("@")
    path = path.rstrip("/")
    if scheme == "file":
        if authority not in ("", "localhost"):
            bad_address(text, "a file URL has no host", "write file:///absolute/path")
        return Remote("url", scheme, "", "", path or "/")
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not _HOST.fullmatch(name if colon else host) or (colon and not port.isdigit()):
        bad_address(text, "the host is not valid")
    if userinfo.startswith("-"):
        bad_address(text, "the user begins with '-'")
    if not path.strip("/"):
        bad_address(text, "it names a host, but no repository")
    return Remote("url", scheme, userinfo, host, path)
