"""The JSON Schemas of what the program prints, one file for each `kind` (docs/json.md)."""
