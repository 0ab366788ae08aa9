from __future__ import annotations

import pytest

from pkgupdate.document.values import MISSING
from pkgupdate.merge.three_way import decide

NONE = MISSING


@pytest.mark.parametrize(
    ("original", "upstream", "local", "expected"),
    [
        (1, 1, 1, None),
        (NONE, NONE, NONE, None),
        (1, 2, 2, "agreed same-change local"),
        (1, NONE, NONE, "agreed same-change local"),
        (NONE, 1, 1, "agreed same-change local"),
        (1, 2, 1, "applied upstream-only upstream"),
        (1, NONE, 1, "applied upstream-only upstream"),
        (NONE, 1, NONE, "applied upstream-only upstream"),
        (1, 1, 2, "kept local-only local"),
        (1, 1, NONE, "kept local-only local"),
        (NONE, NONE, 1, "kept local-only local"),
        (1, NONE, 2, "collision delete-edit local"),
        (1, 2, NONE, "collision edit-delete local"),
        (1, 2, 3, "collision edit-edit upstream"),
        (NONE, 2, 3, "collision edit-edit upstream"),
    ],
)
def test_case_matrix(original, upstream, local, expected) -> None:
    outcome = decide(original, upstream, local)
    assert (outcome and " ".join(outcome)) == expected


def test_sameness_is_up_to_the_caller() -> None:
    assert decide("a", "A", "b", same=lambda x, y: x.lower() == y.lower()).kind == "kept"
