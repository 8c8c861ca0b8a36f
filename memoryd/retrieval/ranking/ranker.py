"""The linear ranker: what each feature is worth, read from `ranker.json`, made by `scripts/train_ranker.py`.

The sum of a text's weighted features orders the texts of one query. What it says about the text being right
depends on the query, so that is a second step (`calibration`). Features of one group are weighed together by
the caller's factor for the group.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from memoryd.retrieval.ranking.features import Features
from memoryd.retrieval.ranking.frame import Column
from memoryd.retrieval.ranking.fuse import Fused, Part, logistic

FILE = Path(__file__).with_name("ranker.json")
ProfileName = Literal["memory", "late", "dense"]
RELEVANCE: Mapping[str, tuple[str, ...]] = {
    "exact": ("exact",),
    "semantic": ("late_around", "matched", "late_centred", "matched_centred", "session", "dense"),
    "temporal": ("date", "date_near"),
    "lexical": ("words_near",),
    "graph": ("graph",),
}
"""What a caller's weights apply to; the other features are cues of the text itself."""
_GROUP_OF = {feature: group for group, members in RELEVANCE.items() for feature in members}


@dataclass(frozen=True, slots=True)
class Profile:
    """What the features are worth when these are there. offset: of the sum at which the score is one half."""

    weights: Mapping[str, float]
    offset: float


def profile_name(features: Features) -> ProfileName:
    """The profile that ranks by these features."""
    if "late_centred" in features:
        return "memory"
    return "late" if "matched" in features else "dense"


def rank(
    rows: Sequence[int],
    found: Mapping[int, Fused],
    features: Features,
    weights: Mapping[str, float],
    *,
    explain: bool = True,
) -> list[Fused]:
    """The texts of a frame with their sums and scores, best first; ties go to the newer row.

    found: what the sources returned for them, by row; weights: the caller's factors by group, 1 where none is
    given; explain: whether to keep what each sum is made of.
    """
    profile = profiles()[profile_name(features)]
    total = np.full(len(rows), -profile.offset)
    contribution: dict[str, Column] = {}
    for name, column in features.items():
        worth = profile.weights.get(name, 0.0) * weights.get(_GROUP_OF.get(name, ""), 1.0)
        if worth:
            contribution[name] = worth * column
            total += contribution[name]
    order = np.lexsort((-np.asarray(rows), -total))
    ranked = [found[rows[at]] for at in order.tolist()]
    for one, at in zip(ranked, order.tolist(), strict=True):
        one.rank_score = float(total[at])
        one.score = logistic(one.rank_score)
    if explain:
        for one, at in zip(ranked, order.tolist(), strict=True):
            one.read_contributions = functools.partial(
                _contributions, features, contribution, profile.offset, at
            )
    return ranked


def _contributions(
    features: Features, contribution: Mapping[str, Column], offset: float, at: int
) -> dict[str, Part]:
    """What the sum of one text is made of."""
    told = {name: (float(features[name][at]), float(column[at])) for name, column in contribution.items()}
    return {**told, "offset": (1.0, -offset)}


@functools.cache
def profiles() -> Mapping[str, Profile]:
    """The profiles by name: `memory` with language-centred token vectors, `late` with token vectors, `dense`
    without."""
    return {name: Profile(one["weights"], one["offset"]) for name, one in load_ranker()["profiles"].items()}


@functools.cache
def load_ranker() -> Mapping[str, Any]:
    """What `ranker.json` holds."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found
