"""The function by itself: lists in, lists out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from krm_package import (
    Shop,
    config_map,
    edit,
    indent,
    program,
    secret,
    update_config,
    version,
    with_config,
)

from pkgupdate.integrations.krm.function import Outcome, run_function
from pkgupdate.integrations.krm.reference import reference

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


def item(path: str, text: str, index: int = 0, **more: str) -> str:
    """A resource as kpt lists it: its own annotations last in `metadata`."""
    noted = {
        "config.kubernetes.io/index": str(index),
        "config.kubernetes.io/path": path,
        "internal.config.kubernetes.io/index": str(index),
        "internal.config.kubernetes.io/path": path,
        **more,
    }
    lines = "".join(f"    {key}: '{value}'\n" for key, value in noted.items())
    start, name, end = text.partition("  name: ")
    own, line_end, rest = end.partition("\n")
    text = f"{start}{name}{own}{line_end}  annotations:\n{lines}{rest}"
    return "- " + indent(text)[2:]


def listed(root: Path) -> str:
    """The YAML files of a package as a list of items, one document a file or more."""
    items = []
    for path in sorted(path for path in root.rglob("*") if path.name != "README.md"):
        if path.is_file():
            documents = path.read_text().split("---\n")
            items += [item(str(path.relative_to(root)), t, i) for i, t in enumerate(documents)]
    return HEAD + "items:\n" + "".join(items)


def call(text: str) -> tuple[Outcome, dict[str, Any]]:
    outcome = run_function(text.encode())
    return outcome, yaml.safe_load(outcome.text)


def chunks(text: str) -> list[str]:
    """The texts of the items of a list."""
    body = text.partition("items:\n")[2].partition("\nfunctionConfig:")[0]
    body = body.partition("\nresults:")[0].rstrip("\n") + "\n"
    return ["- " + chunk for chunk in ("\n" + body).split("\n- ")[1:]]


def places(data: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, path and index of all items, once it is sure that both forms say the same."""
    found = []
    for resource in data["items"]:
        notes = resource["metadata"]["annotations"]
        for key in ("path", "index"):
            legacy = notes.get(f"config.kubernetes.io/{key}")
            assert legacy == notes[f"internal.config.kubernetes.io/{key}"]
        found.append(
            (
                resource["metadata"]["name"],
                notes["config.kubernetes.io/path"],
                notes["config.kubernetes.io/index"],
            )
        )
    return found


def test_items_keep_their_order_and_new_ones_follow_their_neighbour(shop: Shop) -> None:
    before = listed(shop.root)
    outcome, data = call(with_config(before, update_config(ref="v2")))
    assert not outcome.has_failed
    assert places(data) == [
        ("shop", "Kptfile", "0"),
        ("edited", "edited.yaml", "0"),
        ("kept", "kept.yaml", "0"),
        ("a", "many.yaml", "0"),
        ("new", "many.yaml", "1"),
        ("b", "many.yaml", "2"),
        ("c", "many.yaml", "3"),
        ("mine", "mine.yaml", "0"),
        ("sub", "sub/Kptfile", "0"),
        ("part", "sub/part.yaml", "0"),
        ("web", "web.yaml", "0"),
        ("only2", "only2.yaml", "0"),
        ("other", "other/Kptfile", "0"),
        ("one", "other/one.yaml", "0"),
        ("more", "sub/more.yaml", "0"),
    ]


def test_untouched_items_keep_every_byte(shop: Shop) -> None:
    (shop.root / "mine.yaml").write_text(
        "# mine\n"
        + config_map("mine", a=1)
        + "  b:   'odd'   # layout\n\n  c: |\n    x  \n\n     y\n"
    )
    before = listed(shop.root)
    outcome, _ = call(with_config(before, update_config(ref="v2")))
    came, left = chunks(before), chunks(outcome.text)
    for name in ("mine", "kept"):
        (own,) = [chunk for chunk in came if f"name: {name}\n" in chunk]
        assert own in left


