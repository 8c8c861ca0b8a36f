"""The vector index on real SQLite and LanceDB, with an embedder that hashes the text."""

from __future__ import annotations

import functools
import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory_client.paths import DataPaths
from memoryd.core.passage import Passage
from memoryd.core.record import Record
from memoryd.core.scope import ALL_AGENTS, Scope
from memoryd.core.turn import TurnRecord
from memoryd.index.lance import outbox
from memoryd.index.spaces.spaces import Probes
from memoryd.index.vectors import tokens
from memoryd.index.vectors.rounding import RowEncoding
from memoryd.index.vectors.vector_index import VectorIndex
from memoryd.storage.database import Database, Transaction
from memoryd.storage.migrations import migrate
from memoryd.storage.records import memories, sessions, turns

DIM = 16
SPACE = "hash/16"
ENGINE = "hashlib"
MODEL = "hash"


def embed(text: str, salt: str = SPACE, dim: int = DIM) -> npt.NDArray[np.float32]:
    """A unit vector that depends on the text and the space alone."""
    seed = int.from_bytes(hashlib.sha256(f"{salt}\0{text}".encode()).digest()[:8], "little")
    vector = np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    return vector / np.linalg.norm(vector)


def token_vectors(text: str, salt: str = SPACE) -> npt.NDArray[np.float32]:
    """Unit vectors of the characters of a text, each of that character and the space alone."""
    return np.stack([embed(char, salt, tokens.REDUCED) for char in text])


