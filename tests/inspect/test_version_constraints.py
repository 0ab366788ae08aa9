"""Version constraints through `get` and `update`: the resolved tag is what is written."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from inspect_repos import Monorepo, kptfile
from inspect_run import Run

PLAIN = ["v1.0.0", "v1.2.0", "v1.2.5", "v1.10.0", "v2.0.0", "v2.1.0-rc.1"]
OF_DIRECTORY = [*(f"web/{tag}" for tag in PLAIN), "v9.0.0"]


@pytest.fixture(
    scope="module", params=[PLAIN, OF_DIRECTORY], ids=["plain tags", "tags of the directory"]
)
def tagged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Monorepo:
    up = Monorepo(tmp_path_factory.mktemp("upstream") / "up")
    for tag in request.param:
        up.commit({"web/Kptfile": kptfile("web"), "web/tag.txt": f"{tag}\n"})
        up.git("tag", tag)
    return up


CASES = [
    ("latest", "v2.0.0", ()),
    ("^1.2", "v1.10.0", ()),
    ("~1.2", "v1.2.5", ()),
    (">=1,<2", "v1.10.0", ()),
    ("1.2.x", "v1.2.5", ()),
    ("latest", "v2.1.0-rc.1", ("--prerelease",)),
]


def fetched(root: Path) -> tuple[str, str, str, str]:
    """The refs of both sections, the commit, and what was fetched."""
    data = yaml.safe_load((root / "Kptfile").read_text())
    lock = data["upstreamLock"]["git"]
    return (
        data["upstream"]["git"]["ref"],
        lock["ref"],
        lock["commit"],
        (root / "tag.txt").read_text(),
    )


def expected(up: Monorepo, tag: str) -> tuple[str, str, str, str]:
    name = tag if tag in up.git("tag").split() else f"web/{tag}"
    return name, name, up.git("rev-parse", name), f"{name}\n"


@pytest.mark.parametrize(("constraint", "tag", "options"), CASES)
def test_get(
    tagged: Monorepo,
    work: Path,
    run: Run,
    constraint: str,
    tag: str,
    options: tuple[str, ...],
) -> None:
    outcome = run("get", tagged.address("web", constraint), "web", *options)
    assert outcome.code == 0, outcome.err
    assert fetched(work / "web") == expected(tagged, tag)


@pytest.mark.parametrize(("constraint", "tag", "options"), CASES)
def test_update(
    tagged: Monorepo,
    work: Path,
    run: Run,
    constraint: str,
    tag: str,
    options: tuple[str, ...],
) -> None:
    assert run("get", tagged.address("web", "v1.0.0"), "web").code == 0
    outcome = run("update", f"web@{constraint}", *options)
    assert outcome.code == 0, outcome.err
    assert fetched(work / "web") == expected(tagged, tag)


@pytest.mark.parametrize(
    ("constraint", "error"), [("^7", "version-unknown"), (">=1,<<2", "bad-constraint")]
)
def test_what_does_not_fit(
    tagged: Monorepo, work: Path, run: Run, constraint: str, error: str
) -> None:
    assert run("get", tagged.address("web", "v1.0.0"), "web").code == 0
    before = fetched(work / "web")
    outcome = run("update", f"web@{constraint}")
    assert outcome.code == 3 and f"error[{error}]" in outcome.err
    assert fetched(work / "web") == before
