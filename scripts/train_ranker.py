"""Train memoryd/retrieval/ranker.json on data sets, through the product itself.

python scripts/train_ranker.py --locomo PATH --memorybank PATH [--cache DIR] [--write]

Both languages count alike. MemoryBank is asked its own questions and the `tuning` split of ours. Without
--write the figures are only printed: those of leaving out each conversation and each user, and those of the
weights that are trained on everything.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _environment

if TYPE_CHECKING:
    from evaluation.candidates import Judged
    from evaluation.sets import Sets

__memoryd_script__ = True

BY_HAND = {"exact": 6.0, "graph": 4.0, "importance": 0.05, "confidence": 0.15, "recency": 0.1}
"""What no data set has; the sum of the others spans about ten."""
KS = (1, 5, 10, 20)


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily
    from evaluation.datasets import DatasetError
    from evaluation.sets import PROFILES, training_sets

    leave_tidily()
    try:
        with tempfile.TemporaryDirectory() as folder:
            cache = options.cache or Path(folder)
            sets = training_sets(options.locomo, options.memorybank, cache, _notice)
    except DatasetError as error:
        print(f"train_ranker: {error}", file=sys.stderr)
        return 1
    profiles = {name: _profile(name, features, sets) for name, features in PROFILES.items()}
    if options.write:
        _write(profiles, sets)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", type=Path, required=True, help="a LoCoMo JSON file")
    parser.add_argument("--memorybank", type=Path, required=True, help="a MemoryBank JSON file")
    parser.add_argument("--cache", type=Path, help="directory that keeps the candidates for the next time")
    parser.add_argument("--write", action="store_true", help="write ranker.json")
    return parser


def _profile(name: str, features: Sequence[str], sets: Sets) -> dict[str, Any]:
    from evaluation.rescoring import columns_of, left_out, linear
    from evaluation.sets import everything
    from evaluation.training import train

    every = everything(sets)
    trained = train(every, features, columns_of(features))
    print(f"\nprofile {name}: {trained}\n")
    for judged_name, judged in sets.items():
        _print(f"{judged_name}, left out", judged, left_out(every, features, judged))
        _print(f"{judged_name}, trained on", judged, [linear(trained)] * len(judged))
    weights = {**trained.weights, **BY_HAND}
    return {"weights": {key: round(weight, 3) for key, weight in weights.items()}, "offset": trained.offset}


def _print(title: str, judged: Sequence[Judged], rankers: Sequence[Any]) -> None:
    from evaluation.report import with_interval
    from evaluation.rescoring import recalls

    found = recalls(judged, rankers, KS)
    for suite in dict.fromkeys(one.question.suite for one in judged):
        own = found[[one.question.suite == suite for one in judged]]
        columns = "  ".join(with_interval(own[:, at].tolist()) for at in range(len(KS)))
        print(f"{title}, {suite}: recall@{'/'.join(map(str, KS))}  {columns}", flush=True)


def _write(profiles: dict[str, Any], sets: Sets) -> None:
    from evaluation.training import ADVERSARIAL_SHARE, L2
    from memoryd.retrieval.ranker import FILE

    found = {
        "version": 2,
        "trained": {
            "on": {name: len(judged) for name, judged in sets.items()},
            "at": datetime.now(UTC).date().isoformat(),
            "by": "scripts/train_ranker.py",
            "loss": f"listwise softmax, L2 {L2:g}; an adversarial question counts {ADVERSARIAL_SHARE:g}",
            "offset": "scores are calibrated: their mean is the share of evidence among candidates",
            "by_hand": sorted(BY_HAND),
        },
        "profiles": {
            name: {"weights": one["weights"], "offset": round(one["offset"], 3)}
            for name, one in profiles.items()
        },
    }
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten: {FILE}")


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
