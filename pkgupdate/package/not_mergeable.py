"""Why a file cannot be merged as YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reason(NamedTuple):
    """Why a file cannot be merged as YAML.

    as_text: whether merging lines is sound (it is not, where the data are fine but could not be
    written back).
    """

    note: str
    as_text: bool = True


class NotMergeable(Exception):
    """Documents cannot be merged as data; their files have to be merged in another way."""

    def __init__(self, reasons: Mapping[str, Reason]) -> None:
        """`reasons` by file."""
        super().__init__(str(reasons))
        self.reasons = reasons
