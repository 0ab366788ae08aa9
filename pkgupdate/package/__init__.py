"""Packages as trees of files: which files, which resources, which subpackages merge, and how."""
