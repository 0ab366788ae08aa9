"""Make an upstream repository and a local fork of a synthetic package, for timing an update.

`make(folder, ...)` writes ``folder/up.git`` (bare, tags v1 and v2) and ``folder/use`` (a consumer's
repository with the package in ``use/pkg``, at v1 plus local edits, committed).
"""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

RESOURCE = """\
# {name}: workload {number}
apiVersion: apps/v1
kind: Deployment
metadata: # kpt-merge: shop/{name}
  name: {name}
  namespace: shop
  labels:
    app: {name}
    tier: backend
  annotations:
    example.com/owner: team-{team}
spec:
  replicas: {replicas} # kpt-set: ${{replicas}}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
        tier: backend
    spec:
      serviceAccountName: {name}
      containers:
        # the workload itself
        - name: main
          image: registry.example.com/team/{name}:{tag}
          args: ["--port=8080", "--log-level=info", "--feature=a"]
          ports:
            - containerPort: 8080
              name: http
              protocol: TCP
            - containerPort: 9090
              name: metrics
          env:
            - name: LOG_LEVEL
              value: "info"
            - name: REGION
              value: eu-west-1
            - name: CACHE
              value: 'on'
          resources:
            requests:
              cpu: {cpu}m
              memory: 128Mi
            limits:
              memory: {memory}Mi
          readinessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 10
          volumeMounts:
            - name: config
              mountPath: /etc/app
      volumes:
        - name: config
          configMap:
            name: {name}
"""

KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: pkg
info:
  description: synthetic
"""

GIT_ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    # A collection in the background would move objects while a repository is copied.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "bench"), ("EMAIL", "bench@example.com"))
    },
}


@dataclass(frozen=True)
class Shape:
    """How large a package is and how much of it each side edits (shares of 0 mean one resource)."""

    resources: int
    per_file: int = 1
    upstream: float = 0.0
    local: float = 0.0


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and return what it prints."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=GIT_ENVIRONMENT,
    )
    return done.stdout.strip()


def make(folder: Path, shape: Shape, seed: int = 1) -> None:
    """Build ``up.git`` and ``use`` below `folder`, which must not exist yet."""
    rng = random.Random(seed)
    numbers = range(shape.resources)
    upstream = rng.sample(numbers, max(1, int(shape.resources * shape.upstream)))
    local = rng.sample(numbers, max(1, int(shape.resources * shape.local)))
    folder.mkdir(parents=True)
    work, use, bare = folder / "up", folder / "use", folder / "up.git"
    for repository in (work, use):
        repository.mkdir()
        git(repository, "init", "-q", "-b", "main")
    _write(work / "pkg", shape, {}, KPTFILE)
    _commit(work, "v1")
    git(work, "tag", "v1")
    commit = git(work, "rev-parse", "HEAD")
    _write(work / "pkg", shape, {n: {"tag": "1.21.0", "cpu": 150} for n in upstream}, KPTFILE)
    _commit(work, "v2")
    git(work, "tag", "v2")
    git(folder, "clone", "-q", "--bare", str(work), str(bare))
    where = f"    repo: file://{bare.resolve()}\n    directory: /pkg\n    ref: v1\n"
    kptfile = (
        f"{KPTFILE}upstream:\n  type: git\n  git:\n{where}  updateStrategy: resource-merge\n"
        f"upstreamLock:\n  type: git\n  git:\n{where}    commit: {commit}\n"
    )
    _write(use / "pkg", shape, {n: {"replicas": 5, "memory": 512} for n in local}, kptfile)
    _commit(use, "local")


def _write(folder: Path, shape: Shape, edits: dict[int, dict[str, object]], kptfile: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "Kptfile").write_text(kptfile)
    for start in range(0, shape.resources, shape.per_file):
        numbers = range(start, min(shape.resources, start + shape.per_file))
        texts = (resource(number, edits.get(number, {})) for number in numbers)
        (folder / f"r{start:05d}.yaml").write_text("---\n".join(texts))


def resource(number: int, edits: dict[str, object]) -> str:
    """The text of one resource, with other values where `edits` has them."""
    values: dict[str, object] = {
        "name": f"web-{number:05d}",
        "number": number,
        "team": number % 7,
        "replicas": 2,
        "tag": "1.20.0",
        "cpu": 100,
        "memory": 256,
    }
    return RESOURCE.format(**(values | edits))


def _commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
