"""The distributions: complete, and of use where nothing but the wheel is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.daemons import end_daemons
from support.processes import clean_environment

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = ROOT / "scripts" / "constraints.txt"
PACKAGES = ("memoryd", "memory_client")
APP = """
import json, sys
import memory_client, memoryd
from memory_client import KnowledgeClient
with KnowledgeClient(timeout=60) as client:
    client.add("主人对花生过敏，吃了会起疹子")
    client.add("Her dog is called Biscuit and hates the vet")
    client.conversation.append("s", "user", "我昨天去爬山了")
    found = {
        mode: [client.search(query, 1, mode=mode)[0]["text"] for query in queries]
        for mode, queries in {
            "lexical": ["花生", "Biscuit"],
            "semantic": ["什么东西不能吃？", "What is the name of her pet?"],
            "auto": ["什么东西不能吃？", "What is the name of her pet?"],
        }.items()
    }
    turns = client.search("我昨天做了什么", 1, scope=["turn"])
    print(json.dumps({
        "files": [memory_client.__file__, memoryd.__file__],
        "found": found,
        "turns": [hit["text"] for hit in turns],
    }))
"""
MEMORIES = ["主人对花生过敏，吃了会起疹子", "Her dog is called Biscuit and hates the vet"]

pytestmark = pytest.mark.timeout(300)


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What a program that must succeed writes."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env or clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked() -> list[str]:
    """Paths that git tracks, or that are about to be added; deleted ones left out."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that is made from it."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for path in tracked():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, source / path)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source, cwd=out)
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of programs of an environment that holds the wheel and what it requires."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=os.name != "nt")
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", programs / "python", "install", "-qq", "--no-compile")
    options = ("--disable-pip-version-check", "--constraint", CONSTRAINTS)
    run(*pip, *options, wheel, cwd=environment)
    return programs


@pytest.fixture
def elsewhere(home: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a process that knows the data directory and nothing of the checkout."""
    unwanted = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environ = clean_environment(MEMORYD_HOME=str(home), MEMORYD_DAEMON_PORT="0")
    yield {name: value for name, value in environ.items() if name not in unwanted}
    end_daemons(home)
    shutil.rmtree(tmp_path, ignore_errors=True)


def packaged(paths: list[str]) -> set[str]:
    return {path for path in paths if path.startswith(tuple(f"{name}/" for name in PACKAGES))}


def test_the_wheel_holds_the_tracked_files_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert packaged(archive.namelist()) == packaged(tracked())


def test_the_sdist_holds_them_too(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        files = [member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()]
    assert packaged(files) == packaged(tracked())
    assert {"pyproject.toml", "README.md", "LICENSE"} <= set(files)


def test_an_installed_wheel_adds_searches_reports_and_stops(
    installed: Path, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    answers = json.loads(run(installed / "python", "-c", APP, cwd=tmp_path, env=elsewhere))
    assert [path for path in answers["files"] if not path.startswith(str(installed.parent))] == []
    assert answers["found"] == dict.fromkeys(("lexical", "semantic", "auto"), MEMORIES)
    assert answers["turns"] == ["我昨天去爬山了"]

    program = installed / "memoryd"
    status = json.loads(run(program, "status", "--json", cwd=tmp_path, env=elsewhere))
    assert status["embedder"]["state"] == "ready"
    assert status["counts"]["memories"] == len(MEMORIES)
    findings = json.loads(run(program, "doctor", "--json", cwd=tmp_path, env=elsewhere))
    assert [finding for finding in findings if not finding["ok"]] == []
    run(program, "stop", cwd=tmp_path, env=elsewhere)
    end = run(program, "doctor", "--json", cwd=tmp_path, env=elsewhere)
    assert [finding for finding in json.loads(end) if not finding["ok"]] == []
