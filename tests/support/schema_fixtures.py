"""Fixtures of the schemas: a small database as SQL text, including virtual tables and their shadow tables.

`python tests/support/schema_fixtures.py` writes the one of today's schema. Once a schema is released, its
fixture stays as it is.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_client.types import KnowledgeItem
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage.migrations import SCHEMA

DIRECTORY = Path(__file__).resolve().parents[1] / "storage" / "fixtures"
NO_MODEL = {"embedder.model": "none"}
_SHADOWS = ("data", "idx", "docsize", "config", "content")


def fixture(version: int) -> Path:
    """Where the fixture of a schema lies."""
    return DIRECTORY / f"schema_{version}.sql"


def restore(version: int, path: Path) -> None:
    """Make the database of a fixture."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(fixture(version).read_text(encoding="utf-8"))
        connection.commit()


def fill(kb: KnowledgeBase) -> None:
    """A little of everything the daemon stores."""
    times = {"timestamp": "2026-01-03T09:30:00+08:00", "last_access": "2026-01-04"}
    first = kb.add(
        "主人对花生过敏，不能吃花生酱",
        {**times, "category": "core", "tags": ["健康", "food"], "mood": {"now": ["bad", 1.5, None]}},
        user_id="小明",
        request_id="first",
    )
    kb.add(
        "Her dog is called Biscuit and hates the vet",
        times,
        user_id="小明",
        session_id="s 1",
        agent_id="cook",
    )
    kb.add_many(
        [
            {"text": text, "metadata": {**times, "kind": "task"}}
            for text in ("明天去爬山", "C盘空间不够了", "她剪了頭髮 👍🏽")
        ],
        user_id="小明",
        request_id="many",
    )
    kb.update_text(first, "主人对花生和虾过敏", user_id="小明", request_id="better")
    kb.update_metadata(first, {"seen": True, "tags": None}, user_id="小明")
    kb.update_importance(first, 0.5, user_id="小明")
    gone = kb.add("a secret that was deleted", user_id="小明")
    kb.delete(gone, "asked to forget it", operator="user", user_id="小明")
    other = kb.add("Another user's peanut butter", times, user_id="other/../user")
    kb.boost(other, "asked for it again", user_id="other/../user")
    kb.feedback(other, "wrong", "it is almond butter", user_id="other/../user")
    kb.decay.run(user_id="other/../user")
    _converse(kb)
    _learn(kb)


def _learn(kb: KnowledgeBase) -> None:
    """Two versions of knowledge, and a set of it that another user has subscribed to."""
    knowledge, tea = kb.knowledge, "小明早上喝绿茶"
    first: KnowledgeItem = {"content": tea, "type": "WorldModel", "score": 80, "metadata": {"from": ["c1"]}}
    second: KnowledgeItem = {"content": "Biscuit is afraid of thunder", "type": "OtherKnowledge", "score": 40}
    knowledge.save_knowledge("小明", "20260103093000", [first])
    knowledge.save_knowledge("小明", "20260103093000-001", [second, {**first, "score": 60}])
    knowledge.publish("teas", filters={"type": "WorldModel"}, user_id="小明")
    knowledge.subscribe("小明", "teas", user_id="other/../user")


def _converse(kb: KnowledgeBase) -> None:
    """Turns: of a closed and of an open session, of an agent, one deleted, one not to be remembered."""
    conversation, at = kb.conversation, "2026-01-03T09:30:00"
    conversation.append(
        "chat",
        "user",
        "我昨天去北京出差了",
        user_id="小明",
        at=at,
        tz="Asia/Shanghai",
        speaker="小明",
        metadata={"mood": {"now": ["good", 1.5, None]}},
        request_id="said",
    )
    more = conversation.extend(
        "chat",
        [
            {"role": "user", "text": "the word that was deleted", "at": 1767403830.0},
            {"role": "assistant", "content": "How was the flight?", "timestamp": 1767403860.5},
        ],
        user_id="小明",
        request_id="more",
    )
    conversation.delete(more["ids"][:1], user_id="小明")
    conversation.append("chat", "tool", "snow tomorrow", user_id="小明", remember=False)
    conversation.append("kitchen", "user", "saffron rice", user_id="小明", at=at, agent_id="cook")
    conversation.end("kitchen", user_id="小明", agent_id="cook")


def dump(connection: sqlite3.Connection) -> Iterator[str]:
    """Statements that make an equal database, in an order in which they can be carried out."""
    entries = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    virtual = [name for _, name, sql in entries if sql and sql.startswith("CREATE VIRTUAL")]
    shadows = {f"{name}_{part}" for name in virtual for part in _SHADOWS}
    for _, name, sql in entries:
        if sql and name not in shadows and not name.startswith("sqlite_"):
            yield f"{' '.join(sql.split())};"
    for kind, name, _ in entries:
        if kind == "table" and name not in virtual:
            yield from _rows(connection, name)
    yield f"PRAGMA user_version = {connection.execute('PRAGMA user_version').fetchone()[0]};\n"


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    yield f"DELETE FROM {table};"
    columns = connection.execute(f"SELECT * FROM {table} LIMIT 0").description
    order = "1, 2" if len(columns) > 1 else "1"
    for row in connection.execute(f"SELECT * FROM {table} ORDER BY {order}"):
        yield f"INSERT INTO {table} VALUES ({', '.join(map(_literal, row))});"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return "NULL" if value is None else repr(value)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        with KnowledgeBase(home, settings=NO_MODEL) as kb:
            fill(kb)
        with closing(sqlite3.connect(Path(home) / "memory.sqlite3")) as connection:
            fixture(SCHEMA).write_text("\n".join(dump(connection)), encoding="utf-8")
    print(fixture(SCHEMA))


if __name__ == "__main__":
    main()
