"""The sources of settings: `config.toml`, the environment and the command line, each value checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import ValidationError, convert

from memory_client.errors import ConfigurationError
from memory_client.paths import (
    AUTOSTART_VARIABLE,
    HOME_VARIABLE,
    PYTHON_VARIABLE,
    DataPaths,
    check_private,
)
from memoryd.app.setting import PREFIX, Setting, choices, expected, from_text, innermost, variable_of

MASK = "********"
RENAMED = {
    "daemon.idle_exit": "daemon.idle_exit_seconds",
    "decay.pass_share": "decay.max_fraction",
    "embedder.add_cap_ms": "embedder.write_timeout_ms",
    "embedder.batch": "embedder.batch_size",
    "embedder.timeout": "embedder.timeout_seconds",
    "log.backups": "log.backup_count",
    "reranker.deadline_ms": "reranker.timeout_ms",
    "search.query_cache": "search.query_cache_size",
    "search.result_seconds": "search.result_cache_seconds",
}
"""Names before the first release and after it; the old ones are errors that give the new name."""
_OTHER_VARIABLES = frozenset({HOME_VARIABLE, PYTHON_VARIABLE, AUTOSTART_VARIABLE})


class Sources:
    """Reads values by `group.name`. table: all settings."""

    def __init__(self, table: Sequence[Setting]) -> None:
        self._by_name = {setting.name: setting for setting in table}
        self._by_variable = {setting.variable: setting for setting in table}
        self._groups = {setting.name.rpartition(".")[0] for setting in table}
        self._new_variables = {variable_of(old): variable_of(new) for old, new in RENAMED.items()}

    def is_secret(self, name: str) -> bool:
        """Whether the value of a setting must not be shown."""
        return self._by_name[name].is_secret

    def from_file(self, paths: DataPaths) -> dict[str, Any]:
        """The values of `config.toml`. Raises `ConfigurationError`."""
        if not paths.config.exists():
            return {}
        check_private(paths.config)
        try:
            tree = tomllib.loads(paths.config.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{paths.config} is not valid TOML: {error}", setting=None) from error
        except OSError as error:
            raise ConfigurationError(
                f"{paths.config} cannot be read: {error.strerror}", setting=None
            ) from error
        where = str(paths.config)
        return {name: _checked(self._known(name, where), value, where) for name, value in self._flat(tree)}

    def _flat(self, tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
        """`[group] name = value` as `group.name`; of an unknown table only its first name."""
        for key, content in tree.items():
            name = prefix + key
            if name in self._groups and isinstance(content, dict):
                yield from self._flat(content, f"{name}.")
            elif isinstance(content, dict) and content and not prefix:
                yield f"{name}.{next(iter(content))}", None
            else:
                yield name, content

    def from_environment(self, environ: Mapping[str, str]) -> dict[str, Any]:
        """The values of variables `MEMORYD_...`. Raises `ConfigurationError`."""
        values: dict[str, Any] = {}
        for variable, text in environ.items():
            if not variable.startswith(PREFIX) or variable in _OTHER_VARIABLES:
                continue
            setting = self._by_variable.get(variable)
            if setting is None:
                hint = _hint(variable, [*self._by_variable, *_OTHER_VARIABLES], self._new_variables)
                raise ConfigurationError(
                    f"the environment variable {variable} names no setting{hint}", setting=variable
                )
            values[setting.name] = _checked(setting, text, f"variable {variable}", is_text=True)
        return values

    def from_overrides(self, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """The values given at the start, by name. Raises `ConfigurationError`."""
        where = "values given at the start"
        return {
            name: _checked(self._known(name, where), value, where, is_text=isinstance(value, str))
            for name, value in overrides.items()
        }

    def _known(self, name: str, where: str) -> Setting:
        setting = self._by_name.get(name)
        if setting is None:
            raise ConfigurationError(
                f"{where}: there is no setting {name!r}{_hint(name, list(self._by_name), RENAMED)}",
                setting=name,
            )
        return setting


def _checked(setting: Setting, given: Any, where: str, *, is_text: bool = False) -> Any:
    """The value in the setting's type. is_text: it is still to be read from text."""
    value = from_text(setting.type, given) if is_text else given
    try:
        return convert(value, setting.type)
    except ValidationError as error:
        type, part, place = innermost(setting.type, value, setting.name)
        shown = MASK if setting.is_secret else repr(given if part is value else part)
        hint = _hint(part, choices(type)) if isinstance(part, str) else ""
        reason = f" ({error})" if isinstance(part, dict) else ""
        raise ConfigurationError(
            f"{where}: {place} is {shown}, expected {expected(type)}{reason}{hint}", setting=setting.name
        ) from error


def _hint(name: str, known: list[str], renamed: Mapping[str, str] | None = None) -> str:
    if renamed and name in renamed:
        return f"; it is now {renamed[name]!r}"
    near = get_close_matches(name, known, n=1) or [k for k in known if k.endswith(f".{name}")]
    return f"; did you mean {near[0]!r}?" if near else ""
