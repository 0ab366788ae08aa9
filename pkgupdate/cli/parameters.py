"""Values of the command line that need no reading.

Typer reads every value by pydantic, even that of an option that was not given, and loading pydantic
takes longer than loading Typer. Values that are as they should be already are passed on here.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command whose parameters are read only where that is needed."""

    def get_params(self, ctx: Any) -> Any:
        """All parameters, the one for help too."""
        return [_read_lazily(parameter) for parameter in super().get_params(ctx)]


class Group(TyperGroup):
    """A group of commands with such parameters."""

    def get_params(self, ctx: Any) -> Any:
        """All parameters, the one for help too."""
        return [_read_lazily(parameter) for parameter in super().get_params(ctx)]


def _read_lazily(parameter: Any) -> Any:
    has_pydantic = hasattr(parameter, "type_descriptor")  # since Typer 0.29
    if not has_pydantic or "process_value" in vars(parameter):
        return parameter
    read = parameter.process_value
    wanted = parameter.type_descriptor.annotation

    def process_value(context: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            value = () if parameter.multiple or parameter.nargs == -1 else None
        elif type(value) is not wanted:
            return read(context, value)
        return parameter.callback(context, parameter, value) if parameter.callback else value

    parameter.process_value = process_value
    return parameter
