"""Train memoryd/retrieval/ranking/ranker.json and trained_space.npz on data sets, through the product itself.

python scripts/train_ranker.py --locomo PATH --memorybank PATH --facts PATH [--cache DIR] [--write]

The label sets of this project are read from scripts/evaluation/labels; `companion_final.json` is only scored
with --final. Without --write the figures are only printed: those of leaving out each conversation, person and
user, those without LoCoMo, whose licence is CC BY-NC, and those of the calibration. --space makes
trained_space.npz first, which the features rest on; give it with a new embedding model and an empty cache.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _environment

if TYPE_CHECKING:
    from evaluation.candidates import Judged
    from evaluation.sets import Sets
    from evaluation.training import Trained
    from memoryd.retrieval.ranking.calibration import Calibration
    from memoryd.retrieval.ranking.ranker import ProfileName

__memoryd_script__ = True

BY_HAND = {"exact": 6.0}
"""What the sets have too little of to learn: 8 of 3,980 questions quote a phrase, 6 of them one that the
evidence holds. The other weights' sum spans about ten, so that what is named literally comes first."""
TURN_KS = (1, 5, 10, 20)
MEMORY_KS = (1, 5, 10)
RELEVANT = 0.2
"""The product's threshold, see docs of `min_score`."""
_ENGINE_SECONDS = 120.0


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily
    from evaluation.datasets import DatasetError

    leave_tidily()
    try:
        with tempfile.TemporaryDirectory() as folder:
            _train(options, options.cache or Path(folder))
    except DatasetError as error:
        print(f"train_ranker: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", type=Path, required=True, help="a LoCoMo JSON file")
    parser.add_argument("--memorybank", type=Path, required=True, help="a MemoryBank JSON file")
    parser.add_argument("--facts", type=Path, required=True, help="LoCoMo's extracted facts, a JSON file")
    parser.add_argument("--cache", type=Path, help="directory that keeps the candidates for the next time")
    parser.add_argument("--space", action="store_true", help="make trained_space.npz first")
    parser.add_argument("--final", action="store_true", help="score companion_final.json, too")
    parser.add_argument("--write", action="store_true", help="write ranker.json")
    return parser


def _train(options: argparse.Namespace, cache: Path) -> None:
    from evaluation.sets import LABELS, memory_sets, turn_sets

    if options.space:
        _make_space()
    own = [LABELS / f"{name}.json" for name in ("companion_training", "companion_tuning", "relations")]
    memories = memory_sets([*own, options.facts], cache, _notice)
    turns = turn_sets(options.locomo, options.memorybank, cache, _notice)
    profiles = {
        "memory": _profile("memory", memories, MEMORY_KS),
        "late": _profile("late", turns, TURN_KS),
        "dense": _profile("dense", turns, TURN_KS),
    }
    calibrations = {
        "memory": _calibration("memory", profiles["memory"], memories),
        "late": _calibration("late", profiles["late"], turns),
    }
    if options.final:
        final = memory_sets([LABELS / "companion_final.json"], cache, _notice)
        _scored("memory", profiles["memory"], final, MEMORY_KS)
        _judged("memory, unseen half", profiles["memory"], calibrations["memory"], final)
    if options.write:
        _write(profiles, calibrations, {**memories, **turns})


def _make_space() -> None:
    from _temporary import temporary_home, wait_for_engine
    from evaluation.space_training import train_space, write_space
    from memoryd.knowledge_base import KnowledgeBase
    from memoryd.retrieval.ranking.trained_space import FILE

    with temporary_home() as home, KnowledgeBase(home) as store:
        wait_for_engine(store, _ENGINE_SECONDS)
        write_space(train_space(store._app._parts))  # the vectors are no part of any face
    print(f"written: {FILE}")


def _profile(name: ProfileName, sets: Sets, ks: Sequence[int]) -> Trained:
    from evaluation.rescoring import columns_of, left_out
    from evaluation.sets import LOCOMO, PROFILES, answered, everything
    from evaluation.training import train

    features = PROFILES[name]
    every = everything(sets)
    trained = train(every, features, columns_of(features))
    print(f"\nprofile {name}: {trained}\n")
    for title, judged in sets.items():
        _print(f"{title}, left out", answered(judged), left_out(every, features, answered(judged)), ks)
    _scored(name, trained, sets, ks)
    without = everything({title: judged for title, judged in sets.items() if title not in LOCOMO})
    print("trained without LoCoMo:")
    _scored(name, train(without, features, columns_of(features)), sets, ks)
    return trained


