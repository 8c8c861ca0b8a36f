"""What a match of an English rule means: its objects, cleaned, under a predicate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryd.language.triples.clause_rules import Said, Tell
from memoryd.language.triples.english import words
from memoryd.language.triples.kinship import PEOPLE_EN
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import FAVORITE_OF

_MAX_OBJECT = 60
_MOST_WORDS = 6
_AND = re.compile(r",?\s+(?:and|or)\s+|,\s+|\s+as well as\s+")
_DETERMINER = re.compile(
    r"^(?:an?|the|my|his|her|their|some|any|a little(?: bit of)?|a bit of|a lot "
    r"of|lots of|several|many|two|three|four|five|one|both|all kinds of|a cup "
    r"of|a glass of|a pair of|basic|fluent)\s+(?=\S)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:a lot|very much|so much|too|as well|at all|the most|the best|myself"
    r"|these days|now|right now|nowadays|currently|most of all|more than anything"
    r"|"
    r"well|fluently|really well|very well|a bit|a little|though|with all my heart"
    r"|since \S+.*|for (?:\S+ )?(?:years|months|weeks|ages).*|at the moment|in "
    r"my free time|in my spare time)$",
    re.IGNORECASE,
)
_LIKED_VERB = re.compile(r"^(?:(?:to )?(?:eat|drink)(?:ing)?|to)\s+(?=\S)", re.IGNORECASE)


def cleaned(phrase: str) -> str:
    """An object without determiners, counts and what trails it; empty when it cannot be one."""
    plain = phrase.strip(" .,!'\"")
    while (shorter := _TAIL.sub("", plain)) != plain:
        plain = shorter
    while (shorter := _DETERMINER.sub("", plain)) != plain:
        plain = shorter
    if not plain or len(plain) > _MAX_OBJECT or words.BAD_OBJECT.search(plain):
        return ""
    return plain


def _split(phrase: str) -> list[str]:
    found = [cleaned(part) for part in _AND.split(phrase.strip()) if part.strip()]
    if any(len(one.split()) > _MOST_WORDS for one in found):
        return []
    return found if all(found) else []


def objects(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        for one in _split(match["o"]):
            yield Said(predicate, one, negation)

    return tell


def one_object(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = cleaned(match["o"])
        if one:
            yield Said(predicate, one, negation)

    return tell


def liked(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        found = [cleaned(_LIKED_VERB.sub("", part.strip())) for part in _AND.split(match["o"])]
        if all(one and len(one.split()) <= _MOST_WORDS for one in found):
            for one in found:
                yield Said(predicate, one, negation)

    return tell


def prefers(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = cleaned(_LIKED_VERB.sub("", re.split(r"\s+(?:to|over|rather than|than)\s+", match["o"])[0]))
    if one:
        yield Said("prefers", one, negation)


def named(match: re.Match[str], negation: bool) -> Iterator[Said]:
    yield Said("name", match["o"], negation, new_name=not negation)


def favorite(match: re.Match[str], negation: bool) -> Iterator[Said]:
    kind = match["kind"].lower().split()[-1]
    for one in _split(match["o"]):
        yield Said(FAVORITE_OF.get(kind, "favorite"), one, negation)


def birthday(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = match["o"].strip()
    if words.DATE.match(one):
        yield Said("born_on", re.sub(r"^the ", "", one), negation)


def born(match: re.Match[str], negation: bool) -> Iterator[Said]:
    where_or_when = match["o"].strip()
    for part in re.split(
        r",? (?:on|in)\s(?=\d|January|February|March|April|May|June|July|August|September"
        r"|October|November|December)",
        where_or_when,
    ):
        if words.DATE.match(part):
            yield Said("born_on", part, negation)
        elif part and part[0].isupper():
            yield Said("born_in", part, negation)


def place(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = cleaned(match["o"])
        if (one and re.search(r"[A-Z]", one)) or (
            one and predicate != "comes_from" and len(one.split()) <= 4
        ):
            yield Said(predicate, one, negation)

    return tell


def named_place(predicate: str) -> Tell:
    """Only what has a name of its own: a bank is no employer."""

    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        if re.match(r"an? ", match["o"]) and not re.search(r" [A-Z]", match["o"]):
            return
        one = cleaned(match["o"])
        if one and not re.match(r"(?:home|night|all|myself|hard|noon|present)\b", one):
            yield Said(predicate, one, negation)

    return tell


def lives_with(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for part in _AND.split(match["o"]):
        who = re.sub(r"^(?:my|the user's|his|her)\s+(?:\w+ )?(?=\w+$)", "", part.strip())
        kin = PEOPLE_EN.get(who)
        if kin:
            yield Said("lives_with", f"{OWN}'s {kin}", negation)
        elif re.fullmatch(words.NAME, who) and who not in words.NO_NAMES:
            yield Said("lives_with", who, negation)


def job(match: re.Match[str], negation: bool) -> Iterator[Said]:
    """is a …: occupation, with its employer, or what kind of thing somebody is."""
    phrase, _, place = match["o"].partition(" at ")
    if not place:
        phrase, _, place = match["o"].partition(" for ")
    plain = re.split(r" (?:in|with|from|who|on|by|of) ", phrase)[0]
    one = cleaned(plain)
    if not one:
        return
    if len(one.split()) > 4:
        return
    if words.JOB.search(one) and not words.NOT_JOB.search(one):
        yield Said("works_as", one, negation)
        if place and place[0].isupper():
            yield Said("works_at", cleaned(place), negation)
    elif plain == phrase and not place and _KIND.search(one):
        yield Said("is_a", one, negation)


_KIND = re.compile(
    r"(?:vegetarian|vegan|introvert|extrovert|person|owl|bird|lover|fan|twin|only "
    r"child|aries|taurus|gemini|leo|virgo|libra|scorpio|sagittarius|capricorn"
    r"|aquarius|pisces"
    r"|christian|buddhist|muslim|atheist|teetotaler|pescatarian|perfectionist"
    r"|minimalist|retriever|poodle|corgi|labrador|beagle|terrier|husky|bulldog"
    r"|spaniel|collie|dachshund|tabby|siamese"
    r"|cat|dog|hamster|rabbit|parrot|reader|riser|sleeper|drinker|eater|smoker"
    r"|left-hander|student|mother|father|parent|widow|widower|feminist|bookworm"
    r"|workaholic|gamer|runner)$",
    re.IGNORECASE,
)


def profession(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = cleaned(match["o"])
    if one and words.JOB.search(one) and not words.NOT_JOB.search(one):
        yield Said("works_as", one, negation)


def works(match: re.Match[str], negation: bool) -> Iterator[Said]:
    phrase, at, place = match["o"].partition(" at ")
    if not at:
        phrase, at, place = match["o"].partition(" for ")
    one = cleaned(phrase)
    if one:
        yield Said("works_as", one, negation)
        if place and place[0].isupper():
            yield Said("works_at", cleaned(place), negation)


def works_at(match: re.Match[str], negation: bool) -> Iterator[Said]:
    place = match["place"]
    if not re.match(r"an? (?!.*[A-Z])|(?:home|night|all|myself|hard|noon|present)\b", place) and cleaned(
        place
    ):
        yield Said("works_at", cleaned(place), negation)
    if match["o"] and cleaned(match["o"]):
        yield Said("works_as", cleaned(match["o"]), negation)


def study(match: re.Match[str], negation: bool) -> Iterator[Said]:
    phrase, at, place = match["o"].partition(" at ")
    for one in _split(phrase):
        if not re.match(r"(?:hard|abroad|for|in|at|with|late)\b", one):
            yield Said("studies", one, negation)
    if at and cleaned(place):
        yield Said("studies_at", cleaned(place), negation)


def speaks(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in re.findall(words.LANGUAGES, match["o"]):
        yield Said("speaks", one, negation)


def can(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = cleaned(match["o"])
    if one and words.SKILL.match(one):
        yield Said("can", one, negation)


def has(match: re.Match[str], negation: bool) -> Iterator[Said]:
    """has …: a pet, an illness, or a thing."""
    phrase = match["o"]
    named = re.fullmatch(rf"(?P<kind>.+?),? (?:named|called) (?P<name>{words.NAME})", phrase)
    if named:
        kind = cleaned(named["kind"])
        if kind and words.PETS.search(kind):
            yield Said("has_pet", named["name"], negation)
            yield Said("is_a", kind, negation, about=named["name"])
        return
    for part in _AND.split(phrase):
        is_one = re.match(r"(?:an?|two|three|four|five|one|some|\d+)\s", part)
        one = cleaned(part)
        if not one:
            return
        if words.ILLNESS.search(one):
            yield Said("suffers_from", one, negation)
        elif words.PETS.search(one) and is_one:
            yield Said("has_pet", one, negation)
        elif (
            is_one
            and not words.NOT_OWNED.search(one)
            and len(one.split()) <= 5
            and not _ABOUT.search(one)
            and one.lower() not in PEOPLE_EN
        ):
            yield Said("owns", one, negation)


_ABOUT = re.compile(r"\b(?:at|about|for|to|in|on|with|who|that|of)\b")


def pet_named(match: re.Match[str], negation: bool) -> Iterator[Said]:
    kind = match["kind"].strip()
    if words.PETS.search(kind):
        yield Said("has_pet", match["o"], negation)
        yield Said("is_a", kind, negation, about=match["o"])


def age(match: re.Match[str], negation: bool) -> Iterator[Said]:
    yield Said("age", match["o"], negation)


def does(match: re.Match[str], negation: bool) -> Iterator[Said]:
    verb = match["o"].split()[0].lower()
    if (
        verb not in _NO_HABITS
        and cleaned(match["o"])
        and re.search(
            r"^(?:go|goes|run|runs|jog|jogs|walk|walks|read|reads|meditate|meditates|exercise"
            r"|exercises|swim|swims|cook|cooks|write|writes|practice|practices|practise"
            r"|practises|do|does|take|takes|watch|watches|listen|listens|call|calls|visit"
            r"|visits|train|trains|bake|bakes|clean|cleans|ride|rides|bike|bikes|cycle"
            r"|cycles|volunteer|volunteers|hike|hikes|wake|wakes|stay|stays|smoke|smokes"
            r"|skip|skips|attend|attends|teach|teaches|paint|paints|sing|sings|dance|dances"
            r"|garden|gardens|shop|shops|sleep|sleeps|nap|naps|stretch|stretches|pray"
            r"|prays|journal|journals)\b",
            match["o"],
        )
    ):
        yield Said("does", _base(match["o"]), negation)


_NO_HABITS = frozenset(
    ("am", "is", "are", "be", "feel", "feels", "think", "thinks", "know", "knows", "say", "says")
)


def _base(phrase: str) -> str:
    return phrase.strip(" .,")