def test_comments_and_layout_of_merged_items_stay(shop: Shop) -> None:
    outcome, _ = call(with_config(listed(shop.root), update_config(ref="v2")))
    (web,) = [chunk for chunk in chunks(outcome.text) if "name: web\n  " in chunk]
    assert "  # the web server\n" in web
    assert "    replicas: 2 # as many as needed\n" in web
    assert "          # the port\n" in web


def test_result_is_that_of_the_command(shop: Shop) -> None:
    outcome, _ = call(with_config(listed(shop.root), update_config(ref="v2")))
    expected = shop.copy("by-command")
    program("update", f"{expected}@v2")
    plain = [strip(chunk) for chunk in chunks(outcome.text)]
    for path in expected.rglob("*"):
        if path.is_file():
            for document in path.read_text().split("---\n"):
                assert document in plain


def strip(chunk: str) -> str:
    """The document of an item."""
    lines = [line[2:] for line in chunk.splitlines()]
    kept = [line for line in lines if "config.kubernetes.io/" not in line]
    return "".join(f"{line}\n" for line in kept if line != "  annotations:")


def test_own_annotations_and_ids_of_the_pipeline_stay(shop: Shop) -> None:
    text = listed(shop.root).replace(
        "    name: web\n    annotations:\n",
        "    name: web\n    annotations:\n      own: 'yes'\n      config.k8s.io/id: '7'\n"
        "      internal.config.kubernetes.io/id: '7'\n",
    )
    _, data = call(with_config(text, update_config(ref="v2")))
    (web,) = [found for found in data["items"] if found["metadata"]["name"] == "web"]
    notes = web["metadata"]["annotations"]
    assert notes["own"] == "yes"
    assert notes["config.k8s.io/id"] == notes["internal.config.kubernetes.io/id"] == "7"
    assert web["spec"]["replicas"] == 2


def test_json_list(shop: Shop) -> None:
    data = yaml.safe_load(with_config(listed(shop.root), update_config(ref="v2")))
    outcome, after = call(json.dumps(data))
    assert not outcome.has_failed
    _, expected = call(yaml.safe_dump(data))
    assert after["items"] == expected["items"]


def test_packages_that_items_name(shop: Shop) -> None:
    def named(path: Path) -> str:
        inside = path.relative_to(shop.root)
        directory = "sub" if inside.parts[0] == "sub" else ""
        name = str(inside)[len(directory) :].lstrip("/")
        note = {"internal.config.kubernetes.io/package-path": f"/work/shop/{directory}".rstrip("/")}
        documents = path.read_text().split("---\n")
        return "".join(item(name, text, i, **note) for i, text in enumerate(documents))

    paths = sorted(path for path in shop.root.rglob("*") if path.is_file())
    text = HEAD + "items:\n" + "".join(map(named, paths))
    outcome, data = call(with_config(text, update_config(ref="v2")))
    assert not outcome.has_failed, outcome.results
    (more,) = [found for found in data["items"] if found["metadata"]["name"] == "more"]
    notes = more["metadata"]["annotations"]
    assert notes["config.kubernetes.io/path"] == "more.yaml"
    assert notes["internal.config.kubernetes.io/package-path"] == "/work/shop/sub"


def test_nothing_to_do(shop: Shop) -> None:
    before = listed(shop.root)
    outcome, _ = call(before)
    assert chunks(outcome.text) == chunks(before)
    assert [found["severity"] for found in outcome.results] == ["info", "info"]


def test_files_that_are_no_items_are_named(shop: Shop) -> None:
    readme = {"README.md": "old\n", "values.yaml": "a: 1\n"}
    shop.publish({**version(2), **readme}, "v3")
    shop.publish({**version(2), "README.md": "new\n", "values.yaml": "a: 2\n"}, "v4")
    program("update", f"{shop.root}@v3")
    (shop.root / "values.yaml").unlink()
    outcome, data = call(with_config(listed(shop.root), update_config(ref="v4")))
    warned = {f["file"]["path"] for f in outcome.results if "not among the items" in f["message"]}
    assert warned == {"README.md", "values.yaml"}
    assert "README.md" not in {path for _, path, _ in places(data)}
    assert data["items"][0]["upstream"]["git"]["ref"] == "v4"


