"""Score requests for what was last, against a daemon of its own in a temporary directory.

python scripts/eval_recency.py [--split tuning|final|all] [--words] [--wrong]

`first`: the first hit is a right one; `order`: the answer begins as it must; `read`: the plan takes the
message for the request it is, or for none.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import _environment
from evaluation.options import split_parser

__memoryd_script__ = True  # importing the client starts nothing here; the first call does

LABELS = Path(__file__).parent / "evaluation" / "labels" / "recency.json"
PARTS = ("first", "order", "read")
DEEP = 5
READY_SECONDS = 120.0
_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0}

Answers = list[tuple[dict[str, Any], dict[str, Any]]]


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily, temporary_daemon

    leave_tidily()
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    chosen = [one for one in labels["queries"] if options.split in ("all", one["split"])]
    if options.words:
        os.environ["MEMORYD_EMBEDDER_MODEL"] = "none"
    with temporary_daemon() as client:
        now = time.time()
        names = {
            id: own for name, one in labels["stores"].items() for id, own in _stored(client, name, one, now)
        }
        _wait(client, labels["stores"], with_vectors=not options.words)
        answers = [(one, _answer(client, one, names, now)) for one in chosen]
    _print(answers, options.split)
    if options.wrong:
        _print_wrong(answers)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = split_parser(__doc__)
    parser.add_argument("--words", action="store_true", help="without a model, by words alone")
    parser.add_argument("--wrong", action="store_true", help="print what was answered wrongly")
    return parser


def _stored(client: Any, user: str, store: dict[str, Any], now: float) -> list[tuple[str, str]]:
    """The ids of what was stored, each with the label's name."""
    items = [
        {
            "text": one["text"],
            "metadata": {
                "timestamp": now - _seconds(one["ago"]),
                "category": one.get("category", "episode"),
                **({"session_id": one["session_id"]} if "session_id" in one else {}),
            },
        }
        for one in store["memories"]
    ]
    ids = client.add_many(items, user_id=user)
    found = list(zip(ids, (one["id"] for one in store["memories"]), strict=True))
    for session in store["sessions"]:
        turns = [
            {"role": one["role"], "text": one["text"], "at": now - _seconds(one["ago"])}
            for one in session["turns"]
        ]
        ids = client.conversation.extend(session["session_id"], turns, user_id=user)["ids"]
        found += zip(ids, (one["id"] for one in session["turns"]), strict=True)
        if session["ended"]:
            client.conversation.end(session["session_id"], user_id=user)
    return found


def _seconds(ago: str) -> float:
    return float(ago[:-1]) * _UNITS[ago[-1]]


def _wait(client: Any, stores: dict[str, Any], *, with_vectors: bool) -> None:
    end = time.monotonic() + READY_SECONDS
    while client.status()["stage"] != "ready" or (
        with_vectors and any(client.stats(user_id=name)["pending_vector_count"] for name in stores)
    ):
        if time.monotonic() > end:
            raise TimeoutError(f"not everything is embedded after {READY_SECONDS:g} s")
        time.sleep(0.2)


def _answer(client: Any, one: dict[str, Any], names: dict[str, str], now: float) -> dict[str, Any]:
    scope = "all" if one["scope"] == "all" else [one["scope"]]
    report = client.explain(
        one["query"], DEEP, user_id=one["store"], scope=scope, mode=one["mode"], reference_time=now
    )
    got = [names[hit["id"]] for hit in report["hits"]]
    recency = report["plan"]["recency"]
    read = None if recency is None else recency["kind"]
    wanted = one.get("order", [])
    return {
        "got": got,
        "recency": read,
        "first": bool(got) and got[0] in one["first"],
        "order": got[: len(wanted)] == wanted if wanted else None,
        "read": None if one["recency"] == "any" else read == one["recency"],
    }


def _print(answers: Answers, split: str) -> None:
    print(f"{split}: share of right answers\n")
    print(f"{'':14}{'messages':>9}" + "".join(f"{part:>9}" for part in PARTS))
    for lang in ("zh", "en"):
        for kind in ("request", "content"):
            group = [got for one, got in answers if (one["lang"], one["kind"]) == (lang, kind)]
            _print_row(f"{lang} {kind}", group)
    _print_row("all", [got for _, got in answers])


def _print_row(name: str, group: list[dict[str, Any]]) -> None:
    cells = ""
    for part in PARTS:
        judged = [got[part] for got in group if got[part] is not None]
        cells += f"{sum(judged) / len(judged):>9.3f}" if judged else f"{'-':>9}"
    print(f"{name:14}{len(group):>9}{cells}")


def _print_wrong(answers: Answers) -> None:
    print()
    for one, got in answers:
        wrong = [part for part in PARTS if got[part] is False]
        if wrong:
            wanted = one.get("order") or one["first"]
            print(
                f"{one['store']} {one['query']}  ->  {' '.join(wrong)}: "
                f"{' '.join(got['got'])}, not {' '.join(wanted)}; read as {got['recency']}"
            )


if __name__ == "__main__":
    raise SystemExit(main())
