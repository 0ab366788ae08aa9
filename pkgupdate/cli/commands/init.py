"""`pkgupdate init`: make a folder a package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder; it is made if it is missing.")
    ] = Path(),
    description: Annotated[
        str, typer.Option(help="What the package is, in a sentence.")
    ] = "sample description",
    keywords: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD,WORD", help="Words that describe it. May be repeated."),
    ] = None,
    site: Annotated[str, typer.Option(metavar="URL", help="A page that tells more.")] = "",
) -> None:
    """Make a folder a package: a Kptfile, a README and the context for functions.

    Files that are there already stay as they are.
    """
    from pkgupdate.cli import console
    from pkgupdate.inspect.create import create_package
    from pkgupdate.upstream.text import printable

    words = [word.strip() for text in keywords or () for word in text.split(",") if word.strip()]
    written = create_package(folder, description=description, keywords=words, site=site)
    for file, is_new in written.items():
        verb = "wrote" if is_new else "kept "
        console.result(f"{verb} {printable(str(folder / file))}\n")
