"""Limits against hostile input; each has a clear error (see docs/security.md)."""

from typing import Final

MAX_DEPTH: Final = 128
"""Nested collections in one document; recursion over trees stays far below Python's own limit."""

MAX_EXPANDED_NODES: Final = 2_000_000
"""Nodes of one text, counted with every alias expanded."""

MAX_TEXT_BYTES: Final = 64 * 1024 * 1024
"""Characters of one text that is parsed as YAML, and those that all its aliases stand for."""
