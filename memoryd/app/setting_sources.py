"""The places values of settings come from, each value checked against the table."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from memory_client.errors import ConfigurationError
from memory_client.paths import (
    AUTOSTART_VARIABLE,
    HOME_VARIABLE,
    PYTHON_VARIABLE,
    DataPaths,
    check_private,
)
from memoryd.app.setting import PREFIX, Setting, Value

MASK = "********"
_OTHER_VARIABLES = frozenset({HOME_VARIABLE, PYTHON_VARIABLE, AUTOSTART_VARIABLE})


class Sources:
    """Reads values by `group.name`. table: every setting there is."""

    def __init__(self, table: Sequence[Setting]) -> None:
        self._by_name = {setting.name: setting for setting in table}
        self._by_variable = {setting.variable: setting for setting in table}
        self._groups = {setting.name.partition(".")[0] for setting in table}

    def is_secret(self, name: str) -> bool:
        """Whether a setting must be shown to nobody."""
        return self._by_name[name].secret

    def from_file(self, paths: DataPaths) -> dict[str, Value]:
        """Those of `config.toml`. Raises `ConfigurationError`."""
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
        return {
            name: _checked(self._known(name, str(paths.config)), value, str(paths.config))
            for name, value in self._flat(tree)
        }

    def _flat(self, tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """`[group] name = value` as `group.name`; a group the table lacks stands for itself."""
        for group, content in tree.items():
            if group in self._groups and isinstance(content, dict):
                yield from ((f"{group}.{key}", value) for key, value in content.items())
            elif isinstance(content, dict) and content:
                yield f"{group}.{next(iter(content))}", None
            else:
                yield group, content

    def from_environment(self, environ: Mapping[str, str]) -> dict[str, Value]:
        """Those of variables `MEMORYD_...`. Raises `ConfigurationError`."""
        values: dict[str, Value] = {}
        for variable, text in environ.items():
            if not variable.startswith(PREFIX) or variable in _OTHER_VARIABLES:
                continue
            setting = self._by_variable.get(variable)
            if setting is None:
                hint = _hint(variable, [*self._by_variable, *_OTHER_VARIABLES])
                raise ConfigurationError(
                    f"the environment variable {variable} stands for no setting{hint}", setting=variable
                )
            values[setting.name] = _checked(setting, setting.parse(text), f"variable {variable}", text)
        return values

    def from_overrides(self, overrides: Mapping[str, Any]) -> dict[str, Value]:
        """Those given at the start, by name. Raises `ConfigurationError`."""
        where = "values given at the start"
        values: dict[str, Value] = {}
        for name, value in overrides.items():
            setting = self._known(name, where)
            parsed = setting.parse(value) if isinstance(value, str) else value
            values[name] = _checked(setting, parsed, where, value)
        return values

    def _known(self, name: str, where: str) -> Setting:
        setting = self._by_name.get(name)
        if setting is None:
            raise ConfigurationError(
                f"{where}: there is no setting {name!r}{_hint(name, list(self._by_name))}", setting=name
            )
        return setting


def _checked(setting: Setting, value: Any, where: str, written: Any = None) -> Value:
    accepted = setting.accept(value)
    if accepted is None:
        shown = MASK if setting.secret else repr(value if written is None else written)
        raise ConfigurationError(
            f"{where}: {setting.name} is {shown}, expected {setting.expected}{_near_choice(setting, value)}",
            setting=setting.name,
        )
    return accepted


def _near_choice(setting: Setting, value: Any) -> str:
    return _hint(value, [*setting.choices, *setting.families]) if isinstance(value, str) else ""


def _hint(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1) or [k for k in known if k.endswith(f".{name}")]
    return f"; did you mean {near[0]!r}?" if near else ""
