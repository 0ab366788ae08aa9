"""What Git itself calls: a merge driver, hooks, and commands that set them up (docs/git.md)."""
