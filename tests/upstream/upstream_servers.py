"""Servers that behave badly, on the loopback address."""

from __future__ import annotations

import base64
import contextlib
import http.server
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path


class _Quiet(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@contextlib.contextmanager
def _serving(handler: type[_Quiet]) -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextlib.contextmanager
def http_status(status: int) -> Iterator[int]:
    """Answer every request with `status`; yields the port."""

    class Handler(_Quiet):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()

        do_POST = do_GET

    with _serving(Handler) as port:
        yield port


@contextlib.contextmanager
def smart_http(root: Path, login: str = "") -> Iterator[int]:
    """Serve the repositories below `root` by git's own HTTP program; yields the port.

    login: `user:password` that every request must bring.
    """
    token = "Basic " + base64.b64encode(login.encode()).decode()

    class Handler(_Quiet):
        def do_GET(self) -> None:
            if login and self.headers.get("Authorization") != token:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.end_headers()
                return
            path, _, query = self.path.partition("?")
            env = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            }
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            program = ["git", "http-backend"]
            done = subprocess.run(program, env=env, input=body, capture_output=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

    with _serving(Handler) as port:
        yield port


@contextlib.contextmanager
def git_daemon(root: Path) -> Iterator[int]:
    """Serve the repositories below `root` by git://; yields the port."""
    port = free_port()
    command = ["git", "daemon", "--export-all", f"--base-path={root}", "--reuseaddr"]
    command += ["--listen=127.0.0.1", f"--port={port}", str(root)]
    daemon = subprocess.Popen(command, env={**os.environ}, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield port
    finally:
        daemon.terminate()
        daemon.wait()


class Proxy:
    """Passes bytes on to a port; cuts an answer after `limit` bytes, or keeps silent after them."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.limit: int | None = None
        self.silent = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self._pump, args=(client, server, None), daemon=True).start()
            back = (server, client, self.limit)
            threading.Thread(target=self._pump, args=back, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, limit: int | None) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                passed += len(data)
                if limit is not None and passed > limit:
                    if self.silent:
                        time.sleep(30)
                    break
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
