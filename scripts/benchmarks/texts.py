"""Synthetic memories in Chinese and English, and queries drawn from them; the same for the same seed.

Words follow Zipf's law: a few stand in most texts, names in few. 主人 stands in every text, 我 in every
Chinese and I in every English one.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

VOCABULARY: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("vocabulary.json").read_text(encoding="utf-8")
)
TAIL = 5000
CHINESE_SHARE = 0.7
KINDS = ("a word", "two words", "four words", "a whole text", "words in every row")
COMMON = ("主人", "我", "I", "主人 我", "主人今天", "what did I do")


class Words:
    """Draws of a seeded generator, by rank: the n-th word of a list is drawn 1/n as often as the first."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        # The same long tail of words for every seed: texts of two seeds are of one language.
        tail = random.Random(0)
        things = ["".join(tail.sample(VOCABULARY["characters"], 2)) for _ in range(TAIL)]
        english = ["".join(tail.sample(VOCABULARY["syllables"], 3)) for _ in range(TAIL)]
        self._words = {**VOCABULARY, "things": things, "english_things": english}
        self._weights = {
            name: list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
            for name, words in self._words.items()
        }

    def pick(self, name: str) -> str:
        """A word of the list of that name."""
        return self.random.choices(self._words[name], cum_weights=self._weights[name])[0]

    def name(self) -> str:
        given = "".join(self.pick("given_names") for _ in range(self.random.choice((1, 2))))
        return self.pick("surnames") + given

    def chinese(self) -> str:
        date = f"{self.random.randint(1, 12)}月{self.random.randint(1, 28)}日"
        when = date if self.random.random() < 0.3 else self.pick("times")
        where, doing, feeling = self.pick("places"), self.pick("doings"), self.pick("feelings")
        things = f"{self.pick('things')}和{self.pick('things')}"
        return f"主人：{when}我和{self.name()}在{where}{doing}，聊了{things}，{feeling}。"

    def english(self) -> str:
        name = f"{self.pick('english_first_names')} {self.pick('english_last_names')}"
        where, doing = self.pick("english_places"), self.pick("english_doings")
        when, feeling = self.pick("english_times"), self.pick("english_feelings")
        thing = self.pick("english_things")
        return f"主人: I {doing} with {name} at {where} {when}, we spoke of {thing}; {feeling}."

    def text(self) -> str:
        return self.chinese() if self.random.random() < CHINESE_SHARE else self.english()


def texts(count: int, seed: int = 1) -> list[str]:
    """Distinct short texts: about 35 Chinese characters or 90 English ones."""
    words, found = Words(seed), dict[str, None]()
    while len(found) < count:
        found[words.text()] = None
    return list(found)


def of_length(length: int, count: int, seed: int = 1) -> list[str]:
    """Texts of exactly `length` characters."""
    words = Words(seed)
    return [_cut(words, length) for _ in range(count)]


def _cut(words: Words, length: int) -> str:
    make = words.chinese if words.random.random() < CHINESE_SHARE else words.english
    text = make()
    while len(text) < length:
        text += make()
    return text[: length - 1] + text[-1]


def queries(stored: Sequence[str], count: int, seed: int = 2) -> list[str]:
    """Queries drawn from stored texts, the `KINDS` in turn."""
    drawn = _drawn(random.Random(seed), stored)
    return [next(drawn) for _ in range(count)]


def _drawn(rng: random.Random, stored: Sequence[str]) -> Iterator[str]:
    while True:
        for words in (1, 2, 4):
            text = rng.choice(stored)
            yield " ".join(_piece(rng, text) for _ in range(words))
        yield rng.choice(stored)
        yield rng.choice(COMMON)


def _piece(rng: random.Random, text: str) -> str:
    """A word of an English text, two neighbouring characters of a Chinese one."""
    if len(latin := re.findall(r"[A-Za-z]+", text)) > 3:
        return rng.choice(latin)
    characters = re.findall(r"[\u4e00-\u9fff]{2,}", text.partition("：")[2])
    chosen = rng.choice(characters)
    at = rng.randrange(len(chosen) - 1)
    return chosen[at : at + 2]
