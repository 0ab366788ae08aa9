"""What a command gave back."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def shown(self) -> str:
        return self.out + self.err


Run = Callable[..., Outcome]
