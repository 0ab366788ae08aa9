"""Lossless YAML: text to node trees with exact spans and comments, and back by splicing."""
