"""What a command did, told as text, JSON, Markdown or a unified diff (docs/decision-format.md)."""
