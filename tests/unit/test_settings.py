"""The table of settings: precedence, origins, and errors that name the setting, the value and the form."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta, Struct, field

from memory_client.errors import ConfigurationError, UnsafeDirectoryError
from memory_client.paths import DataPaths
from memoryd.app.setting import Setting, settings_of
from memoryd.app.setting_groups import Group, about
from memoryd.app.setting_sources import MASK, RENAMED, Sources
from memoryd.app.settings import SETTINGS, Settings, load_settings


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path)


def written(paths: DataPaths, toml: str) -> DataPaths:
    paths.config.write_text(toml, encoding="utf-8")
    paths.config.chmod(0o600)
    return paths


def refusal(paths: DataPaths, toml: str = "", **environ: str) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(written(paths, toml), environ)
    return caught.value


def test_defaults(paths: DataPaths) -> None:
    settings = load_settings(paths, {})
    assert settings == Settings()
    assert {settings.origin(setting.name) for setting in SETTINGS} == {"default"}
    assert settings.daemon.port == 19876
    assert settings.embedder.model == "auto"


def test_each_layer_overrides_the_one_below(paths: DataPaths) -> None:
    toml = "[daemon]\nport = 1\nworkers = 2\n[log]\nlevel = 'warning'\n"
    environ = {"MEMORYD_DAEMON_WORKERS": "3", "MEMORYD_LOG_LEVEL": "error"}
    settings = load_settings(written(paths, toml), environ, {"log.level": "debug"})
    assert (settings.daemon.port, settings.origin("daemon.port")) == (1, "config.toml")
    assert (settings.daemon.workers, settings.origin("daemon.workers")) == (3, "environment")
    assert (settings.log.level, settings.origin("log.level")) == ("debug", "command line")
    assert settings.from_environment() == ["daemon.workers"]


def test_a_whole_number_is_taken_for_a_fraction(paths: DataPaths) -> None:
    settings = load_settings(written(paths, "[embedder]\ntimeout_seconds = 3"), {})
    assert settings.embedder.timeout_seconds == 3.0
    assert isinstance(settings.embedder.timeout_seconds, float)


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("TRUE", True), ("on", True), ("no", False), ("0", False)]
)
def test_truth_values_of_the_environment(paths: DataPaths, text: str, value: bool) -> None:
    settings = load_settings(paths, {"MEMORYD_EMBEDDER_ALLOW_DOWNLOADS": text})
    assert settings.embedder.allow_downloads is value


def test_other_variables_switch_nothing_on(paths: DataPaths) -> None:
    environ = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://x", "MEMORYD_HOME": "/x"}
    assert load_settings(paths, environ) == Settings()


@pytest.mark.parametrize(
    ("toml", "setting", "words"),
    [
        ("[deamon]\nport = 1", "deamon.port", ["'daemon.port'"]),
        ("[daemon]\nprt = 1", "daemon.prt", ["'daemon.port'"]),
        ("port = 1", "port", ["'daemon.port'"]),
        ("daemon = 3", "daemon", []),
        ("[embedder.more]\nx = 1", "embedder.more", []),
        ("[daemon]\nport = 'x'", "daemon.port", ["'x'", "a whole number from 0 to 65,535"]),
        ("[daemon]\nport = true", "daemon.port", ["True", "a whole number"]),
        ("[daemon]\nport = 1.5", "daemon.port", ["1.5"]),
        ("[daemon]\nport = 65536", "daemon.port", ["65536"]),
        ("[daemon]\nworkers = 0", "daemon.workers", ["from 1 to 256"]),
        ("[daemon]\nidle_exit_seconds = nan", "daemon.idle_exit_seconds", ["nan", "0 or more"]),
        ("[daemon]\nidle_exit_seconds = inf", "daemon.idle_exit_seconds", ["inf"]),
        ("[log]\nlevel = 'inof'", "log.level", ["'inof'", "one of debug, info", "'info'"]),
        ("[embedder]\nmodel = 'bundeld'", "embedder.model", ["'bundled'", "openai:<name>"]),
        ("[embedder]\nmodel = 'openai:'", "embedder.model", ["openai:<name>"]),
        ("[embedder]\nallow_downloads = 'yes'", "embedder.allow_downloads", ["true or false"]),
        ('[embedder]\nquery_prefix = "a\\u0000b"', "embedder.query_prefix", ["a string"]),
    ],
)
def test_a_wrong_line_of_the_file(paths: DataPaths, toml: str, setting: str, words: list[str]) -> None:
    error = refusal(paths, toml)
    assert error.data["setting"] == setting
    for word in [str(paths.config), setting, *words]:
        assert word in str(error)


@pytest.mark.parametrize("content", [b"x =", b"\xff\xfe"])
def test_a_file_that_is_not_toml(paths: DataPaths, content: bytes) -> None:
    paths.config.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"config\.toml is not valid TOML"):
        load_settings(paths, {})


@pytest.mark.skipif(sys.platform == "win32", reason="access lists decide there")
def test_a_file_that_others_may_write(paths: DataPaths) -> None:
    written(paths, "").config.chmod(0o666)
    with pytest.raises(UnsafeDirectoryError, match="others may write"):
        load_settings(paths, {})


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("MEMORYD_DAEMON_PORT", "http", ["'http'", "daemon.port", "a whole number"]),
        ("MEMORYD_EMBEDDER_TIMEOUT_SECONDS", "soon", ["'soon'", "a number, 0.1 or more"]),
        ("MEMORYD_EMBEDER_MODEL", "none", ["did you mean 'MEMORYD_EMBEDDER_MODEL'"]),
        ("MEMORYD_EMBEDDER_MODEL", "x", ["one of auto, bundled, none"]),
    ],
)
def test_a_wrong_variable(paths: DataPaths, variable: str, text: str, words: list[str]) -> None:
    error = refusal(paths, **{variable: text})
    for word in [variable, *words]:
        assert word in str(error)


def test_undecodable_bytes_of_the_environment_are_refused(paths: DataPaths) -> None:
    text = os.fsdecode(b"\xff")
    assert refusal(paths, MEMORYD_EMBEDDER_DEVICE=text).data["setting"] == "embedder.device"


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_is_an_error_that_gives_the_new_one(paths: DataPaths, old: str, new: str) -> None:
    group, _, key = old.partition(".")
    error = refusal(paths, f"[{group}]\n{key} = 1")
    assert error.data["setting"] == old
    assert f"{paths.config}: there is no setting {old!r}; it is now {new!r}" in str(error)
    written(paths, "")
    variable, renamed = (f"MEMORYD_{name.replace('.', '_').upper()}" for name in (old, new))
    error = refusal(paths, **{variable: "1"})
    assert f"{variable} names no setting; it is now {renamed!r}" in str(error)
    with pytest.raises(ConfigurationError, match=f"it is now '{new}'"):
        load_settings(paths, {}, {old: 1})
    assert new in {setting.name for setting in SETTINGS}


def test_a_wrong_override(paths: DataPaths) -> None:
    with pytest.raises(ConfigurationError, match=r"did you mean 'hot\.max_rows'"):
        load_settings(paths, {}, {"hot.max_row": 1})


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_can_be_given_in_every_way(paths: DataPaths, setting: Setting) -> None:
    text = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
    assert load_settings(paths, {setting.variable: text}).value(setting.name) == setting.default
    assert load_settings(paths, {}, {setting.name: setting.default}).value(setting.name) == setting.default
    assert setting.description.endswith(".")


def test_secrets_are_masked(paths: DataPaths) -> None:
    settings = load_settings(written(paths, "[embedder]\napi_key = 'tell nobody'"), {})
    described = {line["name"]: line for line in settings.describe()}
    assert described["embedder.api_key"]["value"] == MASK
    assert "tell nobody" not in repr(settings) + repr(settings.describe())
    error = refusal(paths, "[embedder]\napi_key = 77123")
    assert "77123" not in str(error)


def test_the_description_says_where_a_value_came_from(paths: DataPaths) -> None:
    lines = {line["name"]: line for line in load_settings(paths, {"MEMORYD_DAEMON_PORT": "5"}).describe()}
    assert lines["daemon.port"] == {
        "name": "daemon.port",
        "value": 5,
        "default": 19876,
        "source": "environment",
        "variable": "MEMORYD_DAEMON_PORT",
        "description": lines["daemon.port"]["description"],
    }
    assert list(lines) == [setting.name for setting in SETTINGS]


def test_the_fingerprint_follows_values_not_origins(paths: DataPaths) -> None:
    plain = load_settings(paths, {})
    assert load_settings(paths, {"MEMORYD_DAEMON_PORT": "19876"}).fingerprint == plain.fingerprint
    assert load_settings(paths, {"MEMORYD_DAEMON_PORT": "19877"}).fingerprint != plain.fingerprint
    assert load_settings(paths, {"MEMORYD_EMBEDDER_API_KEY": "x"}).fingerprint == plain.fingerprint


class Role(Group, frozen=True):
    model: str
    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.0


class Llm(Group, frozen=True):
    roles: Annotated[dict[str, Role], about("Models by role.")] = field(default_factory=dict)
    patterns: Annotated[list[Role], about("Some in order.")] = field(default_factory=list)


class Nested(Struct, frozen=True):
    llm: Llm = Llm()


NESTED = Sources(tuple(settings_of(Nested())))


def test_tables_and_lists_of_tables(paths: DataPaths) -> None:
    toml = "[llm.roles.monitor]\nmodel = 'a'\ntemperature = 1\n[[llm.patterns]]\nmodel = 'b'\n"
    expected = {"llm.roles": {"monitor": Role("a", 1.0)}, "llm.patterns": [Role("b")]}
    assert NESTED.from_file(written(paths, toml)) == expected
    environ = {
        "MEMORYD_LLM_ROLES": '{"monitor": {"model": "a", "temperature": 1}}',
        "MEMORYD_LLM_PATTERNS": '[{"model": "b"}]',
    }
    assert NESTED.from_environment(environ) == expected


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[llm.roles.m]\nmodel = 'a'\ntemperature = 3", ["llm.roles.m.temperature is 3", "from 0 to 2"]),
        ("[[llm.patterns]]\nmodel = 'a'\n[[llm.patterns]]\nmodel = 1", ["llm.patterns[1].model is 1"]),
        ("[llm.roles.m]\ntemperature = 1", ["llm.roles.m is {", "a table", "missing required field `model`"]),
        ("[llm.roles.m]\nmodel = 'a'\nmodle = 1", ["llm.roles.m is {", "unknown field `modle`"]),
        ("[llm]\nroles = 3", ["llm.roles is 3, expected a table"]),
        ("[llm]\npatterns = 'x'", ["llm.patterns is 'x', expected a list"]),
        ("[llm]\nrole = 3", ["no setting 'llm.role'; did you mean 'llm.roles'?"]),
    ],
)
def test_a_wrong_value_inside_a_table(paths: DataPaths, toml: str, words: list[str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        NESTED.from_file(written(paths, toml))
    for word in [str(paths.config), *words]:
        assert word in str(caught.value)
