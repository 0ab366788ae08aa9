"""docs/errors.md and the program know the same errors."""

import re
from itertools import pairwise

from error_codes import PROGRAM, codes_in_program

PAGE = (PROGRAM.parent / "docs" / "errors.md").read_text()
ROWS = re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
AREAS = re.split(r"^\| \*\*.*$", PAGE, flags=re.MULTILINE)[1:]


def test_codes_are_read_from_every_kind_of_place() -> None:
    codes = codes_in_program()
    assert {"usage", "yaml-too-deep", "auth-failed", "policy-shape", "patch-order"} <= codes
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code) for code in codes)


def test_every_error_is_documented_and_every_documented_error_exists() -> None:
    documented = [code for code, _, _ in ROWS]
    assert len(documented) == len(set(documented))
    assert set(documented) == codes_in_program()


def test_each_area_is_in_alphabetical_order() -> None:
    for area in AREAS:
        codes = re.findall(r"^\| `([a-z0-9-]+)`", area, re.MULTILINE)
        assert codes
        assert all(first < second for first, second in pairwise(codes))
