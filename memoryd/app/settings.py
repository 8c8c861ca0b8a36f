"""The settings of a data directory, and where each value came from.

Precedence, lowest first: the default, `config.toml`, the environment, the command line (or values given in
code). A setting `group.name` has the environment variable `MEMORYD_GROUP_NAME`. Other variables have no
effect: an `OPENAI_API_KEY` in the environment is not read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import reduce
from typing import Any, Literal

import msgspec

from memory_client.errors import ConfigurationError, InvalidParameterError
from memory_client.paths import DataPaths
from memory_client.types import SettingValue
from memoryd.app.setting import Setting, settings_of
from memoryd.app.setting_groups import SettingGroups
from memoryd.app.setting_sources import MASK, Sources
from memoryd.core.times import parse_zone

Origin = Literal["default", "config.toml", "environment", "command line"]


class Settings(SettingGroups, frozen=True):
    """The values. origins: by name, of those that are not defaults."""

    origins: dict[str, Origin] = msgspec.field(default_factory=dict)

    def value(self, name: str) -> Any:
        """The value of `group.name`."""
        return reduce(getattr, name.split("."), self)

    def origin(self, name: str) -> Origin:
        """Where the value of `group.name` came from."""
        return self.origins.get(name, "default")

    def from_environment(self) -> list[str]:
        """Names of the settings that came from the environment of the process that started this one."""
        return [s.name for s in SETTINGS if self.origin(s.name) == "environment"]

    def describe(self) -> list[SettingValue]:
        """Every setting with its value and origin; secrets are masked."""
        return [self._described(setting) for setting in SETTINGS]

    def _described(self, setting: Setting) -> SettingValue:
        value = self.value(setting.name)
        return {
            "name": setting.name,
            "value": MASK if setting.is_secret and value else msgspec.to_builtins(value),
            "default": msgspec.to_builtins(setting.default),
            "source": self.origin(setting.name),
            "variable": setting.variable,
            "description": setting.description,
        }

    @property
    def fingerprint(self) -> str:
        """A hash of all values but secrets: two processes with the same one behave the same."""
        values = {s.name: self.value(s.name) for s in SETTINGS if not s.is_secret}
        return hashlib.sha256(msgspec.json.encode(values, order="deterministic")).hexdigest()[:16]


SETTINGS: tuple[Setting, ...] = tuple(settings_of(Settings()))
_SOURCES = Sources(SETTINGS)


def load_settings(
    paths: DataPaths,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings of a data directory. environ: None for the process's own; overrides: by `group.name`.

    Raises `ConfigurationError` naming the setting, the value, what is expected and the nearest match, and
    `UnsafeDirectoryError` if others may write `config.toml`.
    """
    layers: tuple[tuple[Origin, dict[str, Any]], ...] = (
        ("config.toml", _SOURCES.from_file(paths)),
        ("environment", _SOURCES.from_environment(os.environ if environ is None else environ)),
        ("command line", _SOURCES.from_overrides(overrides or {})),
    )
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for origin, layer in layers:
        values.update(layer)
        origins.update(dict.fromkeys(layer, origin))
    settings = msgspec.convert(_tree(values) | {"origins": origins}, Settings)
    _check_together(settings)
    return settings


def check_overrides(overrides: Mapping[str, Any]) -> None:
    """Raise `ConfigurationError` for values that `load_settings` would refuse."""
    _SOURCES.from_overrides(overrides)


def is_secret(name: str) -> bool:
    """Whether the value of a setting must not be shown."""
    return _SOURCES.is_secret(name)


def _tree(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by `group.name` as tables of tables."""
    tree: dict[str, Any] = {}
    for name, value in values.items():
        *groups, key = name.split(".")
        reduce(lambda table, group: table.setdefault(group, {}), groups, tree)[key] = value
    return tree


def _check_together(settings: Settings) -> None:
    """Raise `ConfigurationError` for an unknown time zone, and for values that contradict each other."""
    try:
        if settings.search.timezone:
            parse_zone(settings.search.timezone, "search.timezone")
    except InvalidParameterError as error:
        raise ConfigurationError(error.message, setting="search.timezone") from error
    decay = settings.decay
    if decay.fact_archive_below > decay.fact_review_below:
        raise ConfigurationError(
            f"decay.fact_archive_below is {decay.fact_archive_below}, expected at most "
            f"decay.fact_review_below ({decay.fact_review_below}): a fact is reviewed before it is archived",
            setting="decay.fact_archive_below",
        )
    if not any(msgspec.structs.astuple(settings.ranking)):
        raise ConfigurationError(
            "ranking: every weight is 0, expected at least one over 0", setting="ranking.semantic"
        )
