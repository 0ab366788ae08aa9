"""Servers that refuse, vanish or break off; caches that are damaged, shared or locked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from upstream_repos import Repo
from upstream_servers import Proxy, free_port, git_daemon, http_status

from pkgupdate.errors import UpstreamError
from pkgupdate.upstream.cache import Cache
from pkgupdate.upstream.remote import parse_remote
from pkgupdate.upstream.repository import Upstream

SECRET = "s3cret-token"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def read_all(upstream: Upstream, commit: str, directory: str) -> dict[str, bytes]:
    upstream.ensure([commit], directory)
    entries = upstream.tree(commit, directory)
    return {path: upstream.read_one(entry.oid) for path, entry in entries.items()}


@pytest.mark.parametrize(
    ("status", "code"), [(401, "auth-failed"), (403, "auth-failed"), (404, "repo-unreachable")]
)
def test_a_server_that_refuses(status: int, code: str, cache: Path) -> None:
    lines: list[str] = []
    started = time.monotonic()
    with http_status(status) as port:
        repo = f"http://user:{SECRET}@127.0.0.1:{port}/shop"
        with Upstream(repo, log=lines.append) as upstream:
            with pytest.raises(UpstreamError) as caught:
                upstream.resolve("v2", "/shop")
            assert upstream.repo == f"http://127.0.0.1:{port}/shop"
    assert time.monotonic() - started < 10
    assert caught.value.code == code
    assert f"http://127.0.0.1:{port}/shop" in caught.value.what
    shown = "\n".join([str(caught.value), *lines, *map(str, cache.rglob("*"))])
    assert SECRET not in shown
    assert not [f for f in cache.rglob("*") if f.is_file() and SECRET in f.read_text("latin-1")]


def test_unreachable(tmp_path: Path) -> None:
    for repo in (
        f"http://127.0.0.1:{free_port()}/r",
        f"git://127.0.0.1:{free_port()}/r",
        f"ssh://git@127.0.0.1:{free_port()}/r",
        "https://no-such-host.invalid/r",
        f"file://{tmp_path}/nowhere",
        f"{tmp_path}/nowhere",
    ):
        with Upstream(repo) as upstream, pytest.raises(UpstreamError) as caught:
            upstream.resolve("v1", "/")
        assert caught.value.code == "repo-unreachable", repo
        assert caught.value.why


@pytest.mark.parametrize(
    ("variable", "code"), [("PATH", "git-missing"), ("GIT_CONFIG_GLOBAL", "git-failed")]
)
def test_no_git_that_works(variable: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "no-git").write_text("this is no configuration")
    program = (
        "from pkgupdate.upstream.repository import Upstream\n"
        "from pkgupdate.errors import UpstreamError\n"
        "try:\n    Upstream('/x/up').refs()\n"
        "except UpstreamError as error:\n    print(error.code)\n"
    )
    env = {**os.environ, variable: str(tmp_path / "no-git")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{code}\n", done.stderr


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Repo, Proxy]]:
    up = Repo(tmp_path / "srv" / "up")
    with git_daemon(tmp_path / "srv") as port:
        proxy = Proxy(port)
        yield up, proxy
        proxy.close()


def test_a_connection_that_breaks_off(served: tuple[Repo, Proxy], cache: Path) -> None:
    up, proxy = served
    head = up.commit({"pkg/a": os.urandom(300_000), "pkg/b": "b"})
    for limit in (0, 1, 500, 20_000, 150_000, 299_000):
        proxy.limit = limit
        with Upstream(f"git://127.0.0.1:{proxy.port}/up") as upstream:
            with pytest.raises(UpstreamError) as caught:
                upstream.ensure([head], "/pkg")
            early = {"repo-unreachable"} if limit < 2 else set()
            assert caught.value.code in {"fetch-interrupted"} | early, limit
    proxy.limit = None
    with Upstream(f"git://127.0.0.1:{proxy.port}/up") as upstream:
        assert read_all(upstream, head, "/pkg")["b"] == b"b"
    assert not list(cache.rglob("tmp_*"))


def test_a_server_that_goes_silent(served: tuple[Repo, Proxy]) -> None:
    up, proxy = served
    head = up.commit({"pkg/a": os.urandom(300_000)})
    proxy.limit, proxy.silent = 20_000, True
    started = time.monotonic()
    upstream = Upstream(f"git://127.0.0.1:{proxy.port}/up", timeout=1)
    with upstream, pytest.raises(UpstreamError) as caught:
        upstream.ensure([head], "/pkg")
    assert caught.value.code == "timeout"
    assert time.monotonic() - started < 8


def packs(repository: Path) -> list[Path]:
    found = list(repository.glob("objects/pack/*.pack"))
    assert found
    return found


def truncate_pack(repository: Path) -> None:
    for pack in packs(repository):
        pack.chmod(0o644)
        pack.write_bytes(pack.read_bytes()[: pack.stat().st_size // 2])


def flip_pack(repository: Path) -> None:
    for pack in packs(repository):
        pack.chmod(0o644)
        data = bytearray(pack.read_bytes())
        data[len(data) // 2] ^= 0xFF
        pack.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "pack truncated": truncate_pack,
    "pack flipped": flip_pack,
    "packs removed": lambda r: shutil.rmtree(r / "objects" / "pack"),
    "objects removed": lambda r: shutil.rmtree(r / "objects"),
    "garbage HEAD": lambda r: (r / "HEAD").write_bytes(b"\0garbage"),
    "garbage config": lambda r: (r / "config").write_text("[core\nx"),
    "empty index": lambda r: [
        (i.unlink(), i.write_bytes(b"")) for i in (p.with_suffix(".idx") for p in packs(r))
    ],
    "garbage shallow": lambda r: (r / "shallow").write_text("not an id\n"),
    "shallow lock": lambda r: (r / "shallow.lock").write_text(""),
    "all but the folder": lambda r: [
        shutil.rmtree(p) if p.is_dir() else p.unlink() for p in r.iterdir()
    ],
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_cache_is_made_anew(up: Repo, cache: Path, damage: str) -> None:
    old = up.commit({f"pkg/{n}": f"{n}" * 50 for n in range(50)})
    with Upstream(up.url) as upstream:
        before = read_all(upstream, old, "/pkg")
    new = up.commit({"pkg/1": "new"})
    (repository,) = [p for p in cache.iterdir() if p.is_dir()]
    DAMAGE[damage](repository)
    with Upstream(up.url) as upstream:
        assert read_all(upstream, old, "/pkg") == before
        head = upstream.resolve("main", "/pkg").commit
        assert head == new
        assert read_all(upstream, head, "/pkg")["1"] == b"new"
    (repository,) = [p for p in cache.iterdir() if p.is_dir()]
    DAMAGE[damage](repository)
    with Upstream(up.url) as upstream:  # the other way round: first to the network
        assert upstream.resolve("main", "/pkg").commit == new
        assert read_all(upstream, new, "/pkg")["1"] == b"new"


def test_damage_while_reading(up: Repo, cache: Path) -> None:
    head = up.commit({f"pkg/{n}": f"{n}" for n in range(300)})
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/pkg")
        entries = upstream.tree(head, "/pkg")
        reading = upstream.read(entry.oid for entry in entries.values())
        seen = [next(reading)]
        (repository,) = [p for p in cache.iterdir() if p.is_dir()]
        shutil.rmtree(repository)
        child = upstream._reader._child
        assert child
        child.kill()
        seen += reading
        assert [data.decode() for _, data in seen] == list(entries)


def test_a_damaged_cache_offline_says_so(up: Repo, cache: Path) -> None:
    head = up.commit({"pkg/a": "1"})
    with Upstream(up.url) as upstream:
        upstream.ensure([head], "/pkg")
    (repository,) = [p for p in cache.iterdir() if p.is_dir()]
    truncate_pack(repository)
    with Upstream(up.url, offline=True) as upstream, pytest.raises(UpstreamError) as caught:
        read_all(upstream, head, "/pkg")
    assert caught.value.code == "cache-damaged"
    assert str(repository) in caught.value.hint


def test_two_processes_share_a_cold_cache(up: Repo) -> None:
    commits = [up.commit({f"pkg/{n}": str(n)}) for n in range(6)]
    program = (
        "import sys\nfrom pkgupdate.upstream.repository import Upstream\n"
        "repo, commits = sys.argv[1], sys.argv[2:]\n"
        "with Upstream(repo) as upstream:\n"
        "    upstream.ensure(commits, '/pkg')\n"
        "    for commit in commits:\n"
        "        tree = upstream.tree(commit, '/pkg')\n"
        "        print(len(list(upstream.read(e.oid for e in tree.values()))))\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, up.url, *order], stdout=subprocess.PIPE, text=True
        )
        for order in (commits, commits[::-1], commits[::2])
    ]
    results = [child.communicate(timeout=60)[0].split() for child in children]
    numbers = [str(n + 1) for n in range(6)]
    assert results == [numbers, numbers[::-1], numbers[::2]]


def test_a_cache_held_by_another(up: Repo, cache: Path) -> None:
    head = up.commit({"a": "1"})
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with Cache(cache, parse_remote(up.url)).lock():
            held.set()
            release.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(20)
    with Upstream(up.url, timeout=0.3) as upstream, pytest.raises(UpstreamError) as caught:
        upstream.ensure([head], "/")
    release.set()
    holder.join()
    assert caught.value.code == "cache-busy"


def test_a_cache_that_cannot_be_written(up: Repo, tmp_path: Path) -> None:
    head = up.commit({"a": "1"})
    (tmp_path / "file").write_text("")
    upstream = Upstream(up.url, cache_dir=tmp_path / "file" / "cache")
    with upstream, pytest.raises(UpstreamError) as caught:
        upstream.ensure([head], "/")
    assert caught.value.code == "cache-unwritable"


def test_a_server_that_wants_the_git_suffix(tmp_path: Path) -> None:
    up = Repo(tmp_path / "srv" / "up")
    head = up.commit({"a": "1"})
    # A daemon with strict paths knows the repository by its exact name alone.
    bare = tmp_path / "strict" / "up.git"
    shutil.copytree(up.path / ".git", bare)
    port = free_port()
    command = ["git", "daemon", "--strict-paths", "--export-all", f"--base-path={bare.parent}"]
    command += ["--listen=127.0.0.1", f"--port={port}", str(bare)]
    daemon = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while True:
            try:
                with Upstream(f"git://127.0.0.1:{port}/up", cache_dir=tmp_path / "c") as upstream:
                    assert read_all(upstream, upstream.resolve("", "/").commit, "/") == {"a": b"1"}
                    assert upstream.resolve("main", "/").commit == head
                break
            except UpstreamError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
    finally:
        daemon.terminate()
        daemon.wait()
