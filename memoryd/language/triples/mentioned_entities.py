"""Who a text has spoken of so far."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memoryd.language.triples.names import OWN


@dataclass(slots=True)
class Reading:
    """carried: whom a clause without a subject is about; third: whom he, she, 他 stand for; known: names met;
    relatives: the names of the user's relatives, by relation (`sister`)."""

    carried: str | None = None
    third: str | None = None
    known: set[str] = field(default_factory=set)
    relatives: dict[str, str] = field(default_factory=dict)

    def begin_sentence(self) -> None:
        """A subject is not carried over the end of a sentence."""
        self.carried = None

    def copy(self) -> Reading:
        """To try a reading without being changed by it."""
        return Reading(self.carried, self.third, set(self.known), dict(self.relatives))

    def speak_of(self, who: str) -> None:
        """Somebody is the subject."""
        self.carried = who
        if who != OWN:
            self.third = who
            self.known.add(who)

    def relative(self, relation: str) -> str:
        """What a relative of the user is called: the name, if it was told."""
        return self.relatives.get(relation, f"{OWN}'s {relation}")

    def name_relative(self, relation: str, name: str) -> None:
        """From here on a relative goes by a name. relation: `sister_of`."""
        self.relatives[relation.removesuffix("_of")] = name
        self.known.add(name)

    def relation_of(self, who: str) -> str | None:
        """`sister_of` for `user's sister`."""
        start = f"{OWN}'s "
        return f"{who.removeprefix(start)}_of" if who.startswith(start) else None

    def person(self, word: str, own: str, other: str) -> str | None:
        """Who a word stands for. own, other: patterns of the words for the user, and of pronouns."""
        if re.fullmatch(own, word):
            return OWN
        return self.third if re.fullmatch(other, word) else word
