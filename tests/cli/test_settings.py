"""Settings: precedence, the policy file, its errors, and `protect`."""

import json
import os
from pathlib import Path

import pytest
from program import Run

from pkgupdate.config import load_config
from pkgupdate.errors import PkgUpdateError
from pkgupdate.merge.policy import OnConflict, Target
from pkgupdate.paths import parse_pattern
from pkgupdate.policy_file import parse_target, read_policy_file

HEADER = "apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\nmetadata:\n  name: p\n"


def write_policy(folder: Path, body: str) -> None:
    (folder / "pkgupdate.yaml").write_text(HEADER + body)


def test_precedence(tmp_path: Path) -> None:
    user = tmp_path / "user.yaml"
    env = {"PKGUPDATE_CONFIG": str(user)}

    def found() -> tuple[str, str]:
        row = load_config(tmp_path, flags, environment=env).values["on_conflict"]
        return row.value, row.source

    flags: dict[str, str | None] = {"on_conflict": None}
    assert found() == ("rules", "default")
    user.write_text("onConflict: local\ntimeout: 5\n")
    assert found() == ("local", str(user))
    write_policy(tmp_path, "onConflict: fail\n")
    assert found() == ("fail", str(tmp_path / "pkgupdate.yaml"))
    env["PKGUPDATE_ON_CONFLICT"] = "upstream"
    assert found() == ("upstream", "PKGUPDATE_ON_CONFLICT")
    flags["on_conflict"] = "ask"
    assert found() == ("ask", "flag")


def test_cache_folder_of_kpt(tmp_path: Path) -> None:
    env = {"PKGUPDATE_CONFIG": "/nowhere", "KPT_CACHE_DIR": "/k"}
    assert load_config(None, environment=env)["cache_dir"] == "/k/pkgupdate"
    env["PKGUPDATE_CACHE_DIR"] = "/p"
    assert load_config(None, environment=env)["cache_dir"] == "/p"


def test_policy_from_file_and_flags(tmp_path: Path) -> None:
    write_policy(
        tmp_path,
        "protect:\n- {resource: a, path: b.c}\nscope: [{resource: s}]\nkptCompat: true\n",
    )
    config = load_config(tmp_path, protect=["apps/Deployment/x:spec"], environment={})
    policy = config.policy()
    assert policy.protected == (
        Target("a", ("b", "c")),
        Target("apps/Deployment/x", ("spec",)),
    )
    assert policy.scope == (Target("s"),)
    assert policy.kpt_compat
    assert load_config(tmp_path, scope=["t"], environment={}).scope == (Target("t"),)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("rules", OnConflict.RULES),
        ("upstream", OnConflict.UPSTREAM),
        ("local", OnConflict.LOCAL),
        ("fail", OnConflict.RULES),
        ("ask", OnConflict.RULES),
    ],
)
def test_fail_and_ask_merge_by_the_rules(word: str, expected: OnConflict) -> None:
    env = {"PKGUPDATE_ON_CONFLICT": word, "PKGUPDATE_CONFIG": "/nowhere"}
    assert load_config(None, environment=env).policy().on_conflict is expected


@pytest.mark.parametrize(
    ("text", "resource", "path"),
    [
        ("ConfigMap/c", "ConfigMap/c", ""),
        ("ConfigMap/c:data.x", "ConfigMap/c", "data.x"),
        ('c:data["a:b"]', "c", 'data["a:b"]'),
        ("ClusterRole/system:x:rules[0]", "ClusterRole/system:x", "rules[0]"),
        ("ClusterRole/system:x:", "ClusterRole/system:x", ""),
    ],
)
def test_places_of_flags(text: str, resource: str, path: str) -> None:
    assert parse_target(text) == Target(resource, parse_pattern(path))


FAULTS = [
    ("onConflct: fail\n", "unknown-setting", 5, "did you mean 'onConflict'?"),
    ("a: 1\nonConflict: sometimes\n", "unknown-setting", 5, "known: "),
    ("onConflict: uptream\n", "bad-setting", 5, "did you mean 'upstream'?"),
    ("kptCompat: maybe\n", "bad-setting", 5, ""),
    ("cacheDir: /x\n", "unknown-setting", 5, "user's own settings file"),
    ("protect:\n- reource: a\n", "unknown-setting", 6, "did you mean 'resource'?"),
    ("protect:\n- path: a\n", "policy-shape", 6, "resource"),
    ("protect: x\n", "policy-shape", 5, ""),
    ("branches: [{a: b}]\n", "policy-shape", 5, "- main"),
    ("protect:\n- {resource: a, path: 'b..c'}\n", "path-syntax", 6, ""),
    ("schema:\n- {resource: a, path: b}\n", "policy-shape", 6, "keys: [name]"),
    ("schema:\n- {resource: a, path: 'b[3]', keys: [n]}\n", "schema-path", 6, ""),
    ("x: [\n", "yaml-syntax", 6, ""),
]


