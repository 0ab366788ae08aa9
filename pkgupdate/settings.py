"""Every setting there is: its names, its kind, its default, and where it may stand."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Final, Literal, NamedTuple

from pkgupdate.errors import Location, PolicyError

Where = Literal["policy", "user"]


class Setting(NamedTuple):
    """One setting.

    name: as in Python; the flag is ``--name`` and the environment variable ``PKGUPDATE_NAME``.
    kind: what its value is. choices: the words a `choice` may have.
    where: `policy`: in a package's policy file and in the user's file; `user`: in the latter only,
        since a package that others wrote must not decide it.
    """

    name: str
    kind: Literal["choice", "bool", "seconds", "path"]
    default: Any
    choices: tuple[str, ...] = ()
    where: Where = "policy"

    @property
    def key(self) -> str:
        """The name in YAML files: ``onConflict``."""
        first, *rest = self.name.split("_")
        return first + "".join(part.capitalize() for part in rest)

    @property
    def variable(self) -> str:
        """The environment variable."""
        return "PKGUPDATE_" + self.name.upper()


SETTINGS: Final = (
    Setting("on_conflict", "choice", "rules", ("rules", "upstream", "local", "fail", "ask")),
    Setting("pipeline_fallback", "choice", "replace", ("replace", "align")),
    Setting("kpt_compat", "bool", False),
    Setting("conflict_markers", "bool", False),
    Setting("merge_comments", "bool", True),
    Setting("recurse", "bool", True),
    Setting(
        "strategy",
        "choice",
        None,
        ("resource-merge", "fast-forward", "force-delete-replace", "copy-merge"),
    ),
    Setting("prereleases", "bool", False),
    Setting("require_signed", "bool", False),
    Setting("allow_dirty", "bool", False, where="user"),
    Setting("offline", "bool", False, where="user"),
    Setting("timeout", "seconds", None, where="user"),
    Setting("cache_dir", "path", None, where="user"),
)
BY_KEY: Final = {setting.key: setting for setting in SETTINGS}

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


def checked(setting: Setting, value: object, where: Location) -> Any:
    """The value in its own type, from plain data or from text.

    Raises PolicyError `bad-setting` with the values that are allowed, and the nearest one.
    """
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if setting.kind == "bool" and text.lower() in _TRUE + _FALSE:
        return text.lower() in _TRUE
    if setting.kind == "choice" and text in setting.choices:
        return text
    if setting.kind == "path" and isinstance(value, str) and text:
        return text
    if setting.kind == "seconds" and not isinstance(value, bool):
        try:
            if (seconds := float(text)) > 0:
                return seconds
        except ValueError:
            pass
    raise PolicyError(
        "bad-setting",
        f"{setting.key} cannot be {text!r}",
        where=where,
        why=f"it is {_expected(setting)}",
        hint=near_match(text, setting.choices),
    )


def near_match(word: str, words: tuple[str, ...]) -> str:
    """``did you mean "x"?``, or nothing if no word is like it."""
    found = get_close_matches(word, words, n=1)
    return f"did you mean {found[0]!r}?" if found else ""


def _expected(setting: Setting) -> str:
    return {
        "bool": "true or false",
        "choice": "one of " + ", ".join(setting.choices),
        "seconds": "a number of seconds",
        "path": "a path",
    }[setting.kind]