@functools.cache
def packed(text: str, salt: str = SPACE) -> npt.NDArray[np.uint8]:
    """The tokens of a text as a table keeps them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        tx = Transaction(connection)
        tokens.create(tx, 1)
        tokens.put(tx, 1, 1, 1, token_vectors(text, salt))
        return tokens.load(connection, 1, [1]).packed


def made_of(row: int, passage: Passage, text_seq: int, salt: str = SPACE, dim: int = DIM) -> RowEncoding:
    """What an engine of a space makes of a passage."""
    vector = embed(passage.joined, salt, dim)
    return RowEncoding(row, text_seq, vector, token_vectors(passage.text, salt))


def probes(salt: str = SPACE, dim: int = DIM) -> Probes:
    passages, queries = ["one", "两个", "three"], ["which", "哪个"]
    return Probes(
        passages,
        np.stack([embed(text, salt, dim) for text in passages]),
        queries,
        np.stack([embed(text, salt, dim) for text in queries]),
    )


class World:
    """A data directory whose process can die: `die` drops every object without a farewell."""

    def __init__(self, root: Path, *, max_rows: int = 1000, batch_rows: int = 8) -> None:
        self.paths = DataPaths.at(root)
        self.paths.make()
        migrate(self.paths.database, self.paths.backups)
        self.max_rows, self.batch_rows = max_rows, batch_rows
        self.gives_tokens = True  # of what comes with a vector
        self.start()

    def start(self) -> None:
        self.database = Database(self.paths.database)
        self.index = VectorIndex(
            self.database, self.paths, max_rows=self.max_rows, batch_rows=self.batch_rows
        )
        self.index.open()

    def die(self) -> None:
        """Start anew; only what is on disk survives."""
        self.database.close()
        self.start()

    def restart(self) -> None:
        """Start anew after an orderly end."""
        self.index.flush()
        self.index.save_snapshot()
        self.index.close()
        self.die()

    def close(self) -> None:
        self.index.close()
        self.database.close()

    def begin(self) -> None:
        """Let the space of `embed` serve."""
        assert self.index.begin(SPACE, ENGINE, MODEL, DIM, probes()) is None

    def add(
        self,
        text: str,
        user: str = "u",
        agent: str | None = None,
        *,
        vector: bool = True,
    ) -> int:
        """Store a memory; return its row."""

        def change(tx: Transaction) -> int:
            row = memories.insert(tx, _record(f"m{tx.seq}", text, user, agent))
            self._stage(tx, user, row, agent, text if vector else None)
            return row

        return self.database.write(change)

    def add_all(self, texts: Iterable[str], user: str = "u", agent: str | None = None) -> list[int]:
        """Store memories in one transaction."""

        def change(tx: Transaction) -> list[int]:
            rows = []
            for place, text in enumerate(texts):
                row = memories.insert(tx, _record(f"m{tx.seq}-{place}", text, user, agent))
                self._stage(tx, user, row, agent, text)
                rows.append(row)
            return rows

        return self.database.write(change)

    def say(self, text: str, user: str = "u", agent: str | None = None, *, vector: bool = True) -> int:
        """Store a turn of a session of the user; return its row."""

        def change(tx: Transaction) -> int:
            place = sessions.receive(tx, user, agent, "s", 1, 0.0)
            turn = TurnRecord(
                id=f"t{tx.seq}",
                user_id=user,
                agent_id=agent,
                session_id="s",
                position=place.position,
                role="user",
                text=text,
                created_at=0.0,
                received_at=0.0,
            )
            row = turns.insert(tx, turn, place.session)
            self._stage(tx, user, row, agent, text if vector else None)
            return row

        return self.database.write(change)

    def edit(self, row: int, text: str, *, vector: bool = True) -> None:
        """Give a memory another text."""

        def change(tx: Transaction) -> None:
            user, agent = tx.execute(
                "UPDATE memories SET text = ?, text_seq = ? WHERE row = ? RETURNING user_id, agent_id",
                (text, tx.seq, row),
            ).fetchone()
            self._stage(tx, user, row, agent, text if vector else None)

        self.database.write(change)

    def remove(self, rows: Sequence[int], user: str = "u") -> None:
        def change(tx: Transaction) -> None:
            memories.remove(tx, rows)
            self.index.unstage(tx, user, rows)

        self.database.write(change)

    def forget(self, user: str) -> None:
        def change(tx: Transaction) -> None:
            self.index.forget_user(tx, user)
            tx.execute("DELETE FROM memories WHERE user_id = ?", (user,))
            tx.execute("DELETE FROM turns WHERE user_id = ?", (user,))

        self.database.write(change)

    def embed_waiting(self, salt: str = SPACE, dim: int = DIM) -> int:
        """What a worker does: embed whatever waits."""
        waiting = self.index.get_waiting_texts(10_000)
        made = [made_of(each.row, each.passage, each.text_seq, salt, dim) for each in waiting]
        return self.database.write(lambda tx: self.index.fill(tx, salt, made))

    def search(
        self,
        text: str,
        k: int = 5,
        user: str = "u",
        agent: str | None = None,
        allowed: Sequence[int] | None = None,
    ) -> list[tuple[int, float]]:
        rows = None if allowed is None else np.array(sorted(allowed), np.int64)
        serving = self.index.serving
        assert serving is not None
        query = embed(text, serving.fingerprint, serving.dim)
        return self.index.search(Scope(user, agent), query, k, rows, fingerprint=serving.fingerprint)

    def expected(
        self,
        text: str,
        k: int = 5,
        user: str = "u",
        agent: str | None = None,
        allowed: Sequence[int] | None = None,
    ) -> list[tuple[int, float]]:
        """The answer by brute force over what SQLite holds, without what waits to be embedded."""
        serving = self.index.serving
        assert serving is not None
        query = embed(text, serving.fingerprint, serving.dim).astype(np.float64)
        with self.database.read() as connection:
            found = connection.execute(
                "SELECT m.row, m.text, m.agent_id FROM memories m WHERE m.user_id = ? AND NOT EXISTS "
                "(SELECT 1 FROM outbox o WHERE o.row = m.row AND o.vector IS NULL)",
                (user,),
            ).fetchall()
        hits = []
        for row, stored, owner in found:
            seen = agent == ALL_AGENTS or owner is None or owner == agent
            if seen and (allowed is None or row in allowed):
                half = embed(stored, serving.fingerprint, serving.dim).astype(np.float16)
                hits.append((row, min(1.0, round(float(half.astype(np.float64) @ query), 6))))
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]

    def owners(self, rows: Sequence[int]) -> list[str]:
        """The users of some memories."""
        with self.database.read() as connection:
            found = dict(connection.execute("SELECT row, user_id FROM memories").fetchall())
        return [found[row] for row in rows]

    def outbox(self) -> list[outbox.Entry]:
        """What may go to the vector store."""
        with self.database.read() as connection:
            return outbox.get_ready(connection, 1_000_000)

    def stored(self) -> list[tuple[int, int]]:
        """(row, text_seq) of everything in the serving space's table."""
        table = self.index._state.table()
        assert table is not None
        rows, text_seqs = table.keys()
        return sorted(zip(rows.tolist(), text_seqs.tolist(), strict=True))

    def kept_tokens(self, space: int | None = None) -> dict[int, npt.NDArray[np.uint8]]:
        """The packed tokens of each text in a space's table, else the serving one's."""
        if space is None:
            assert self.index.serving is not None
            space = self.index.serving.id
        with self.database.read() as connection:
            block = connection.execute(f"SELECT row, tokens FROM {tokens.table(space)}").fetchall()
        return {row: np.frombuffer(blob, np.uint8).reshape(-1, tokens.REDUCED // 2) for row, blob in block}

    def truth(self) -> list[tuple[int, int]]:
        with self.database.read() as connection:
            return [
                tuple(row) for row in connection.execute("SELECT row, text_seq FROM memories ORDER BY row")
            ]

    def _stage(self, tx: Transaction, user: str, row: int, agent: str | None, text: str | None) -> None:
        serving = self.index.serving
        if text is None or serving is None:
            self.index.stage(tx, user, row, agent, None)
            return
        vector = embed(text, serving.fingerprint, serving.dim)
        self.index.stage(
            tx,
            user,
            row,
            agent,
            vector,
            tokens=token_vectors(text, serving.fingerprint) if self.gives_tokens else None,
            fingerprint=serving.fingerprint,
        )


def _record(name: str, text: str, user: str, agent: str | None) -> Record:
    return Record(
        id=name,
        user_id=user,
        agent_id=agent,
        text=text,
        created_at=0.0,
        updated_at=0.0,
        last_access=0.0,
        decay_from=0.0,
        root_id=name,
    )
