"""The layout of the data directory. The only other reader of the environment is `memoryd.app`.

`MEMORYD_HOME` is the data directory itself, else platformdirs decides. Locks, the connection file and the
spawn report are inside it, as runtime directories differ between the sessions of one user.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from memory_client.errors import UnsafeDirectoryError

HOME_VARIABLE = "MEMORYD_HOME"
PYTHON_VARIABLE = "MEMORYD_PYTHON"
AUTOSTART_VARIABLE = "MEMORYD_AUTOSTART"


def environment() -> dict[str, str]:
    """A copy of the environment of this process."""
    return dict(os.environ)


@dataclass(frozen=True, slots=True)
class DataPaths:
    """The layout of a data directory."""

    root: Path

    @classmethod
    def default(cls) -> DataPaths:
        """From `MEMORYD_HOME`, else the platform's directory for user data."""
        home = os.environ.get(HOME_VARIABLE)
        if home:
            return cls(Path(home).expanduser().absolute())
        import platformdirs

        return cls(Path(platformdirs.user_data_dir("memoryd", appauthor=False)))

    @classmethod
    def at(cls, data_dir: str | os.PathLike[str] | None) -> DataPaths:
        """Of a given directory; None for the default."""
        return cls.default() if data_dir is None else cls(Path(data_dir).expanduser().absolute())

    @property
    def database(self) -> Path:
        return self.root / "memory.sqlite3"

    @property
    def lance(self) -> Path:
        return self.root / "lance"

    @property
    def hot(self) -> Path:
        return self.root / "hot"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def knowledge(self) -> Path:
        """Versions of knowledge points, where they are kept as files."""
        return self.root / "knowledge"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def keys(self) -> Path:
        return self.root / "keys"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def log_file(self) -> Path:
        return self.log / "memoryd.log"

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def config(self) -> Path:
        return self.root / "config.toml"

    @property
    def connection(self) -> Path:
        return self.run / "connection.json"

    @property
    def start_lock(self) -> Path:
        return self.run / "start.lock"

    @property
    def owner_lock(self) -> Path:
        return self.run / "owner.lock"

    @property
    def owner(self) -> Path:
        return self.run / "owner.json"

    def make(self) -> None:
        """Make the directories, private (0700). Raises `UnsafeDirectoryError` if others may write them."""
        for directory in (
            self.root,
            self.run,
            self.keys,
            self.log,
            self.backups,
            self.hot,
            self.lance,
            self.models,
        ):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_private(directory)


def check_private(path: Path) -> None:
    """Raise `UnsafeDirectoryError` if another user owns `path` or may write it (POSIX)."""
    if sys.platform == "win32":
        return
    info = path.stat()
    if info.st_uid != os.geteuid():
        raise UnsafeDirectoryError(
            f"{path} belongs to another user (uid {info.st_uid}); memoryd keeps its data to one user: "
            f"set {HOME_VARIABLE} to a directory of your own",
            path=str(path),
        )
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UnsafeDirectoryError(
            f"others may write {path} (mode {stat.S_IMODE(info.st_mode):04o}); run: chmod go-w '{path}'",
            path=str(path),
        )


def write_private(path: Path, content: bytes) -> None:
    """Write a file of mode 0600 atomically."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
