"""From the sums of the ranker to probabilities that compare between queries.

A sum alone says little: a text that half matches a long question may be right, one that fully matches 晚安
is not. So the log-odds of a text are a linear function of its sum and of what the whole answer looks like
(Platt 1999, with more than one input), fitted on questions that a store answers and on others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memoryd.retrieval.ranking.fuse import Fused, logistic
from memoryd.retrieval.ranking.ranker import ProfileName, load_ranker

EVIDENCE = ("best", "dense", "tokens", "wants", "crowd")
"""What is known of an answer as a whole, by name, see `evidence_of`."""
_WANTS_SCALE = 0.5
"""Of the classifier's log-odds, which are too sure of themselves on messages unlike those it saw."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of one profile. slope: of how far a text's sum is behind the best one's; weights: of the evidence;
    offset: added to both."""

    slope: float
    weights: Mapping[str, float]
    offset: float

    def log_odds(self, sums: Sequence[float], known: Mapping[str, float]) -> list[float]:
        """Of texts with these sums in an answer of this evidence, best first."""
        shared = self.offset + sum(weight * known[name] for name, weight in self.weights.items())
        return [self.slope * (one - known["best"]) + shared for one in sums]


def evidence_of(sums: Sequence[float], dense: float, wants: float, tokens: int) -> dict[str, float]:
    """What is known of an answer as a whole.

    sums: of the texts, best first; dense: the highest cosine; wants: log-odds that such a message wants
    anything of memory; tokens: of the query. best: the highest sum; of `wants` the log-probability is taken,
    as above even odds more of it says little; crowd: the log of how many texts are as good as the best, the
    lesser ones counting less.
    """
    behind = np.asarray(sums[1:]) - sums[0]
    return {
        "best": float(sums[0]),
        "dense": dense,
        "tokens": math.log1p(tokens),
        "wants": -math.log1p(math.exp(-_WANTS_SCALE * wants)),
        "crowd": float(np.log1p(np.exp(behind).sum())),
    }


def calibrate(ranked: Sequence[Fused], calibration: Calibration, known: Mapping[str, float]) -> None:
    """Give texts their calibrated scores."""
    found = calibration.log_odds([one.rank_score for one in ranked], known)
    for one, log_odds in zip(ranked, found, strict=True):
        one.rank_score, one.score, one.is_calibrated = log_odds, logistic(log_odds), True


def calibration_of(profile: ProfileName) -> Calibration | None:
    """The calibration of a profile; None where there is none."""
    found = load_ranker()["calibrations"].get(profile)
    return None if found is None else Calibration(found["slope"], found["weights"], found["offset"])


def relevant_score() -> float:
    """The product's own threshold: `min_score="relevant"`, and what `answerable` means."""
    return float(load_ranker()["relevant"])
