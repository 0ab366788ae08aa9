"""`pkgupdate tree` and `init`, beside kpt's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from inspect_repos import kpt, kptfile, needs_kpt
from inspect_run import Run

RESOURCE = "apiVersion: {}\nkind: {}\nmetadata:\n  name: {}\n"
FILES = {
    "Kptfile": kptfile("top"),
    "b.yaml": RESOURCE.format("v1", "ConfigMap", "b"),
    "A.yml": RESOURCE.format("v1", "ConfigMap", "a"),
    "many.yaml": "---\n".join(
        [
            RESOURCE.format("v1", "Zed", "a"),
            RESOURCE.format("v1", "Abc", "z"),
            RESOURCE.format("v1", "Abc", "a") + "  namespace: ns\n",
            RESOURCE.format("apps/v1", "Service", "a"),
            "plain: data\n",
            "# nothing\n",
        ]
    ),
    "list.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
    "values.yaml": "a: b\n",
    "notes.txt": "text\n",
    ".krmignore": "left-out.yaml\n",
    "left-out.yaml": RESOURCE.format("v1", "ConfigMap", "left-out"),
    ".hidden/h.yaml": RESOURCE.format("v1", "ConfigMap", "h"),
    "deep/er/x.yaml": RESOURCE.format("v1", "ConfigMap", "x"),
    "deep/er/still/y.yaml": RESOURCE.format("v1", "ConfigMap", "y"),
    "sub/Kptfile": kptfile("sub"),
    "sub/z.yaml": RESOURCE.format("v1", "ConfigMap", "z"),
    "sub/inner/Kptfile": kptfile("inner"),
    "far/away/Kptfile": kptfile("away"),
    "empty/readme.md": "x\n",
}


@pytest.fixture
def top(work: Path) -> Path:
    for path, text in FILES.items():
        file = work / "top" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return work / "top"


def as_kpt_names(text: str) -> list[str]:
    """Kpt names a directory by its last part alone, and leaves blanks where there is no name."""
    short = re.sub(
        r"(?<=Package \")[^\"]+/|(?<=── )[^\[\"]+/(?=[^/\[\"]+$)", "", text, flags=re.MULTILINE
    )
    return [line.rstrip() for line in short.split("\n")]


@needs_kpt
@pytest.mark.parametrize("folder", ["top", "top/sub", "top/deep", "top/empty"])
def test_the_same_tree_as_kpt(top: Path, run: Run, folder: str) -> None:
    ours = run("tree", folder)
    theirs = kpt("pkg", "tree", folder, cwd=top.parent)
    if folder == "top/empty":  # kpt prints nothing at all
        assert ours.out == "empty\n"
        return
    assert as_kpt_names(ours.out) == as_kpt_names(theirs)


def test_the_whole_path_of_a_directory_is_shown(top: Path, run: Run) -> None:
    out = run("tree", "top").out
    assert "── deep/er\n" in out and '── Package "far/away"\n' in out


def test_a_broken_file_hides_no_other(top: Path, run: Run) -> None:
    (top / "bad.yaml").write_text("a: [\n")
    (top / "odd.yaml").write_text(RESOURCE.format("v1", "ConfigMap", '"e\\e[1m"'))
    outcome = run("tree", "top")
    assert outcome.code == 0
    assert "[bad.yaml]  not readable: " in outcome.out and "[b.yaml]  ConfigMap b" in outcome.out
    assert "\x1b" not in outcome.out and "e\\x1b[1m" in outcome.out


def test_links_are_not_followed(top: Path, run: Run) -> None:
    (top.parent / "outside.yaml").write_text(RESOURCE.format("v1", "ConfigMap", "outside"))
    (top / "link.yaml").symlink_to("../outside.yaml")
    (top / "folder").symlink_to("..")
    assert "outside" not in run("tree", "top").out


def test_tree_as_json(top: Path, run: Run) -> None:
    data = json.loads(run("tree", "top", "--format=json").out)
    assert data["package"] and data["path"] == "top"
    assert {"file": "b.yaml", "group": "", "kind": "ConfigMap", "namespace": "", "name": "b"} in (
        data["resources"]
    )
    assert [d["path"] for d in data["directories"] if d["package"]] == ["far/away", "sub"]


def test_tree_of_nothing(work: Path, run: Run) -> None:
    outcome = run("tree", "nowhere")
    assert outcome.code == 3 and "error[package-missing]" in outcome.err


@needs_kpt
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--description", "my: desc", "--keywords", "a,b", "--site", "https://example.com"),
        ("--description", "ä 'quoted' \"text\"", "--keywords", "true", "--keywords", "1.0"),
    ],
)
def test_init_writes_what_kpt_does(work: Path, run: Run, options: tuple[str, ...]) -> None:
    for parent in ("ours", "theirs"):
        (work / parent / "pkg").mkdir(parents=True)
    kpt("pkg", "init", "pkg", *options, cwd=work / "theirs")
    assert run("init", work / "ours/pkg", *options).code == 0
    ours, theirs = (
        {p.name: p.read_text() for p in (work / d / "pkg").iterdir()} for d in ("ours", "theirs")
    )
    assert set(ours) == set(theirs) == {"Kptfile", "README.md", "package-context.yaml"}
    for name in ("Kptfile", "package-context.yaml"):
        assert yaml.safe_load(ours[name]) == yaml.safe_load(theirs[name])
    if not options:
        assert ours["Kptfile"] == theirs["Kptfile"]
    assert ours["package-context.yaml"] == theirs["package-context.yaml"]


def test_init_makes_the_folder_and_never_overwrites(work: Path, run: Run) -> None:
    assert run("init", "pkg").out.count("wrote") == 3
    (work / "pkg/Kptfile").write_text("mine\n")
    (work / "pkg/README.md").unlink()
    outside = work / "outside"
    (work / "pkg/package-context.yaml").unlink()
    (work / "pkg/package-context.yaml").symlink_to(outside)
    outcome = run("init", "pkg")
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "kept  pkg/Kptfile",
        "wrote pkg/README.md",
        "kept  pkg/package-context.yaml",
    ]
    assert (work / "pkg/Kptfile").read_text() == "mine\n" and not outside.exists()


def test_init_below_a_missing_folder(work: Path, run: Run) -> None:
    outcome = run("init", "a/b")
    assert outcome.code == 3 and "error[init-failed]" in outcome.err
    assert list(work.iterdir()) == []
