"""The directions of imports, who may read the environment, and that no machine's paths got in."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("memoryd", "memory_client")
# Lowest first: a room imports only rooms below it, and memory_client.
ROOMS = (
    "language",
    "core",
    "storage",
    "index",
    "models",
    "retrieval",
    "llm",
    "engine",
    "workers",
    "service",
    "server",
)
ROOMS_WITH_SQLITE = frozenset({"storage", "index", "retrieval"})
COMPOSITION_ROOT = frozenset({"app", "cli", "daemon", "knowledge_base", "memory_manager", "__main__", ""})
CLIENT_LIBRARIES = frozenset({"zmq", "msgpack", "platformdirs", "filelock", "psutil", "memory_client"})
READERS_OF_THE_ENVIRONMENT = ("memoryd/app/", "memory_client/paths.py")
# The environment itself, however it is reached.
ENVIRONMENT = re.compile(r"^os\.(environ|environb|getenv|getenvb|putenv|unsetenv)$")
# Where somebody's own files lie: such a path works on one machine only.
SOMEBODYS_PATH = re.compile(r"(?<![\w./:$}~*-])/(home|root|Users|work|mnt)/\w")


def modules(*packages: str) -> list[Path]:
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """Absolute names of everything a module imports, inside functions too, with the line."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(path, node)
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def _base(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = relative(path.parent).split("/")
    anchor = package[: len(package) - node.level + 1]
    return ".".join([*anchor, *([node.module] if node.module else [])])


def room(name: str) -> str:
    """The room of a module of memoryd: `memoryd.storage.rows` is in `storage`."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else ""


def room_of(path: Path) -> str:
    return room(relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."))


def upward(path: Path) -> list[str]:
    """Imports of a module that go to a room above its own."""
    own = room_of(path)
    if own in COMPOSITION_ROOT:
        return []
    allowed = set(ROOMS[: ROOMS.index(own) + 1])
    return [
        f"{relative(path)}:{line} imports {name}"
        for name, line in imported(path)
        if name.split(".")[0] == "memoryd" and room(name) not in allowed
    ]


def environment_reads(path: Path) -> list[str]:
    names = [f"os.{n.name}" for n in _from_os(tree(path))]
    names += [ast.unparse(n) for n in ast.walk(tree(path)) if isinstance(n, ast.Attribute)]
    return [f"{relative(path)} uses {name}" for name in names if ENVIRONMENT.match(name)]


def _from_os(module: ast.Module) -> Iterator[ast.alias]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            yield from node.names


def test_every_module_has_a_room() -> None:
    rooms = {room_of(path) for path in modules("memoryd")}
    assert rooms <= {*ROOMS, *COMPOSITION_ROOT}


def test_imports_go_down_only() -> None:
    assert [line for path in modules("memoryd") for line in upward(path)] == []


def test_only_storage_and_the_indexes_name_the_database() -> None:
    named = [
        f"{relative(path)}:{line} imports {name}"
        for path in modules("memoryd")
        if room_of(path) not in ROOMS_WITH_SQLITE
        for name, line in imported(path)
        if name.split(".")[0] == "sqlite3"
    ]
    assert named == []


def test_the_client_is_light() -> None:
    allowed = CLIENT_LIBRARIES | sys.stdlib_module_names
    foreign = [
        f"{relative(path)}:{line} imports {name}"
        for path in modules("memory_client")
        for name, line in imported(path)
        if name.split(".")[0] not in allowed
    ]
    assert foreign == []


def test_only_the_composition_root_reads_the_environment() -> None:
    readers = [
        read
        for path in modules(*PACKAGES)
        if not relative(path).startswith(READERS_OF_THE_ENVIRONMENT)
        for read in environment_reads(path)
    ]
    assert readers == []


def test_no_module_outgrows_a_sitting() -> None:
    lengths = {
        relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules(*PACKAGES)
    }
    assert {name: lines for name, lines in lengths.items() if lines > 600} == {}


def texts() -> Iterator[Path]:
    yield from modules("memoryd", "memory_client", "scripts", "tests")
    yield from (
        ROOT / name for name in ("README.md", "CHANGELOG.md", "pyproject.toml") if (ROOT / name).exists()
    )


def test_no_paths_of_one_machine() -> None:
    found = [
        f"{relative(path)}:{number} {line.strip()}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if SOMEBODYS_PATH.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from memoryd.engine import remember", ["memoryd/core/x.py:1 imports memoryd.engine.remember"]),
        ("def f():\n    import memoryd.server.loop", ["memoryd/core/x.py:2 imports memoryd.server.loop"]),
        ("from ..storage import rows", ["memoryd/core/x.py:1 imports memoryd.storage.rows"]),
        ("from memoryd import storage", ["memoryd/core/x.py:1 imports memoryd.storage"]),
        ("from memoryd.core import call\nimport memory_client.errors\nimport json", []),
    ],
)
def test_the_check_sees_an_upward_import(
    source: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memoryd" / "core" / "x.py"
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert upward(path) == found


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import os\nos.environ['A']", 1),
        ("import os\nos.getenv('A')", 1),
        ("from os import environ", 1),
        ("import os\nos.path.join('a', 'environ')", 0),
    ],
)
def test_the_check_sees_the_environment_read(
    source: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.py"
    path.write_text(source, encoding="utf-8")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert len(environment_reads(path)) == count


def import_graph() -> dict[str, set[str]]:
    """The modules of memoryd, each with those it imports, for type checking too."""
    names = {
        relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for path in modules("memoryd")
    }
    return {
        name: {
            target
            for full, _ in imported(path)
            for target in (full, full.rpartition(".")[0])
            if target in names and target != name
        }
        for name, path in names.items()
    }


def test_no_modules_import_each_other() -> None:
    graph = {
        name: {target for target in targets if not name.startswith(f"{target}.")}
        for name, targets in import_graph().items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