@pytest.mark.parametrize(("body", "code", "line", "hint"), FAULTS)
def test_faults_name_file_and_line(
    body: str, code: str, line: int, hint: str, tmp_path: Path
) -> None:
    write_policy(tmp_path, body)
    with pytest.raises(PkgUpdateError) as caught:
        read_policy_file(tmp_path)
    error = caught.value
    assert error.code == code
    assert error.where.file == str(tmp_path / "pkgupdate.yaml")
    assert error.where.line == line
    assert hint in error.hint


@pytest.mark.parametrize(
    "text", ["kind: ConfigMap\n", "apiVersion: v1\nkind: UpdatePolicy\n", "- a\n"]
)
def test_another_kind_of_resource_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "pkgupdate.yaml").write_text(text)
    with pytest.raises(PkgUpdateError) as caught:
        read_policy_file(tmp_path)
    assert caught.value.code == "policy-shape"


def test_protect_makes_edits_and_lists_the_policy_file(run: Run, tmp_path: Path) -> None:
    place = ["-p", tmp_path]
    (tmp_path / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\n")
    done = run("protect", "apps/Deployment/*/web", "spec.replicas", *place)
    assert done.code == 0
    assert f"(in {tmp_path / 'pkgupdate.yaml'})" in done.err
    path = tmp_path / "pkgupdate.yaml"
    made = path.read_text()
    assert 'config.kubernetes.io/local-config: "true"' in made
    path.write_text("# ours\n" + made + "onConflict: local   # always\n")
    before = path.read_text()
    assert run("protect", "secret.yaml", *place).code == 0
    added = path.read_text()
    assert [line for line in before.splitlines() if line not in added.splitlines()] == []
    assert run("protect", "secret.yaml", *place).code == 0
    assert path.read_text() == added
    assert run("protect", "--list", *place).out == (
        "apps/Deployment/*/web spec.replicas\nsecret.yaml\n"
    )
    assert run("unprotect", "secret.yaml", *place).code == 0
    assert path.read_text() == before
    assert run("unprotect", "apps/Deployment/*/web", "spec.replicas", *place).code == 0
    assert "protect:" not in path.read_text()
    assert path.read_text().endswith("onConflict: local   # always\n")
    assert run("unprotect", "secret.yaml", *place).code == 3


def test_config_show(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_policy(tmp_path, "onConflict: fail\nprotect: [{resource: x, path: a.b}]\n")
    monkeypatch.setenv("PKGUPDATE_TIMEOUT", "7")
    out = run("config", "show", tmp_path).out
    shown = [line.split() for line in out.splitlines()]
    assert ["onConflict", "fail", str(tmp_path / "pkgupdate.yaml")] in shown
    assert ["timeout", "7.0", "PKGUPDATE_TIMEOUT"] in shown
    assert f"policy file       {tmp_path / 'pkgupdate.yaml'}\n" in out
    assert "config.yaml (there is none)\n" in out
    assert "protect           x a.b\n" in out
    data = json.loads(run("config", "show", tmp_path, "--format=json").out)
    assert data["settings"]["kptCompat"] == {"value": False, "source": "default"}
    assert data["protect"] == [{"resource": "x", "path": "a.b"}]


def test_config_show_with_the_user_file(run: Run, tmp_path: Path) -> None:
    user = Path(os.environ["PKGUPDATE_CONFIG"])
    user.write_text("onConflict: local\noffline: true\n")
    write_policy(tmp_path, "onConflict: upstream\n")
    shown = [line.split() for line in run("config", "show", tmp_path).out.splitlines()]
    assert ["onConflict", "upstream", str(tmp_path / "pkgupdate.yaml")] in shown
    assert ["offline", "true", str(user)] in shown


def test_protect_refuses_a_folder_whose_policy_no_update_reads(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "Kptfile").touch()
    outcome = run("protect", "apps/Deployment/*/web", "-p", tmp_path)
    assert outcome.code == 3
    assert f"did you mean: {tmp_path / 'shop'}?" in outcome.err
    assert not (tmp_path / "pkgupdate.yaml").exists()


def test_what_is_protected_is_looked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "web.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
    )
    slip = run("protect", "Deployment/shop/web", "spec.replicas", "-p", tmp_path)
    assert slip.code == 0
    assert "did you mean apps/Deployment/shop/web?" in slip.err
    for name in ("apps/Deployment/*/web", "sub/web.yaml", "*"):
        assert "note:" not in run("protect", name, "-p", tmp_path).err


@pytest.mark.parametrize("command", [["config", "show"], ["protect", "--list", "-p"]])
def test_a_folder_that_is_not_there(command: list[str], run: Run, tmp_path: Path) -> None:
    outcome = run(*command, tmp_path / "none")
    assert outcome.code == 2
    assert "does not exist" in outcome.err
