"""How each intent is searched: a primary recipe, and another when its best hit is weak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from memoryd.language.query.intents import Intent

Recipe = Literal["ranked", "rrf", "normalised", "lexical", "semantic"]

WEAK_FACT = 0.002
WEAK_MEANING = 0.002
"""Scores in [0, 1] of the best hit, below which the fallback is taken: where no feature speaks for any text.
Wherever one does, the features rank better than any fallback."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """primary, fallback: recipes; weak: the score of the best hit below which the fallback is taken."""

    primary: Recipe
    fallback: Recipe
    weak: float


STRATEGIES: Mapping[Intent, Strategy] = MappingProxyType(
    {
        "fact": Strategy("ranked", "rrf", WEAK_FACT),
        "reasoning": Strategy("ranked", "semantic", WEAK_MEANING),
        "contextual": Strategy("ranked", "normalised", WEAK_MEANING),
        "preference": Strategy("ranked", "semantic", WEAK_MEANING),
        "chitchat": Strategy("ranked", "rrf", WEAK_FACT),
        "skill": Strategy("ranked", "rrf", WEAK_FACT),
    }
)
