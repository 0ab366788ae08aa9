"""Programs that call pkgupdate, and the forms in which they do."""