def test_values_of_secrets_are_hidden(shop: Shop) -> None:
    shop.publish({**version(2), "key.yaml": secret("first")}, "v3")
    shop.publish({**version(2), "key.yaml": secret("second")}, "v4")
    program("update", f"{shop.root}@v3")
    edit(shop.root / "key.yaml", "first", "private")
    outcome, _ = call(with_config(listed(shop.root), update_config(ref="v4")))
    results = json.dumps(outcome.results)
    (found,) = [f for f in outcome.results if "key.yaml" in f["message"]]
    assert found["field"]["currentValue"] == found["field"]["proposedValue"] == "(hidden)"
    assert not any(value in results for value in ("first", "second", "private"))


def test_policy_file_of_the_package_counts(shop: Shop) -> None:
    (shop.root / "pkgupdate.yaml").write_text(
        "apiVersion: pkgupdate.dev/v1alpha1\nkind: UpdatePolicy\nmetadata:\n  name: policy\n"
        "protect:\n- resource: apps/Deployment/web\n  path: spec.replicas\n"
    )
    outcome, data = call(with_config(listed(shop.root), update_config(ref="v2")))
    (web,) = [found for found in data["items"] if found["metadata"]["name"] == "web"]
    assert web["spec"]["replicas"] == 5
    assert "withheld" in [f["tags"]["kind"] for f in outcome.results if "tags" in f]


def test_check_finds_what_is_half_merged(shop: Shop) -> None:
    (shop.root / "again.yaml").write_text(config_map("mine", value=2))
    outcome, _ = call(with_config(listed(shop.root), update_config(mode="check")))
    (found,) = [f for f in outcome.results if f["severity"] == "error"]
    assert found["tags"] == {"code": "duplicate-resource"}


def merge_list(shop: Shop, **spec: str) -> str:
    """The local items, and those of both versions of upstream as sets in folders of their own."""
    text = listed(shop.root)
    for name, number in (("fetched", 1), ("newer", 2)):
        for path, content in version(number).items():
            for index, document in enumerate(content.split("---\n")):
                note = {"pkgupdate.dev/set": name}
                text += item(f"{name}/{path}", document, index, **note)
    config = update_config(original="fetched", upstream="newer", **spec)
    return with_config(text, {**config, "kind": "PackageMerge"})


def test_merge_of_sets_needs_no_network(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    outcome, data = call(merge_list(shop))
    assert not outcome.has_failed, outcome.results
    assert not any("pkgupdate.dev/set" in f["metadata"]["annotations"] for f in data["items"])
    assert ("new", "many.yaml", "1") in places(data)
    assert "gone" not in {name for name, _, _ in places(data)}


def test_merge_of_sets_gives_what_an_update_gives(shop: Shop) -> None:
    _, merged = call(merge_list(shop))
    _, updated = call(with_config(listed(shop.root), update_config(ref="v2")))
    assert places(merged) == places(updated)
    assert merged["items"][1:] == updated["items"][1:]  # all but ref and lock


@pytest.mark.parametrize(
    ("spec", "code"),
    [({"original": "fetchd"}, "set-unknown"), ({"upstream": "none"}, "set-unknown")],
)
def test_sets_that_do_not_fit(shop: Shop, spec: dict[str, str], code: str) -> None:
    text = merge_list(shop).replace(
        "original: fetched", "original: " + spec.get("original", "fetched")
    )
    text = text.replace("upstream: newer", "upstream: " + spec.get("upstream", "newer"))
    outcome, _ = call(text)
    assert [found["tags"]["code"] for found in outcome.results] == [code]


CONFIG_FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"kind": "PackageUpdat"}, "config-kind", "PackageUpdate"),
    ({"apiVersion": "pkgupdate.dev/v1"}, "config-kind", "pkgupdate.dev/v1alpha1"),
    ({"spec": {"onConflicts": "local"}}, "config-key", "onConflict"),
    ({"sepc": {}}, "config-key", "spec"),
    ({"spec": {"mode": "plans"}}, "config-value", "did you mean 'plan'?"),
    ({"spec": {"ref": 1.1}}, "config-value", "quotes"),
    ({"spec": {"strategy": "resource-merg"}}, "bad-setting", "resource-merge"),
    ({"spec": {"onConflict": "ask"}}, "config-value", "fail"),
    ({"spec": {"protect": ["a:["]}}, "path-syntax", ""),
    ({"spec": {"protect": [7]}}, "config-value", "RESOURCE:PATH"),
    ({"kind": "ConfigMap", "data": {"reff": "v2"}}, "config-key", "ref"),
    ({"spec": {"ref": "v9"}}, "ref-unknown", ""),
]