def _scored(name: str, trained: Trained, sets: Sets, ks: Sequence[int]) -> None:
    from evaluation.rescoring import linear
    from evaluation.sets import answered

    for title, judged in sets.items():
        own = answered(judged)
        _print(f"{name}, {title}, by these weights", own, [linear(trained)] * len(own), ks)


def _print(title: str, judged: Sequence[Judged], rankers: Sequence[Any], ks: Sequence[int]) -> None:
    from evaluation.memory_sets import ACROSS
    from evaluation.report import with_interval
    from evaluation.rescoring import recalls

    found = recalls(judged, rankers, ks)
    suites = [one.question.suite for one in judged]
    across = [ACROSS if one.question.category == ACROSS else "" for one in judged]
    for part in dict.fromkeys([*suites, *filter(None, across)]):
        own = found[[part in pair for pair in zip(suites, across, strict=True)]]
        columns = "  ".join(with_interval(own[:, at].tolist()) for at in range(len(ks)))
        print(f"{title}, {part}: recall@{'/'.join(map(str, ks))}  {columns}", flush=True)


def _calibration(name: ProfileName, trained: Trained, sets: Sets) -> Calibration:
    import numpy as np

    from evaluation.calibration_training import (
        CALIBRATED_BY,
        answers_of,
        calibration_error,
        cross_fitted,
        fit_calibration,
        resampled,
        shares_of,
    )
    from evaluation.sets import everything

    answers, names = answers_of(everything(sets), trained), CALIBRATED_BY[name]
    scores, shares = cross_fitted(answers, names), np.array(shares_of(answers))
    right = np.array([one.right[0] for one in answers])
    low, high = resampled(scores, right, shares)
    error = calibration_error(scores, right, shares)
    found = f"{error:.3f} [{low:.3f}, {high:.3f}], cross-fitted over {len(answers)} questions"
    print(f"\n{name}: calibration error {found}")
    calibration = fit_calibration(answers, names)
    print(f"{name}: {calibration}")
    for title, judged in sets.items():
        _judged(f"{name}, {title}", trained, calibration, {title: judged})
    return calibration


def _judged(title: str, trained: Trained, calibration: Calibration, sets: Sets) -> None:
    """How well the score of the first hit tells what is answered from what is not."""
    from evaluation.calibration_training import answers_of, described
    from evaluation.sets import everything

    for line in described(answers_of(everything(sets), trained), calibration, RELEVANT):
        print(f"{title}: {line}", flush=True)


def _write(profiles: Mapping[str, Trained], calibrations: Mapping[str, Calibration], sets: Sets) -> None:
    from evaluation.training import ADVERSARIAL_SHARE, L2
    from memoryd.retrieval.ranking.ranker import FILE

    found = {
        "version": 3,
        "trained": {
            "on": {name: len(judged) for name, judged in sets.items()},
            "at": datetime.now(UTC).date().isoformat(),
            "by": "scripts/train_ranker.py",
            "loss": f"listwise softmax, L2 {L2:g}; an adversarial question counts {ADVERSARIAL_SHARE:g}",
            "by_hand": sorted(BY_HAND),
        },
        "relevant": RELEVANT,
        "profiles": {name: _stored_profile(one) for name, one in profiles.items()},
        "calibrations": {name: _stored_calibration(one) for name, one in calibrations.items()},
    }
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten: {FILE}")


def _stored_profile(trained: Trained) -> dict[str, Any]:
    weights = {**BY_HAND, **{name: weight for name, weight in trained.weights.items() if weight}}
    return {
        "weights": {name: round(weight, 3) for name, weight in weights.items()},
        "offset": round(trained.offset, 3),
    }


def _stored_calibration(calibration: Calibration) -> dict[str, Any]:
    return {
        "slope": round(calibration.slope, 4),
        "weights": {name: round(weight, 4) for name, weight in calibration.weights.items()},
        "offset": round(calibration.offset, 4),
    }


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
