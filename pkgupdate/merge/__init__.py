"""The three-way merge: pure functions from three versions to decisions (docs/merge-rules.md)."""
