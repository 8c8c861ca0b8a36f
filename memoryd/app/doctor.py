"""`memoryd doctor`: checks the directory itself, and the store through the running daemon, if any.

If no daemon runs, the database, the keys and the models are checked here; the indexes need an open store
(`engine/doctor`).
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from memory_client import keys, spawn
from memory_client.deadline import Deadline
from memory_client.errors import DataDirectoryInUse, MemorydError
from memory_client.launch import START_SECONDS, find_daemon, start_lock
from memory_client.paths import DataPaths
from memory_client.types import CheckResult
from memoryd.app.embedder import models_directory
from memoryd.app.settings import load_settings
from memoryd.models import st_library
from memoryd.models.e5 import cache
from memoryd.storage.check import REPAIR, check_database, check_result
from memoryd.storage.ownership import DirectoryOwner
from memoryd.storage.salvage import salvage

_RESTART = "memoryd restart"
_CONFIG_FIX = "correct it; every setting is shown by: memoryd config"


def run_doctor(paths: DataPaths, *, repair: bool = False) -> list[CheckResult]:
    """Results of all checks; `repair` first repairs modes, keys, leftovers and a damaged database."""
    if not paths.root.exists():
        return [_good("directory", f"{paths.root} does not exist yet; the first start makes it")]
    if repair:
        _repair_modes(paths)
    modes = list(_modes(paths))
    findings = [*modes, _config(paths), _interpreter()]
    if not all(finding["ok"] for finding in modes):
        return findings  # with these modes neither the daemon nor the store is to be trusted
    info = find_daemon(paths)
    if info is not None:
        return [
            *findings,
            _good("owner", f"the daemon of pid {info.pid} serves"),
            *_ask_daemon(paths, repair),
        ]
    return [*findings, *_check_store(paths, repair)]


def _ask_daemon(paths: DataPaths, repair: bool) -> list[CheckResult]:
    from memory_client.client import KnowledgeClient

    with KnowledgeClient(paths.root, autostart=False) as client:
        return client.admin.doctor(repair=repair)


def _check_store(paths: DataPaths, repair: bool) -> list[CheckResult]:
    """Check the store as its owner; a daemon that wants to start waits meanwhile."""
    owner = DirectoryOwner(paths, "in-process")
    with start_lock(paths, Deadline.after(START_SECONDS)):
        try:
            owner.take()
        except DataDirectoryInUse as error:
            return [_bad("owner", str(error), None)]
        try:
            repaired = _repair_store(paths) if repair else []
            return [
                _good("owner", "no process owns the directory"),
                *repaired,
                *_leftovers(paths),
                _keys(paths),
                *_models(paths),
                check_database(paths.database),
            ]
        finally:
            owner.release()


def _repair_store(paths: DataPaths) -> list[CheckResult]:
    """Make missing keys, remove leftovers, salvage a damaged database."""
    keys.ensure_keys(paths)
    paths.connection.unlink(missing_ok=True)
    for leftover in paths.run.glob(".*.tmp"):
        leftover.unlink()
    if check_database(paths.database)["ok"]:
        return []
    try:
        damaged = salvage(paths.database, paths.backups)
    except MemorydError as error:
        return [_bad("repair", str(error), None)]
    return [_good("repair", f"what was readable is in {paths.database}; the damaged file is {damaged}")]


def _leftovers(paths: DataPaths) -> Iterator[CheckResult]:
    left = [paths.connection, *paths.run.glob(".*.tmp")]
    names = ", ".join(str(path) for path in left if path.exists())
    if names:
        yield _good("leftovers", f"{names}: left by a process that was killed; the next start removes them")


def _keys(paths: DataPaths) -> CheckResult:
    """Missing keys are made by the next start; damaged ones, or those others may read, are not replaced."""
    if not keys.server_key_file(paths).exists():
        return _good("keys", f"{paths.keys}: not made yet; the first start makes them")
    try:
        keys.server_keypair(paths)
        allowed = keys.allowed_public_keys(paths)
        own = keys.client_keypair(paths).public
    except MemorydError as error:
        return _bad("keys", str(error), None)
    if own not in allowed:
        return _bad("keys", f"the key of this machine's clients is not in {paths.keys / 'allowed'}", _RESTART)
    return _good("keys", f"{paths.keys}: sound")


def _models(paths: DataPaths) -> Iterator[CheckResult]:
    """The files of the bundled model and the library of the reranker, as far as the settings name them."""
    try:
        settings = load_settings(paths)
        directory = models_directory(settings, paths)
    except MemorydError as error:
        yield _bad("bundled model", str(error), _CONFIG_FIX)
        return
    if settings.embedder.model in ("auto", "bundled"):
        sound, detail = cache.check(directory)
        yield _good("bundled model", detail) if sound else _bad("bundled model", detail, _RESTART)
    named = settings.reranker.model
    if named and not st_library.installed():
        yield _bad("reranker", f"{named}: sentence-transformers is not installed", st_library.INSTALL)
    elif named:
        yield _good("reranker", f"{named}: loaded by the next start")


def _config(paths: DataPaths) -> CheckResult:
    try:
        settings = load_settings(paths)
    except MemorydError as error:
        return _bad("config", str(error), _CONFIG_FIX)
    return _good("config", f"{len(settings.origins)} settings differ from their defaults")


def _interpreter() -> CheckResult:
    try:
        return _good("interpreter", spawn.interpreter())
    except MemorydError as error:
        return _bad("interpreter", str(error), None)


def _modes(paths: DataPaths) -> Iterator[CheckResult]:
    for path in _private_paths(paths):
        problem = _mode_problem(path)
        if problem:
            yield _bad("modes", problem, REPAIR)
    if sys.platform == "win32":
        yield _good("modes", "left to the access lists of the profile directory")
    elif all(_mode_problem(path) is None for path in _private_paths(paths)):
        yield _good("modes", f"{paths.root}: private")


def _mode_problem(path: Path) -> str | None:
    """What others may do with a path that they must not (POSIX)."""
    if sys.platform == "win32":
        return None
    mode = path.stat().st_mode
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write {path} (mode {stat.S_IMODE(mode):04o})"
    if path.suffix == ".key" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        return f"others may read the key {path} (mode {stat.S_IMODE(mode):04o})"
    return None


def _repair_modes(paths: DataPaths) -> None:
    for path in _private_paths(paths):
        if _mode_problem(path):
            path.chmod(0o700 if path.is_dir() else 0o600)


def _private_paths(paths: DataPaths) -> list[Path]:
    directories = [
        paths.root,
        paths.run,
        paths.keys,
        paths.log,
        paths.backups,
        paths.hot,
        paths.lance,
        paths.models,
    ]
    files = [paths.config, paths.database, *paths.keys.rglob("*")]
    return [path for path in (*directories, *files) if path.exists()]


def _good(check: str, detail: str) -> CheckResult:
    return check_result(check, [], detail, None)


def _bad(check: str, problem: str, fix: str | None) -> CheckResult:
    return check_result(check, [problem], "", fix)
