"""Measure what the graph source brings, against a daemon of its own in a temporary directory.

python scripts/eval_relations.py [--split tuning|final|all] [--k 1 3 5]

Each question is asked of the memories of both users of its language, once without the graph and once with it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import _environment
from evaluation.options import split_parser

__memoryd_script__ = True  # importing the client starts nothing here; the first call does

LABELS = Path(__file__).parent / "evaluation" / "labels" / "relations.json"
ENGINE_SECONDS = 120.0
DEEP = 10
WEIGHTS = {"without": 0.0, "with": 1.0}


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily, temporary_daemon, wait_for_engine

    leave_tidily()
    users = json.loads(LABELS.read_text(encoding="utf-8"))["users"]
    with temporary_daemon() as client:
        wait_for_engine(client, ENGINE_SECONDS)
        names = _stored(client, users)
        shares = _asked(client, users, names, options.split, options.k)
    _print(shares, options.split, options.k)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = split_parser(__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[1, 3, 5])
    return parser


def _stored(client: Any, users: list[dict[str, Any]]) -> dict[str, str]:
    """The label's name of each stored memory, by id."""
    names: dict[str, str] = {}
    for user in users:
        ids = client.add_many([one["text"] for one in user["memories"]], user_id=user["lang"])
        names |= {id: one["id"] for id, one in zip(ids, user["memories"], strict=True)}
    while not all(one["indexed"] for lang in ("zh", "en") for one in client.get_all(lang)):
        time.sleep(0.2)
    return names


Shares = dict[tuple[str, str, str, int], list[float]]


def _asked(
    client: Any, users: list[dict[str, Any]], names: dict[str, str], split: str, depths: list[int]
) -> Shares:
    """Shares of the evidence among the first k, by language, kind, with or without, and k."""
    shares: Shares = defaultdict(list)
    for user in users:
        for one in user["questions"]:
            if split not in ("all", one["split"]):
                continue
            for how, weight in WEIGHTS.items():
                hits = client.search(
                    one["question"], DEEP, user_id=user["lang"], mode="hybrid", weights={"graph": weight}
                )
                got = [names[hit["id"]] for hit in hits]
                for k in depths:
                    share = len(set(got[:k]) & set(one["evidence"])) / len(one["evidence"])
                    shares[user["lang"], one["kind"], how, k].append(share)
    return shares


def _print(shares: Shares, split: str, depths: list[int]) -> None:
    print(f"{split}: share of the evidence among the first k, without the graph -> with it\n")
    print(f"{'':12}{'questions':>10}" + "".join(f"{f'@{k}':>18}" for k in depths))
    for lang in ("zh", "en"):
        for kind in ("two_hop", "one_hop", "direct"):
            count = len(shares[lang, kind, "with", depths[0]])
            cells = (
                " -> ".join(f"{_mean(shares[lang, kind, how, k]):.3f}" for how in WEIGHTS) for k in depths
            )
            print(f"{lang} {kind:9}{count:>10}" + "".join(f"{cell:>18}" for cell in cells))


def _mean(values: list[float]) -> float:
    return sum(values) / max(1, len(values))


if __name__ == "__main__":
    raise SystemExit(main())