@pytest.mark.parametrize(("change", "code", "named"), CONFIG_FAULTS)
def test_bad_configuration(shop: Shop, change: dict[str, Any], code: str, named: str) -> None:
    before = listed(shop.root)
    outcome, _ = call(with_config(before, update_config() | change))
    (found,) = outcome.results
    assert outcome.has_failed
    assert (found["severity"], found["tags"]["code"]) == ("error", code)
    assert named in found["message"]
    assert chunks(outcome.text) == chunks(before)


LIST_FAULTS = [
    (HEAD + f"items:\n{item('a.yaml', config_map('a', x=1))}", "kptfile-missing"),
    (HEAD, "kptfile-missing"),
    ("kind: List\nitems: []\n", "not-a-resource-list"),
    ("apiVersion: v1\nkind: ResourceList\n", "not-a-resource-list"),
    (HEAD + "items: text\n", "not-a-resource-list"),
    (HEAD + "items:\n- text\n", "not-a-resource-list"),
    ("- 1\n", "not-a-resource-list"),
    ("", "not-a-resource-list"),
    ("\x00", "not-a-resource-list"),
    (HEAD + "items:\n- a: [\n", "yaml-syntax"),
    (HEAD + f"items:\n{item('../a.yaml', config_map('a', x=1))}", "unsafe-path"),
]


@pytest.mark.parametrize(("text", "code"), LIST_FAULTS)
def test_bad_list(text: str, code: str) -> None:
    outcome, data = call(text)
    (found,) = data["results"]
    assert outcome.has_failed
    assert (found["severity"], found["tags"]["code"]) == ("error", code)
    assert data["kind"] == "ResourceList"
    assert found.get("file") in (None, {"path": "../a.yaml"})
    came = chunks(text) if code in ("kptfile-missing", "unsafe-path") and "- " in text else []
    assert chunks(outcome.text) == came


def test_two_kptfiles_at_one_path(shop: Shop) -> None:
    before = listed(shop.root) + item("Kptfile", (shop.root / "Kptfile").read_text(), 1)
    outcome, _ = call(before)
    assert [found["tags"]["code"] for found in outcome.results] == ["kptfile-repeated"]
    assert chunks(outcome.text) == chunks(before)


def test_several_packages(shop: Shop) -> None:
    kptfile = (shop.root / "Kptfile").read_text()
    outcome, _ = call(HEAD + "items:\n" + item("a/Kptfile", kptfile) + item("b/Kptfile", kptfile))
    assert [found["tags"]["code"] for found in outcome.results] == ["several-packages"]


def test_other_parts_of_the_list_stay(shop: Shop) -> None:
    config = "functionConfig:\n  # why\n  kind: ConfigMap\n  data:\n    ref: v2   # as said\n"
    outcome, _ = call(listed(shop.root) + config)
    assert config in outcome.text


def test_the_command(shop: Shop) -> None:
    text = with_config(listed(shop.root), update_config(ref="v2"))
    assert program("fn", stdin=text) == run_function(text.encode()).text
    failed = program("fn", stdin="", code=1)
    assert yaml.safe_load(failed)["results"][0]["severity"] == "error"
    assert "ResourceList" in program("fn", "--help")


def test_reference_is_printed_and_documented() -> None:
    text = program("fn", "doc")
    assert text == reference()
    assert text in (Path(__file__).parents[2] / "docs" / "krm-function.md").read_text()
