"""The KRM function: `ResourceList` in, `ResourceList` out (docs/krm-function.md)."""
