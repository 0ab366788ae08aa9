"""The generator, on small schemas: union of versions, the newest wins, the same bytes each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def definition(kind: str = "", group: str = "apps", **properties: Any) -> dict[str, Any]:
    gvk = [{"group": group, "version": "v1", "kind": kind}] if kind else []
    return {"type": "object", "properties": properties, "x-kubernetes-group-version-kind": gvk}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def listing(item: dict[str, Any], **marks: Any) -> dict[str, Any]:
    named = {f"x-kubernetes-{mark.replace('_', '-')}": value for mark, value in marks.items()}
    return {"type": ["array", "null"], "items": item, **named}


TEXT = {"type": ["string", "null"]}


def generate(folder: Path, versions: dict[int, dict[str, Any]], seed: int = 0) -> str:
    for minor, definitions in versions.items():
        path = folder / f"v1.{minor}.0-local" / "_definitions.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"$defs": definitions}))
    output = folder / "table.json"
    subprocess.run(
        [sys.executable, "tools/generate_schema_table.py", folder, "--output", output],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return output.read_text()


@pytest.fixture
def versions() -> dict[int, dict[str, Any]]:
    port = definition(port=TEXT, protocol=TEXT)
    return {
        9: {
            "io.api.apps.v1.Old": definition("Old", time=ref("io.Time"), data=ref("io.Raw")),
            "io.api.apps.v1.Web": definition(
                "Web",
                gone=TEXT,
                ports=listing(ref("io.api.apps.v1.Port"), list_type="atomic"),
                names=listing(TEXT, list_type="set"),
            ),
            "io.api.apps.v1.Port": port,
            "io.Time": {"type": "string"},
            "io.Raw": {"type": "object"},
        },
        10: {
            "io.api.apps.v1.Web": definition(
                "Web",
                ports=listing(
                    ref("io.api.apps.v1.Port"),
                    list_type="map",
                    list_map_keys=["port", "protocol"],
                    patch_strategy="merge",
                    patch_merge_key="port",
                ),
                names=listing(TEXT),
                extra={"type": "object", "additionalProperties": listing(TEXT)},
            ),
            "io.api.apps.v1.Port": port,
            "io.api.core.v1.Port": definition(other=TEXT),
            "io.api.apps.v1beta1.Port": port,
            "io.api.core.v1.Pod": definition("Pod", "", port=ref("io.api.core.v1.Port")),
            "io.api.batch.v1.Pod": definition("Pod", "x", port=ref("io.api.apps.v1beta1.Port")),
        },
    }


def test_union_of_versions(tmp_path: Path, versions: dict[int, dict[str, Any]]) -> None:
    table = json.loads(generate(tmp_path, versions))
    web = "extra{}[] gone names[];set ports[]:Port;keys=port,protocol~TCP;patch=merge;key=port"
    assert table["types"]["Web"] == web
    assert table["types"]["Old"] == "data:Raw time"
    assert table["types"]["Raw"] == ""
    assert table["kinds"]["apps/v1"] == "Old Web"


def test_alike_types_share_an_entry(tmp_path: Path, versions: dict[int, dict[str, Any]]) -> None:
    table = json.loads(generate(tmp_path, versions))
    assert sorted(name for name in table["types"] if name.startswith("Po")) == [
        "Pod",
        "Pod@core.v1",
        "Port",
        "Port@core.v1",
    ]
    assert table["kinds"]["v1"] == "Pod=Pod@core.v1"
    assert table["types"]["Pod@core.v1"] == "port:Port@core.v1"
    assert table["types"]["Pod"] == "port:Port"


def test_same_bytes_each_time(tmp_path: Path, versions: dict[int, dict[str, Any]]) -> None:
    assert len({generate(tmp_path, versions, seed) for seed in (0, 1, 2)}) == 1
