"""Reports made from decisions and file changes by hand."""

import json
from importlib.resources import files

import jsonschema
import pytest

from pkgupdate.document.values import MISSING, from_plain
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.paths import parse_pattern
from pkgupdate.report.as_json import render_json
from pkgupdate.report.markdown import render_markdown
from pkgupdate.report.model import Item, PackageLine, Report, make_report
from pkgupdate.report.text import collision_block, render_text
from pkgupdate.report.unified import render_diff

WEB = "apps/Deployment/shop/web"


def decision(kind: Kind, rule: Rule, path: str = "", **more: object) -> Decision:
    defaults = {"file": "web.yaml", "resource": WEB}
    return Decision(kind, rule, path=parse_pattern(path), **(defaults | more))


def values(original: object, upstream: object, local: object, result: object) -> dict[str, object]:
    names = ("original", "upstream", "local", "result")
    sides = (original, upstream, local, result)
    return {
        n: MISSING if v is MISSING else from_plain(v) for n, v in zip(names, sides, strict=True)
    }


COLLISION = decision(Kind.COLLISION, Rule.EDIT_EDIT, "spec.replicas", **values(3, 4, 5, 4))
APPLIED = decision(
    Kind.APPLIED,
    Rule.UPSTREAM_ONLY,
    "spec.template.spec.containers[name=web].image",
    **values("nginx:1.25", "nginx:1.27", "nginx:1.25", "nginx:1.27"),
)
SECRET = decision(
    Kind.COLLISION,
    Rule.EDIT_EDIT,
    "data.password",
    file="secret.yaml",
    resource="Secret/shop/db",
    **values("b2xk", "bmV3", "bWluZQ==", "bmV3"),
)
PACKAGE = PackageLine(
    "",
    "shop",
    "https://x:tok@example.com/o/r",
    "/shop",
    "resource-merge",
    "v1",
    "a" * 40,
    "v2",
    "b" * 40,
)


def report(*decisions: Decision, **more: object) -> Report:
    return make_report("update", decisions, more.pop("changes", ()), **more)


MESSAGES = [
    (
        decision(
            Kind.COLLISION,
            Rule.DELETE_EDIT,
            subject=Subject.RESOURCE,
            file="extra.yaml",
            resource="ConfigMap/extra",
            **values("1", MISSING, "2", "2"),
        ),
        "extra.yaml ConfigMap/extra: deleted upstream, changed locally; local wins",
    ),
    (COLLISION, f"web.yaml {WEB} spec.replicas: changed on both sides; upstream wins"),
    (
        APPLIED,
        f"web.yaml {WEB} spec.template.spec.containers[name=web].image: nginx:1.25 -> nginx:1.27",
    ),
    (
        decision(
            Kind.COLLISION,
            Rule.DELETE_EDIT,
            "pipeline.mutators[image=example.com/set-namespace]",
            file="Kptfile",
            resource="kpt.dev/Kptfile/shop",
            function="set-namespace",
            **values({"a": 1}, MISSING, {"a": 2}, {"a": 2}),
        ),
        "Kptfile pipeline.mutators set-namespace: deleted upstream, changed locally; local wins",
    ),
    (
        decision(
            Kind.KEPT,
            Rule.LOCAL_ONLY,
            "pipeline.mutators[name=setters].configMap.tag",
            file="sub/Kptfile",
            resource="kpt.dev/Kptfile/sub",
            function="setters",
            **values("1", "1", "2", "2"),
        ),
        'sub/Kptfile pipeline.mutators setters.configMap.tag: local "2" kept',
    ),
    (
        decision(
            Kind.COLLISION,
            Rule.EXCLUSIVE,
            "pipeline.mutators[name=apply-setters]",
            file="Kptfile",
            function="apply-setters",
            note="configMap vs configPath",
            **values(
                {"configPath": "a"},
                {"configMap": {"a": "1"}},
                {"configPath": "b"},
                {"configMap": {"a": "1"}},
            ),
        ),
        "Kptfile pipeline.mutators apply-setters: configMap vs configPath: "
        "changed on both sides; upstream wins",
    ),
    (
        decision(
            Kind.COLLISION,
            Rule.BINARY,
            subject=Subject.FILE,
            file="logo.png",
            resource="",
            **values("x", "y", "z", "z"),
        ),
        "logo.png: changed on both sides; local wins",
    ),
    (
        decision(Kind.WITHHELD, Rule.PROTECTED, "spec.replicas", **values(1, 2, 1, 1)),
        f"web.yaml {WEB} spec.replicas: upstream's 2 withheld, local 1 kept",
    ),
    (
        decision(
            Kind.APPLIED,
            Rule.MOVED,
            subject=Subject.RESOURCE,
            new_path="a/b.yaml",
            **values("x", "x", "x", "x"),
        ),
        f"web.yaml {WEB}: changed, as upstream; now in a/b.yaml",
    ),
]


