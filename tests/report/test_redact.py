"""Nothing secret in any report."""

import pytest

from pkgupdate.document.values import from_plain
from pkgupdate.merge.decisions import Decision, Kind, Rule, Subject
from pkgupdate.package.changes import FileChange
from pkgupdate.package.tree import FileKind, FileState
from pkgupdate.paths import parse_pattern
from pkgupdate.report.as_json import render_json
from pkgupdate.report.markdown import render_markdown
from pkgupdate.report.model import make_report
from pkgupdate.report.text import render_text
from pkgupdate.report.unified import render_diff

PEARL = "cGVhcmw="
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": PEARL}}

PLACES = [
    ("Secret/s", "data.k", PEARL),
    ("Secret/ns/s", "data", {"k": PEARL}),
    ("Secret/s", "stringData.k", f"a {PEARL}"),
    ("Secret/s", "", SECRET),
    ("Secret/s", f'metadata.annotations["{LAST_APPLIED}"]', f'{{"data": "{PEARL}"}}'),
    ("Secret/s", "metadata", {"annotations": {LAST_APPLIED: PEARL}}),
    ("Secret/s", "metadata.annotations", {LAST_APPLIED: PEARL}),
    ("List", "items[0]", SECRET),
    ("List", "items", [SECRET]),
    ("List", "items[0].data.k", PEARL),
    ("SecretList", "items[0].data.k", PEARL),
    ("SecretList", "items[0]", {"data": {"k": PEARL}}),
    ("SecretList", "items", [{"data": {"k": PEARL}}]),
    ("SecretList", "", {"kind": "SecretList", "items": [{"data": {"k": PEARL}}]}),
    ("example.com/Widget/w", "spec.template", SECRET),
    ("", "", f"kind: Secret\ndata:\n  k: {PEARL}\n"),
    ("ConfigMap/c", "data.url", f"https://u:{PEARL}@example.com/x"),
    ("ConfigMap/c", "data", {"urls": [f"see https://{PEARL}@example.com/x"]}),
]


@pytest.mark.parametrize("render", [render_text, render_json, render_markdown])
@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(("resource", "path", "value"), PLACES)
def test_no_report_shows_a_secret(render, kind: Kind, resource: str, path: str, value) -> None:
    data = from_plain(value)
    for subject in (Subject.VALUE, Subject.COMMENT_LINE):
        decision = Decision(
            kind,
            Rule.EDIT_EDIT,
            subject,
            file="x.yaml",
            resource=resource,
            path=parse_pattern(path),
            original=data,
            upstream=data,
            local=data,
            result=data,
            note=f"from https://u:{PEARL}@example.com/x",
        )
        assert PEARL not in render(make_report("update", [decision], []))


def test_what_is_no_secret_is_shown() -> None:
    image = "nginx:1.27@sha256:abc"
    decision = Decision(Kind.APPLIED, Rule.UPSTREAM_ONLY, file="x", result=image, local=image)
    assert image in render_text(make_report("update", [decision], []))


BEFORE = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: s
  annotations:
    {LAST_APPLIED}: |
      {{"data": "{PEARL}"}}
type: Opaque
data:
  # {PEARL}
  a: {PEARL} # {PEARL}
  b: |
    {PEARL}
    {PEARL}
---
kind: ConfigMap
data:
  open: "yes"
"""

DIFFS = [
    (BEFORE, BEFORE.replace(f"a: {PEARL} ", f"a: {PEARL}2 ")),
    (BEFORE.replace("\n", "\r\n"), "kind: Secret\nstringData: {k: " + PEARL + "}\n"),
    ("\ufeff" + BEFORE, ""),
    (f"kind: List\nitems:\n- kind: Secret\n  data: {{k: {PEARL}}}\n", "kind: List\n"),
    (f"kind: SecretList\nitems:\n- data: {{k: {PEARL}}}\n", "kind: List\n"),
    (f"kind: Secret\ndata:\n  k: {{{{ {PEARL} }}\n: [\n", "x\n"),
]


@pytest.mark.parametrize(("before", "after"), DIFFS)
def test_no_diff_shows_a_secret(before: str, after: str) -> None:
    states = [FileState(FileKind.FILE, text.encode()) for text in (before, after)]
    for old, new in (states, states[::-1]):
        diff = render_diff([FileChange("s.yaml", old, new)])
        assert PEARL not in diff
        assert diff.startswith("diff --git a/s.yaml b/s.yaml\n")


def test_a_diff_still_shows_which_values_of_a_secret_changed() -> None:
    before, after = (FileState(FileKind.FILE, text.encode()) for text in DIFFS[0])
    diff = render_diff([FileChange("s.yaml", before, after)])
    assert "-  a: (hidden 2)\n" in diff
    assert "+  a: (hidden 4)\n" in diff
    assert "   b: (hidden 3)\n" in diff
