"""Which value each setting has, and where it comes from.

Flag over environment (`PKGUPDATE_…`; of kpt's variables KPT_CACHE_DIR) over the policy file of the
package over the user's file over the default. Protections of flags and policy file add up; a scope
given as a flag replaces the policy file's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pkgupdate.errors import Location
from pkgupdate.merge.policy import OnConflict, Policy, Target
from pkgupdate.policy_file import SettingsFile, parse_target, read_policy_file, read_user_file
from pkgupdate.settings import SETTINGS, Setting, checked

if TYPE_CHECKING:
    from pkgupdate.merge.decisions import Choices
    from pkgupdate.schema.entries import SchemaEntry
    from pkgupdate.update.options import UpdateOptions

USER_FILE_VARIABLE: Final = "PKGUPDATE_CONFIG"
_KPT_CACHE: Final = "KPT_CACHE_DIR"


@dataclass(frozen=True, slots=True)
class Sourced:
    """A value and where it comes from (`flag`, the variable's name, a file, `default`)."""

    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one run."""

    values: Mapping[str, Sourced]
    protected: tuple[Target, ...] = ()
    scope: tuple[Target, ...] = ()
    schema: tuple[SchemaEntry, ...] = ()
    branches: tuple[str, ...] = ()
    files: tuple[Path, ...] = field(default=())

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value

    def policy(self, choices: Choices | None = None, *, in_detail: bool = False) -> Policy:
        """What the merge needs to know; `fail` and `ask` decide nothing and merge by the rules."""
        word = self["on_conflict"]
        by_rules = word in ("fail", "ask")
        return Policy(
            on_conflict=OnConflict.RULES if by_rules else OnConflict(word),
            protected=self.protected,
            scope=self.scope,
            pipeline_fallback=self["pipeline_fallback"],
            kpt_compat=self["kpt_compat"],
            conflict_markers=self["conflict_markers"],
            in_detail=in_detail,
            choices=choices or {},
        )

    def update_options(
        self, ref: str | None = None, choices: Choices | None = None, *, in_detail: bool = False
    ) -> UpdateOptions:
        """What the update layer needs to know. in_detail: see `Policy`."""
        from pkgupdate.update.options import UpdateOptions

        cache_dir = self["cache_dir"]
        return UpdateOptions(
            ref=ref,
            strategy=self["strategy"],
            policy=self.policy(choices, in_detail=in_detail),
            schema_entries=self.schema,
            allow_dirty=self["allow_dirty"],
            merge_comments=self["merge_comments"],
            recurse=self["recurse"],
            offline=self["offline"],
            timeout=self["timeout"],
            cache_dir=Path(cache_dir) if cache_dir else None,
            prereleases=self["prereleases"],
            require_signed=self["require_signed"],
        )


def load_config(
    package: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    *,
    protect: Sequence[str] = (),
    scope: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    policy: SettingsFile | None = None,
) -> Config:
    """Work out every setting for a run on `package` (None: there is none on disk).

    flags: by the setting's name; None stands for a flag that was not given. policy: the policy file
    of a package that is not on disk. Raises PolicyError,
    DocumentError for a broken file, UsageError for a broken place in `protect` or `scope`.
    """
    env = os.environ if environment is None else environment
    policy = read_policy_file(package) if package else policy
    user = read_user_file(user_file(env))
    values = {s.name: _resolve(s, (flags or {}).get(s.name), env, policy, user) for s in SETTINGS}
    own_scope = tuple(map(parse_target, scope))
    return Config(
        values,
        protected=(policy.protected if policy else ()) + tuple(map(parse_target, protect)),
        scope=own_scope or (policy.scope if policy else ()),
        schema=policy.schema if policy else (),
        branches=policy.branches if policy else (),
        files=tuple(file.path for file in (policy, user) if file),
    )


def user_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The user's settings file: PKGUPDATE_CONFIG, else `config.yaml` in the config folder."""
    if path := environment.get(USER_FILE_VARIABLE):
        return Path(path)
    from platformdirs import user_config_path

    return user_config_path("pkgupdate") / "config.yaml"


def _resolve(
    setting: Setting,
    flag: Any,
    env: Mapping[str, str],
    policy: SettingsFile | None,
    user: SettingsFile | None,
) -> Sourced:
    if flag is not None:
        return Sourced(flag, "flag")
    if text := env.get(setting.variable):
        return Sourced(checked(setting, text, Location(setting.variable)), setting.variable)
    if setting.name == "cache_dir" and (kpt := env.get(_KPT_CACHE)):
        return Sourced(str(Path(kpt) / "pkgupdate"), _KPT_CACHE)
    for file in (policy, user):
        if file and setting.name in file.values:
            return Sourced(file.values[setting.name], str(file.path))
    return Sourced(setting.default, "default")
