"""The real `kubectl patch --local`, many runs side by side."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

KUBECTL = shutil.which("kubectl")


class Case(NamedTuple):
    """`kind` is strategic, merge or json."""

    kind: str
    resource: dict[str, Any]
    patch: Any


def run_all(cases: Iterable[Case], folder: Path) -> list[Any]:
    """The patched object for every case, or the error as a string."""

    def run(job: tuple[int, Case]) -> Any:
        number, case = job
        file, patch = folder / f"{number}.json", folder / f"{number}.patch.json"
        file.write_text(json.dumps(case.resource))
        patch.write_text(json.dumps(case.patch))
        command = [str(KUBECTL), "patch", "--local", f"--type={case.kind}", "-o=json"]
        done = subprocess.run(
            [*command, f"--filename={file}", f"--patch-file={patch}"],
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "KUBECONFIG": "/dev/null"},
            check=False,
        )
        return json.loads(done.stdout) if done.returncode == 0 else "error: " + done.stderr[:300]

    with ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(run, enumerate(cases)))
