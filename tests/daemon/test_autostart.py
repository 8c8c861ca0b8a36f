"""What importing the client does, in fresh interpreters: it starts the daemon, or has a reason not to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import memory_client
from memory_client.discovery import read as read_connection
from memory_client.errors import registry
from memory_client.paths import DataPaths
from support.daemons import daemons_of
from support.processes import clean_environment, run_python
from support.waiting import eventually

REASON = "from memory_client.autostart import reason_not_to; print(reason_not_to())"
NAMES_OF_THREADS = "import memory_client, threading; print([t.name for t in threading.enumerate()])"
HEAVY = (
    "asyncio",
    "filelock",
    "lancedb",
    "memoryd",
    "msgpack",
    "multiprocessing",
    "numpy",
    "psutil",
    "subprocess",
    "zmq",
)

CHILD = """
import multiprocessing, sys
import memory_client
from memory_client.autostart import reason_not_to

AT_IMPORT = reason_not_to()

def report(queue):
    queue.put((AT_IMPORT, reason_not_to()))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.SimpleQueue()
    child = context.Process(target=report, args=(queue,))
    child.start()
    print(*queue.get(), sep="|")
    child.join()
"""


def reason(*, before: str = "", **env: str) -> str:
    done = run_python(before + REASON, clean_environment(**env))
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.strip()


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("value", ["0", "false", "NO", "off"])
def test_it_can_be_switched_off(value: str) -> None:
    assert reason(MEMORYD_AUTOSTART=value) == "MEMORYD_AUTOSTART is off"


@pytest.mark.parametrize(
    ("before", "env", "words"),
    [
        ("import memoryd; ", {}, "memoryd is loaded"),
        ("import pytest; ", {}, "tests are running"),
        ("", {"PYTEST_VERSION": "9"}, "tests are running"),
        ("__memoryd_script__ = True; ", {}, "a script of memoryd"),
    ],
)
def test_reasons_not_to_start(home: Path, before: str, env: dict[str, str], words: str) -> None:
    assert words in reason(before=before, **env)
    assert daemons_of(home) == []


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_children_of_multiprocessing_start_nothing(tmp_path: Path, method: str) -> None:
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("Windows spawns")
    script = tmp_path / "app.py"
    script.write_text(CHILD)
    run = "import sys, subprocess; sys.exit(subprocess.run([sys.executable, *sys.argv[1:]]).returncode)"
    done = run_python(run, clean_environment(MEMORYD_AUTOSTART="1"), str(script), method)
    assert (done.stderr, done.returncode) == ("", 0)
    at_import, in_call = done.stdout.strip().split("|")
    assert "multiprocessing" in in_call
    # A forked child does not import anew: its module was loaded by the parent.
    assert at_import == in_call or (method == "fork" and at_import == "None")


def test_importing_starts_the_daemon_behind(home: Path) -> None:
    done = run_python("import memory_client, time; time.sleep(0.5)", clean_environment())
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    info = eventually("the daemon serves", lambda: read_connection(DataPaths(home)))
    assert [process.pid for process in daemons_of(home)] == [info.pid]


@pytest.mark.usefixtures("home")
def test_the_thread_of_the_import() -> None:
    assert "memoryd-autostart" in run_python(NAMES_OF_THREADS, clean_environment()).stdout
    assert "memoryd" not in run_python(NAMES_OF_THREADS, clean_environment(MEMORYD_AUTOSTART="0")).stdout


def test_an_error_comes_with_the_first_call_and_not_before(home: Path) -> None:
    paths = DataPaths(home)
    paths.make()
    paths.config.write_text("[nonsense]\n")
    paths.config.chmod(0o600)
    silent = run_python("import memory_client, time; time.sleep(1)", clean_environment())
    assert (silent.stdout, silent.stderr, silent.returncode) == ("", "", 0)
    loud = run_python(
        "import memory_client; memory_client.get_knowledge_client().ping()", clean_environment()
    )
    assert "LaunchError" in loud.stderr
    assert str(paths.config) in loud.stderr


@pytest.mark.usefixtures("home")
def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, time; start = time.perf_counter(); import memory_client; "
        "print(round(1000 * (time.perf_counter() - start), 1)); "
        f"print(*[name for name in {HEAVY} if name in sys.modules])"
    )
    milliseconds, loaded = run_python(code, clean_environment(MEMORYD_AUTOSTART="0")).stdout.splitlines()
    print(f"import memory_client: {milliseconds} ms")
    assert loaded.strip() == ""


def test_every_name_of_the_package_is_there() -> None:
    assert set(dir(memory_client)) | set(memory_client.__all__) >= {"KnowledgeClient", "KnowledgeBaseProxy"}
    for name in memory_client.__all__:
        assert getattr(memory_client, name) is not None
    for error in registry().values():
        assert getattr(memory_client, error.__name__) is error
    with pytest.raises(AttributeError, match="no attribute 'KnowlegeClient'"):
        memory_client.KnowlegeClient  # noqa: B018
