"""One module per command; `pkgupdate.cli.registry` lists them."""
