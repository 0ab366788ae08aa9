"""The one gateway to git: every git process of the upstream layer is started here.

GitPython's command object runs the processes. What it does not do is done here: the inherited
environment is cleaned, configuration travels in the environment (so that no URL stands in a process
list or on disk), nothing prompts outside a terminal, and a process that overruns its time is ended
with its children.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pkgupdate.errors import UpstreamError
from pkgupdate.preload import import_until
from pkgupdate.upstream.remote import SCHEMES
from pkgupdate.upstream.text import clean

# What a caller's environment may decide: how to log in, proxies, certificates, his own settings.
# The rest (GIT_DIR, GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY, …) points at his repository, not at ours.
_KEPT = re.compile(
    r"GIT_(?:SSH(?:_COMMAND|_VARIANT)?|ASKPASS|SSL_\w+|HTTP_\w+|PROXY_\w+|EXEC_PATH|PYTHON_\w+"
    r"|ALLOW_PROTOCOL|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))"
)
_SAFE_CONFIG = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    # A server that has gone silent ends the transfer; keep-alive bytes of a busy one do not.
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "60",
}
_GRACE = 2.0  # seconds between asking a process to end and killing it
_spawning = threading.Lock()


class Output(NamedTuple):
    """What a finished git process wrote."""

    stdout: bytes
    stderr: str


class GitFailure(Exception):
    """A git process failed; the caller knows what that means for the user.

    stderr is git's own text, not yet redacted.
    """

    def __init__(self, command: str, status: int, stderr: str, *, timed_out: bool = False) -> None:
        super().__init__(f"git {command} ended with {status}")
        self.command = command
        self.status = status
        self.stderr = stderr
        self.timed_out = timed_out


class Gateway:
    """Runs git on one bare repository.

    started: the subcommand of every process started so far, for those who count them.
    """

    def __init__(
        self,
        git_dir: Path,
        *,
        timeout: float | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        self.git_dir = git_dir
        self.started: list[str] = []
        self._timeout = timeout
        self._log = log
        self._interactive = _is_interactive()

    def run(
        self, *args: str, config: Mapping[str, str] | None = None, stdin: bytes = b""
    ) -> Output:
        """Run `git ARGS` to its end.

        Raises GitFailure for a non-zero status and when the time is over.
        """
        child = self.start(*args, config=config)
        try:
            import_until(lambda: child.poll() is not None)
            stdout, stderr = child.communicate(stdin, self._timeout)
        except subprocess.TimeoutExpired:
            self.stop(child)
            raise GitFailure(args[0], -1, "", timed_out=True) from None
        except BaseException:
            self.stop(child)
            raise
        text = stderr.decode("utf-8", "replace")
        if child.returncode:
            raise GitFailure(args[0], child.returncode, text)
        return Output(stdout, text)

    def start(self, *args: str, config: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start `git ARGS` with pipes for all three streams; the caller must `stop` it.

        Raises UpstreamError `git-missing`.
        """
        git = _git_class()
        env, dropped = self._environment({**_SAFE_CONFIG, **(config or {})})
        command = [git.GIT_PYTHON_GIT_EXECUTABLE or "git", f"--git-dir={self.git_dir}", *args]
        self.started.append(args[0])
        if self._log:
            self._log("git " + " ".join(args[:3]))
        try:
            with _spawning, _without(dropped):
                wrapper = git(self.git_dir if self.git_dir.is_dir() else None).execute(
                    command,
                    istream=subprocess.PIPE,
                    as_process=True,
                    env=env,
                    # A process without a terminal cannot ask anything there, ssh included.
                    start_new_session=not self._interactive,
                )
        except (OSError, _not_found()) as error:
            raise _git_missing() from error
        child: subprocess.Popen[bytes] = wrapper.proc
        wrapper.proc = None  # ours from here on: GitPython would end it with the wrapper
        return child

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """End a process and its children, and close its pipes."""
        for ending in (signal.SIGTERM, signal.SIGKILL):
            if child.poll() is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                if self._interactive:
                    child.send_signal(ending)
                else:
                    os.killpg(child.pid, ending)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_GRACE)
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def _environment(self, config: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        """Return the variables to set and the inherited ones to drop."""
        dropped = [k for k in os.environ if k.startswith("GIT_") and not _KEPT.fullmatch(k)]
        env = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
        allowed = os.environ.get("GIT_ALLOW_PROTOCOL", ":".join(SCHEMES)).split(":")
        env["GIT_ALLOW_PROTOCOL"] = ":".join(s for s in SCHEMES if s in allowed) or "none"
        if not self._interactive:
            env |= {
                "GIT_TERMINAL_PROMPT": "0",
                "GCM_INTERACTIVE": "never",
                "SSH_ASKPASS_REQUIRE": "never",
            }
            dropped += [k for k in ("SSH_ASKPASS",) if k in os.environ]
        inherited = os.environ.get("GIT_CONFIG_COUNT", "")
        count = int(inherited) if inherited.isdigit() else 0
        for number, (key, value) in enumerate(config.items(), count):
            env[f"GIT_CONFIG_KEY_{number}"] = key
            env[f"GIT_CONFIG_VALUE_{number}"] = value
        env["GIT_CONFIG_COUNT"] = str(count + len(config))
        return env, dropped


def _is_interactive() -> bool:
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed or replaced streams
        return False


@contextlib.contextmanager
def _without(names: list[str]) -> Iterator[None]:
    """Hide environment variables for the moment of a start: GitPython copies them all."""
    hidden = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _git_class() -> Any:
    """Import GitPython at the first use: it takes longer than all other start-up together."""
    try:
        from git.cmd import Git
    except ImportError as error:
        if error.name:  # GitPython itself is missing, which is no matter of git
            raise
        raise _git_unusable(error) if shutil.which("git") else _git_missing() from error
    return Git


def _not_found() -> type[Exception]:
    from git.exc import GitCommandNotFound

    return GitCommandNotFound


def _git_unusable(error: ImportError) -> UpstreamError:
    return UpstreamError(
        "git-failed",
        "git does not even tell its version",
        why=clean(str(error)),
        hint="run `git version`, and mend what it complains about",
    )


def _git_missing() -> UpstreamError:
    return UpstreamError(
        "git-missing",
        "git cannot be started",
        why="there is no program 'git' in PATH",
        hint="install git 2.31 or newer",
    )
