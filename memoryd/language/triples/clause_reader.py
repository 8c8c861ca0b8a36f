"""Statements of a sentence: a clause has a subject, adverbials and a predicate that one rule matches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoryd.language.triples.degrees import join_degrees
from memoryd.language.triples.grammar import Grammar, Pattern
from memoryd.language.triples.mentioned_entities import MentionedEntities, relation_to_user
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import FAVORITE_OF, RELATIONS, SYMMETRIC
from memoryd.language.triples.statement import Statement

_MAX_ADVERBIALS = 6
_END = " .!;。！；"
_MAX_OBJECT_WORDS = 6
_NO_PREDICATES = ("not", "degree", "kind")
_UNDIVIDED = frozenset(
    "lives_in comes_from born_in born_on works_at studies_at graduated_from does prefers".split()
)
"""Predicates of one object: "Portland, Oregon" is one place."""
_ACQUAINTANCES = ("friend_of", "colleague_of", "classmate_of", "neighbor_of")
"""Relations not worth a statement without a name."""


@dataclass(frozen=True, slots=True)
class Adverbials:
    """How a clause qualifies what it states."""

    frequency: str | None = None
    condition: str | None = None
    negation: bool = False
    degree: str | None = None

    def with_match(self, groups: dict[str, str | None]) -> Adverbials:
        """Add the adverbials in the groups of a match."""
        return Adverbials(
            self.frequency or groups.get("frequency"),
            self.condition or groups.get("condition"),
            self.negation != bool(groups.get("not")),
            join_degrees(groups.get("degree"), self.degree),
        )

    @property
    def is_habit(self) -> bool:
        return bool(self.frequency or self.condition or self.negation)


_Found = tuple[list[tuple[str, str]], Adverbials] | None
"""Predicates and objects, and all adverbials."""


class ClauseReader:
    """Reads sentences of one language. mentioned: whom the text has mentioned so far; updated."""

    def __init__(self, grammar: Grammar, mentioned: MentionedEntities) -> None:
        self._grammar = grammar
        self._mentioned = mentioned

    def statements(self, sentence: str) -> Iterator[Statement]:
        """The statements of a sentence. Their `words`: the clause, or the sentence if it was rewritten."""
        grammar, text = self._grammar, sentence
        self._mentioned.subject = None
        if grammar.silent.search(sentence):
            return
        for pattern, replacement in grammar.rewrites:
            sentence = pattern.sub(replacement, sentence)
        condition: str | None = None
        is_over = False
        for part in grammar.boundary.split(sentence):
            clause = _without(grammar.padding, part)
            is_over = bool(grammar.past.search(clause) or (is_over and not grammar.now.match(part.strip())))
            if is_over:
                if grammar.own.match(clause):
                    self._mentioned.set_subject(OWN)
                continue
            found = list(self._clause(clause, Adverbials(condition=condition)))
            is_condition = not found and grammar.condition.fullmatch(clause)
            condition = clause if is_condition else None
            words = part.strip(_END) if part in text else text
            yield from (replace(one, words=words) for one in found)

    def _clause(self, clause: str, adverbials: Adverbials) -> Iterator[Statement]:
        grammar = self._grammar
        event = grammar.event.search(clause)
        if event:
            clause = _without(grammar.padding, clause[: event.start()] + clause[event.end() :])
        while match := grammar.trailing.search(clause):
            adverbials, clause = adverbials.with_match(match.groupdict()), clause[: match.start()]
        while match := grammar.fronted.match(clause):
            adverbials, clause = adverbials.with_match(match.groupdict()), clause[match.end() :]
        if not event:
            relation = self._relation(clause)
            if relation:
                yield relation
                return
        for subject, relation_name, rest in self._subjects(clause):
            found = self._predicate(rest.strip(), adverbials, is_event=bool(event))
            if not found and not (relation_name and rest.startswith(" ")):
                continue  # a Chinese name has no visible end, so a rule has to fit what follows it
            self._mentioned.set_subject(subject)
            if relation_name:
                self._mentioned.name_relative(relation_name, subject)
                yield Statement(subject, f"{relation_name}_of", OWN)
            if found:
                yield from self._statements_of(subject, *found)
            return

    def _subjects(self, clause: str) -> Iterator[tuple[str, str | None, str]]:
        """Possible subjects, each with the relation if it is a named relative, and the rest of the clause."""
        mentioned, kinship = self._mentioned, self._grammar.kinship
        for name in sorted(mentioned.names, key=len, reverse=True):
            if clause.startswith(name):
                yield name, None, clause[len(name) :]
        for pattern in self._grammar.subjects:
            match = pattern.match(clause)
            if match is None:
                continue
            rest, groups = clause[match.end() :], match.groupdict()
            kin, name = kinship.get(groups.get("kin") or "", ""), groups.get("name") or ""
            if kin and name and f"{kin}_of" in RELATIONS:
                yield name, kin, rest
            elif kin and not name:
                whose = groups.get("whose")
                yield f"{whose}'s {kin}" if whose else mentioned.relative(kin), None, rest
            elif groups.get("own") is not None:
                yield OWN, None, rest
                return
            elif groups.get("pronoun"):
                if mentioned.third_person:
                    yield mentioned.third_person, None, rest
                return
            elif name and not kin:
                yield name, None, rest
        if mentioned.subject:
            yield mentioned.subject, None, clause

    def _predicate(self, rest: str, adverbials: Adverbials, *, is_event: bool) -> _Found:
        """Match the text after the subject: remove adverbials until a rule fits."""
        for _ in range(_MAX_ADVERBIALS):
            found = self._by_rules(rest, adverbials, is_event)
            match = None if found else self._grammar.leading.match(rest)
            if match is None:
                return found
            adverbials, rest = adverbials.with_match(match.groupdict()), rest[match.end() :].lstrip()
        return None

    def _by_rules(self, rest: str, adverbials: Adverbials, is_event: bool) -> _Found:
        """Match the first rule that fits and has objects."""
        grammar = self._grammar
        lasting = () if is_event else (*grammar.rules, *(grammar.habits if adverbials.is_habit else ()))
        for rule in (*grammar.event_rules, *lasting):
            match = rule.fullmatch(rest)
            objects = self._objects(match.groupdict()) if match else []
            if match and objects:
                return objects, adverbials.with_match(match.groupdict())
        return None

    def _objects(self, groups: dict[str, str | None]) -> list[tuple[str, str]]:
        """Predicates and objects of a match; empty if any of the objects is not valid."""
        grammar, found = self._grammar, []
        for predicate, phrase in groups.items():
            if phrase is None or predicate in _NO_PREDICATES:
                continue
            parts = [phrase] if predicate in _UNDIVIDED else grammar.coordination.split(phrase)
            for part in parts:
                plain = _without(grammar.trimmed, part)
                kind = grammar.kinds.get(predicate)
                if not self._is_object(plain) or (kind and not kind.fullmatch(plain)):
                    return []
                found.append((predicate, plain))
        if kind_of_favorite := groups.get("kind"):
            predicate = FAVORITE_OF.get(kind_of_favorite.split()[-1].lower(), "favorite")
            return [(predicate, plain) for _, plain in found]
        return found

    def _is_object(self, plain: str) -> bool:
        return (
            0 < len(plain) <= self._grammar.max_object_chars
            and plain.count(" ") < _MAX_OBJECT_WORDS
            and not self._grammar.not_objects.search(plain)
        )

    def _statements_of(
        self, subject: str, objects: list[tuple[str, str]], adverbials: Adverbials
    ) -> Iterator[Statement]:
        qualifiers = (adverbials.negation, adverbials.frequency, adverbials.condition, adverbials.degree)
        pet, relation = dict(objects).get("pet"), relation_to_user(subject)
        for predicate, object in objects:
            who, kin = subject, self._grammar.kinship.get(object)
            if predicate == "name" and relation:
                self._mentioned.name_relative(relation, object)
                self._mentioned.set_subject(object)
                who, predicate, object = object, f"{relation}_of", OWN
            elif predicate == "pet":
                self._mentioned.set_subject(object)
                predicate = "has_pet"
            elif predicate == "lives_with" and kin:
                object = f"{OWN}'s {kin}"
            elif predicate == "is_a" and pet:
                who = pet
            yield Statement(who, predicate, object, *qualifiers)

    def _relation(self, clause: str) -> Statement | None:
        """The relation between two people that a whole clause states, if any."""
        matches = (pattern.fullmatch(clause) for pattern in self._grammar.relations)
        match = next(filter(None, matches), None)
        groups = match.groupdict() if match else {}
        kin = self._grammar.kinship.get(groups.get("kin") or "", "")
        spellings = (f"{kin}_of", f"{kin.removesuffix('s')}_of")
        relation = next((one for one in spellings if one in RELATIONS), None)
        name, whose = groups.get("name"), self._person(groups.get("whose"))
        if name or "who" in groups:
            who = self._person(name or groups.get("who"))
        else:
            who = None if relation in _ACQUAINTANCES else f"{OWN}'s {(relation or '').removesuffix('_of')}"
        if not relation or not who or not whose or who == whose:
            return None
        if who == OWN and relation in SYMMETRIC:
            who, whose = whose, who
        if name and whose == OWN:
            self._mentioned.name_relative(relation.removesuffix("_of"), name)
        self._mentioned.set_subject(who)
        return Statement(who, relation, whose, bool(groups.get("not")))

    def _person(self, word: str | None) -> str | None:
        """The person a word refers to, if any."""
        if not word:
            return None
        if self._grammar.own.fullmatch(word):
            return OWN
        if self._grammar.pronoun.fullmatch(word):
            return self._mentioned.third_person
        return word if self._grammar.name.fullmatch(word) else None


def _without(pattern: Pattern, text: str) -> str:
    """The text after all matches of a pattern are removed, again and again."""
    while (shorter := pattern.sub("", text).strip()) != text:
        text = shorter
    return text
