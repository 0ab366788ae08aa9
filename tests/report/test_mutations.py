"""The report by paths, the details of what was taken whole, and upstream's changelog."""

from pkgupdate.merge.decisions import Choices
from pkgupdate.merge.policy import Policy
from pkgupdate.merge.sides import Sides
from pkgupdate.package.merge import merge_trees
from pkgupdate.package.tree import FileKind, FileState, MemoryTree
from pkgupdate.policy_file import parse_target
from pkgupdate.report.detail import with_details
from pkgupdate.report.markdown import render_markdown
from pkgupdate.report.model import PackageLine, Report, make_report
from pkgupdate.report.mutations import render_mutations
from pkgupdate.upstream.history import Commit

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}}}\ndata: {{a: {}, b: {}}}\n"
PACKAGE = PackageLine(
    "", "shop", "https://github.com/o/r", "/shop", "resource-merge", "v1", "a" * 40, "v2", "b" * 40
)


def report(
    original: str, upstream: str, local: str, policy: Policy | None = None, **more: object
) -> Report:
    sides = Sides(
        *(
            MemoryTree({"a.yaml": FileState(FileKind.FILE, text.encode())} if text else {})
            for text in (original, upstream, local)
        )
    )
    merged = merge_trees(sides, policy=policy or Policy())
    return make_report("merge", merged.decisions, merged.changes, **more)  # type: ignore[arg-type]


def rows(text: str) -> dict[str, list[str]]:
    """Owner, policy, outcome and the changes, by the last part of the path."""
    found: dict[str, list[str]] = {}
    cells: list[str] = []
    for line in text.splitlines()[1:]:
        if line.startswith("  "):
            cells.append(" ".join(line.split()))
        elif line:
            cells = line.split()[:3]
            found[line.split()[-1]] = cells
    return found


def test_owner_policy_and_outcome_of_each_path() -> None:
    original = (
        CONFIG.format("x", 1, 1).replace("}\n", ", c: 1, d: 1}\n").replace("x, c: 1, d: 1", "x")
    )
    upstream = original.replace("a: 1", "a: 2").replace("c: 1", "c: 2").replace("d: 1", "d: 2")
    local = original.replace("b: 1", "b: 3").replace("c: 1", "c: 3")
    policy = Policy(protected=(parse_target("ConfigMap/x:data.d"), parse_target("*:data.b")))
    text = render_mutations(report(original, upstream, local, policy), policy)
    found = rows(text)
    assert found["data.a"] == ["upstream", "eligible", "applied", "upstream 1 -> 2"]
    assert found["data.b"] == ["local", "protected", "kept", "local 1 -> 3"]
    assert found["data.c"] == [
        "both",
        "eligible",
        "collision",
        "upstream 1 -> 2",
        "local 1 -> 3",
    ]
    assert found["data.d"] == ["upstream", "protected", "withheld", "upstream 1 -> 2"]
    assert text.endswith("1 file changed: 1 arrived, 1 kept, 1 collided, 1 withheld.\n")


def test_scope_and_choice_show_as_policy() -> None:
    original, upstream = CONFIG.format("x", 1, 1), CONFIG.format("x", 2, 2)
    choices: Choices = {("a.yaml", "ConfigMap/x", "data.a", "value"): "local"}
    policy = Policy(scope=(parse_target("*:data.a"),), choices=choices)
    found = rows(render_mutations(report(original, upstream, original, policy), policy))
    assert found["data.a"][:3] == ["upstream", "chosen", "withheld"]
    assert found["data.b"][:3] == ["upstream", "no-scope", "withheld"]


def test_what_was_taken_whole_is_told_field_by_field() -> None:
    original = "---\n".join(CONFIG.format(name, 1, 1) for name in "xy")
    upstream = original.replace("x}\ndata: {a: 1", "x}\ndata: {a: 2")
    for local in (original, original.replace("y}\ndata: {a: 1", "y}\ndata: {a: 5")):
        whole = report(original, upstream, local)
        assert whole.items[0].decision.path == ()
        (detail,) = with_details(whole).items
        assert detail.message == "a.yaml ConfigMap/x data.a: 1 -> 2"
        assert rows(render_mutations(whole, Policy()))["data.a"][0] == "upstream"
        assert "`a.yaml ConfigMap/x data.a` | 1 -\\> 2" in render_markdown(whole)


def test_additions_and_deletions_stay_whole() -> None:
    text = CONFIG.format("x", 1, 1)
    assert rows(render_mutations(report("", text, ""), Policy()))["a.yaml"][2:] == [
        "applied",
        "upstream added",
    ]
    assert rows(render_mutations(report(text, "", text), Policy()))["a.yaml"][2:] == [
        "applied",
        "upstream deleted",
    ]


def test_the_values_of_secrets_stay_hidden() -> None:
    secret = CONFIG.replace("ConfigMap", "Secret")
    sides = [secret.format("x", value, 1) for value in ("pearl1", "pearl2", "pearl3")]
    for local in (sides[0], sides[2]):
        text = render_mutations(report(sides[0], sides[1], local), Policy())
        assert "pearl" not in text
        assert "data.a" in text


def test_changelog_with_links_in_markdown() -> None:
    commits = [
        Commit("c" * 40, "Ann <a@b>", "ann@example.org", "2026-03-04T05:06:07Z", "Fix #7 | @x", ""),
        Commit("d" * 40, "Bob", "bob@example.org", "2026-03-03T05:06:07Z", "<b>Add</b>", ""),
    ]
    text = render_markdown(
        report("", "", "", packages=[PACKAGE], changelog={"": commits}),
    )
    assert "<summary>Upstream's changes to shop (2 commits)</summary>" in text
    compare = f"https://github.com/o/r/compare/{'a' * 40}...{'b' * 40}"
    assert f"[v1…v2]({compare})" in text
    assert f"- [`ccccccc`](https://github.com/o/r/commit/{'c' * 40}) Fix \\#7 \\|" in text
    assert "<b>" not in text
    assert "@x" not in text


def test_kept_although_upstream_differs_stands_out_in_markdown() -> None:
    text = CONFIG.format("x", 1, 1)
    rendered = render_markdown(report(text, CONFIG.format("x", 2, 1), ""))
    assert "### Kept although upstream differs" in rendered
    assert "<summary>Kept" not in rendered