@pytest.mark.parametrize(
    ("made", "expected"), MESSAGES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_message_begins_with_the_place(made: Decision, expected: str) -> None:
    assert Item.of(made).message == expected


def test_text_shows_collisions_as_blocks_with_the_winner_marked() -> None:
    text = render_text(report(COLLISION, APPLIED, packages=[PACKAGE], next_steps=["git diff"]))
    assert "Update shop v1 -> v2 (aaaaaaa -> bbbbbbb, resource-merge)" in text
    assert f"merged    web.yaml {WEB}: 1 arrived, 1 collided" in text
    assert "    original  3\n  > upstream  4\n    local     5\n" in text
    assert text.endswith("next: git diff\n")


def test_text_says_that_there_is_nothing_to_do() -> None:
    assert "Nothing to do" in render_text(report(packages=[PACKAGE]))


def test_json_follows_its_published_schema() -> None:
    schema = json.loads((files("pkgupdate.report.schemas") / "UpdateReport.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    change = FileChange("web.yaml", None, FileState(FileKind.FILE, b"a: 1\n"))
    made = report(
        *(d for d, _ in MESSAGES), SECRET, packages=[PACKAGE], changes=[change], notes=["n"]
    )
    data = json.loads(render_json(made, output="x"))
    jsonschema.validate(data, schema, cls=jsonschema.Draft202012Validator)
    deleted = data["decisions"][0]
    assert deleted["upstream"] is None
    assert deleted["absent"] == ["upstream"]
    assert data["summary"]["collision"] == 6


def test_schema_names_every_kind_and_subject() -> None:
    schema = json.loads((files("pkgupdate.report.schemas") / "UpdateReport.json").read_text())
    properties = schema["$defs"]["decision"]["properties"]
    assert properties["kind"]["enum"] == [kind.value for kind in Kind]
    assert properties["subject"]["enum"] == [subject.value for subject in Subject]


def test_markdown_puts_collisions_first_and_folds_what_was_kept() -> None:
    kept = decision(
        Kind.KEPT, Rule.LOCAL_ONLY, "spec.paused", **values(MISSING, MISSING, True, True)
    )
    text = render_markdown(report(APPLIED, COLLISION, kept, packages=[PACKAGE]))
    assert text.index("1 collision") < text.index("What arrived") < text.index("<details>")
    assert "| `3` | `4` | `5` |" in text


@pytest.mark.parametrize("render", [render_text, render_json, render_markdown])
def test_hostile_names_and_values_are_made_visible(render) -> None:
    hostile = decision(
        Kind.COLLISION,
        Rule.EDIT_EDIT,
        file="a\x1b[2J\nb.yaml",
        **values("x\x1b]0;t\x07", "\u202eevil", "a\nb", "\u202eevil"),
    )
    text = render(report(hostile))
    assert not {c for c in text if not c.isprintable() and c not in "\n\u200b"}
    assert "a\\" in text


def file(text: str, kind: FileKind = FileKind.FILE) -> FileState:
    return FileState(kind, text.encode())


def test_diff_reads_like_git_diff() -> None:
    changes = [
        FileChange("a.yaml", file("a: 1\nb: 2\n"), file("a: 1\nb: 3")),
        FileChange("gone.yaml", file("x: 1\n"), None),
        FileChange("link", None, file("a.yaml", FileKind.LINK)),
        FileChange("run.sh", file("x\n"), file("x\n", FileKind.EXEC)),
        FileChange("logo", FileState(FileKind.FILE, b"\0"), FileState(FileKind.FILE, b"\1\0")),
    ]
    assert render_diff(changes) == (
        "diff --git a/a.yaml b/a.yaml\n"
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3\n"
        "\\ No newline at end of file\n"
        "diff --git a/gone.yaml b/gone.yaml\ndeleted file mode 100644\n"
        "--- a/gone.yaml\n+++ /dev/null\n@@ -1 +0,0 @@\n-x: 1\n"
        "diff --git a/link b/link\nnew file mode 120000\n"
        "--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+a.yaml\n\\ No newline at end of file\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/logo b/logo\nBinary or hidden contents of a/logo and b/logo differ\n"
    )


def test_a_function_that_is_lost_is_shown_whole() -> None:
    function = {"image": "example.com/" + "x" * 100, "configMap": {"a": "1"}}
    lost = decision(
        Kind.COLLISION,
        Rule.PIPELINE_REPLACED,
        "pipeline.mutators[1]",
        file="Kptfile",
        function="x",
        **values(MISSING, MISSING, function, MISSING),
    )
    text = render_text(report(lost))
    assert f"    image: {function['image']}\n    configMap:\n      a: '1'\n" in text


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (
            ("a\nb\nc\n", "a\nB\nB\nc\n", "a\n\nb2\nc\n"),
            [
                "    original  b",
                "  > upstream  B",
                "              B",
                "    local     ",
                "              b2",
            ],
        ),
        (  # a line break that would not be seen
            ("b", "b\n", "b\nc"),
            ["    original  b", '  > upstream  "b\\n"', "    local     b", "              c"],
        ),
        (
            ('{"a": 1}', '{"a": 2}', '{"a": "it\'s"}'),
            [
                """    original  '{"a": 1}'""",
                """  > upstream  '{"a": 2}'""",
                r"""    local     "{\"a\": \"it's\"}" """.rstrip(),
            ],
        ),
    ],
)
def test_a_collision_of_texts_shows_their_lines(texts: tuple[str, ...], shown: list[str]) -> None:
    made = decision(Kind.COLLISION, Rule.TEXT, "data.x", **values(*texts, texts[1]))
    assert list(collision_block(Item.of(made)))[1:] == shown
