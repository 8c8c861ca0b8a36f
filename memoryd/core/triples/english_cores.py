"""The cores of English clauses: a verb and what it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoryd.core.triples import english_words as words
from memoryd.core.triples.kin import PEOPLE_EN
from memoryd.core.triples.names import OWN
from memoryd.core.triples.predicates import FAVORITE_OF

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


@dataclass(frozen=True, slots=True)
class Said:
    """What a core says of the subject, or of `about`; new_name: the object is the subject's name."""

    predicate: str
    object: str
    negation: bool = False
    frequency: str | None = None
    new_name: bool = False
    about: str | None = None


_Tell = Callable[[re.Match[str], bool], Iterator[Said]]


@dataclass(frozen=True, slots=True)
class _Core:
    """A rule. habit: only with a frequency, or negated."""

    pattern: re.Pattern[str]
    tell: _Tell
    habit: bool = False


def said_by_core(rest: str, negation: bool, has_frequency: bool) -> Iterator[Said]:
    """What the first core that fits the whole of `rest` says; nothing when none does."""
    for core in _CORES:
        if core.habit and not (has_frequency or negation):
            continue
        match = core.pattern.fullmatch(rest)
        if match:
            found = list(core.tell(match, negation != bool(match.groupdict().get("not"))))
            if found:
                yield from found
                return


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


def _objects(predicate: str) -> _Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        for one in _split(match["o"]):
            yield Said(predicate, one, negation)

    return tell


def _one(predicate: str) -> _Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = cleaned(match["o"])
        if one:
            yield Said(predicate, one, negation)

    return tell


def _liked(predicate: str) -> _Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        found = [cleaned(_LIKED_VERB.sub("", part.strip())) for part in _AND.split(match["o"])]
        if all(one and len(one.split()) <= _MOST_WORDS for one in found):
            for one in found:
                yield Said(predicate, one, negation)

    return tell


def _prefers(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = cleaned(_LIKED_VERB.sub("", re.split(r"\s+(?:to|over|rather than|than)\s+", match["o"])[0]))
    if one:
        yield Said("prefers", one, negation)


def _named(match: re.Match[str], negation: bool) -> Iterator[Said]:
    yield Said("name", match["o"], negation, new_name=not negation)


def _favorite(match: re.Match[str], negation: bool) -> Iterator[Said]:
    kind = match["kind"].lower().split()[-1]
    for one in _split(match["o"]):
        yield Said(FAVORITE_OF.get(kind, "favorite"), one, negation)


def _date(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = match["o"].strip()
    if words.DATE.match(one):
        yield Said("born_on", re.sub(r"^the ", "", one), negation)


def _born(match: re.Match[str], negation: bool) -> Iterator[Said]:
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


def _place(predicate: str) -> _Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = cleaned(match["o"])
        if (one and re.search(r"[A-Z]", one)) or (
            one and predicate != "comes_from" and len(one.split()) <= 4
        ):
            yield Said(predicate, one, negation)

    return tell


def _at(predicate: str) -> _Tell:
    """Only what has a name of its own: a bank is no employer."""

    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        if re.match(r"an? ", match["o"]) and not re.search(r" [A-Z]", match["o"]):
            return
        one = cleaned(match["o"])
        if one and not re.match(r"(?:home|night|all|myself|hard|noon|present)\b", one):
            yield Said(predicate, one, negation)

    return tell


def _with(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for part in _AND.split(match["o"]):
        who = re.sub(r"^(?:my|the user's|his|her)\s+(?:\w+ )?(?=\w+$)", "", part.strip())
        kin = PEOPLE_EN.get(who)
        if kin:
            yield Said("lives_with", f"{OWN}'s {kin}", negation)
        elif re.fullmatch(words.NAME, who) and who not in words.NO_NAMES:
            yield Said("lives_with", who, negation)


def _job(match: re.Match[str], negation: bool) -> Iterator[Said]:
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


def _works(match: re.Match[str], negation: bool) -> Iterator[Said]:
    phrase, at, place = match["o"].partition(" at ")
    if not at:
        phrase, at, place = match["o"].partition(" for ")
    one = cleaned(phrase)
    if one:
        yield Said("works_as", one, negation)
        if place and place[0].isupper():
            yield Said("works_at", cleaned(place), negation)


def _works_at(match: re.Match[str], negation: bool) -> Iterator[Said]:
    place = match["place"]
    if not re.match(r"an? (?!.*[A-Z])|(?:home|night|all|myself|hard|noon|present)\b", place) and cleaned(
        place
    ):
        yield Said("works_at", cleaned(place), negation)
    if match["o"] and cleaned(match["o"]):
        yield Said("works_as", cleaned(match["o"]), negation)


def _study(match: re.Match[str], negation: bool) -> Iterator[Said]:
    phrase, at, place = match["o"].partition(" at ")
    for one in _split(phrase):
        if not re.match(r"(?:hard|abroad|for|in|at|with|late)\b", one):
            yield Said("studies", one, negation)
    if at and cleaned(place):
        yield Said("studies_at", cleaned(place), negation)


def _speaks(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in re.findall(words.LANGUAGES, match["o"]):
        yield Said("speaks", one, negation)


def _can(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = cleaned(match["o"])
    if one and words.SKILL.match(one):
        yield Said("can", one, negation)


def _has(match: re.Match[str], negation: bool) -> Iterator[Said]:
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


def _pet_named(match: re.Match[str], negation: bool) -> Iterator[Said]:
    kind = match["kind"].strip()
    if words.PETS.search(kind):
        yield Said("has_pet", match["o"], negation)
        yield Said("is_a", kind, negation, about=match["o"])


def _age(match: re.Match[str], negation: bool) -> Iterator[Said]:
    yield Said("age", match["o"], negation)


def _does(match: re.Match[str], negation: bool) -> Iterator[Said]:
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


_O = r"(?P<o>.{1,80})"


def _core(pattern: str, tell: _Tell, **flags: bool) -> _Core:
    return _Core(re.compile(pattern), tell, **flags)


_BE = r"(?:am|is|are)"
_CORES = (
    _core(rf"my (?:full |first |last )?name is(?P<not> not)? (?P<o>{words.NAME})", _named),
    _core(rf"my nickname is (?P<o>{words.NAME}|\w+)", _one("nickname")),
    _core(rf"{_BE} (?:called|named) (?P<o>{words.NAME})", _named),
    _core(rf"(?:goes|go) by (?P<o>{words.NAME}|[A-Z]\w+)", _one("nickname")),
    _core(r"(?:my|'s) (?:birthday|birth date|date of birth)(?: is| falls)(?: on)? (?P<o>.{3,30})", _date),
    _core(r"birthday is(?: on)? (?P<o>.{3,30})", _date),
    _core(r"(?:was|were) born (?:on|in) (?P<o>.{2,60})", _born),
    _core(
        r"(?:am|is|are) (?P<o>(?:one|two|three|four|five|six|seven|eight|nine|ten"
        r"|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)) "
        r"years? old",
        _age,
    ),
    _core(
        rf"{_BE} (?P<o>\d{{1,3}}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty"
        r"|ninety)(?:-\w+)?)(?: years? old| years of age)?",
        _age,
    ),
    _core(r"(?:just |recently )?turned (?P<o>\d{1,3})", _age),
    _core(
        r"(?:am|is) (?P<o>\d(?:\.\d+)? ?(?:m|meters|metres)|\d{2,3} ?cm|\d ?(?:feet"
        r"|foot|ft)(?: ?\d{1,2}(?: inches)?)?)(?: tall)?",
        _one("height"),
    ),
    _core(r"weighs? (?P<o>\d+(?:\.\d+)? ?(?:kg|kilos|kilograms|pounds|lbs))", _one("weight")),
    _core(rf"my favou?rite (?P<kind>[\w ]{{2,30}}?) (?:is|are) {_O}", _favorite),
    _core(
        rf"my (?P<kind>[\w ]{{2,25}}?)(?: is|'s name is)(?: named| called) (?P<o>{words.NAME})", _pet_named
    ),
    _core(rf"my (?P<kind>[\w ]{{2,25}}?)'s name is (?P<o>{words.NAME})", _pet_named),
    _core(rf"my hobb(?:y|ies) (?:is|are) {_O}", _liked("likes")),
    _core(rf"my (?:job|occupation|profession) is (?:being )?{_O}", _one("works_as")),
    _core(rf"my (?:hometown|home town) is {_O}", _place("comes_from")),
    _core(rf"my major is {_O}", _objects("studies")),
    _core(rf"my (?:mother tongue|native language|first language) is (?P<o>{words.LANGUAGES})", _speaks),
    _core(
        rf"(?:can not stand|can not bear|hates?|dislikes?|detests?|loathes?|despises?|can not tolerate) {_O}",
        lambda m, _: _liked("dislikes")(m, False),
    ),
    _core(
        rf"{_BE} (?:really |very |quite |so |extremely |terribly )?(?:not )?(?:afraid"
        rf"|scared|terrified|frightened) of {_O}",
        _objects("fears"),
    ),
    _core(rf"fears? {_O}", _objects("fears")),
    _core(
        rf"{_BE}(?P<not> not)? (?:severely |highly |mildly |very |slightly |deathly "
        rf"|really )?allergic to {_O}",
        _objects("allergic_to"),
    ),
    _core(rf"ha(?:ve|s) an? (?:\w+ )?allergy to {_O}", _objects("allergic_to")),
    _core(r"ha(?:ve|s) an? (?:severe |mild |bad |serious )?(?P<o>\w+) allergy", _objects("allergic_to")),
    _core(rf"suffers? from {_O}", _objects("suffers_from")),
    _core(rf"(?:was|has been|have been) diagnosed with {_O}", _objects("suffers_from")),
    _core(
        rf"{_BE} (?:really |very |a big |a huge )?(?:fond of|into|keen on|fan of|crazy "
        rf"about|passionate about) {_O}",
        _liked("likes"),
    ),
    _core(rf"would rather {_O}", _prefers),
    _core(rf"prefers? {_O}", _prefers),
    _core(rf"(?:really )?(?:loves?|likes?|enjoys?|adores?) {_O}", _liked("likes")),
    _core(rf"{_BE} originally from {_O}", _place("comes_from")),
    _core(rf"(?:comes?|came|{_BE}|hails?) (?:originally )?from {_O}", _place("comes_from")),
    _core(rf"grew up in {_O}", _place("comes_from")),
    _core(rf"(?:lives?|{_BE} living|resides?|{_BE} based) with {_O}", _with),
    _core(
        rf"(?:lives?|{_BE} living|resides?|{_BE} based|{_BE} located) in (?P<o>.{{2,60}}?)(?: "
        r"(?:with|near|for) .*)?",
        _place("lives_in"),
    ),
    _core(
        r"(?:have |has )?(?:just |recently )?(?:moved|relocated) (?:back )?to (?P<o>[^,]{2,50}?)(?: "
        r"from .*| (?:with|for|because) .*)?",
        _place("lives_in"),
    ),
    _core(rf"(?:works?|{_BE} (?:working|employed)) as {_O}", _works),
    _core(
        rf"(?:works?|{_BE} (?:working|employed)) (?:at|for) (?P<place>.{{1,60}}?)(?: as (?P<o>an? .+))?",
        _works_at,
    ),
    _core(rf"(?:stud(?:y|ies)|{_BE} studying|majors? in|{_BE} majoring in) at {_O}", _at("studies_at")),
    _core(r"(?:goes|go) to (?P<o>[A-Z].*(?:University|College|School|Institute))", _at("studies_at")),
    _core(
        rf"(?:stud(?:y|ies)|{_BE} studying|majors? in|{_BE} majoring in|{_BE} learning|learns?) {_O}", _study
    ),
    _core(r"graduated from (?P<o>.{2,60}?)(?: in (?:19|20)\d\d| with .*| last .*)?", _one("graduated_from")),
    _core(rf"(?:can |can fluently )?speaks? (?P<o>.*{words.LANGUAGES}.*)", _speaks),
    _core(rf"can(?P<not> not)? (?:also |really |even )?speak (?P<o>.*{words.LANGUAGES}.*)", _speaks),
    _core(rf"{_BE} fluent in (?P<o>.*{words.LANGUAGES}.*)", _speaks),
    _core(rf"can(?P<not> not)? (?:also |really |even )?{_O}", _can),
    _core(rf"(?:knows?|know)(?P<not> not)? how to {_O}", _can),
    _core(
        rf"{_BE} (?P<o>single|married|divorced|engaged|widowed|separated)(?: now)?(?: (?:with|to) .*)?",
        _one("marital_status"),
    ),
    _core(rf"(?:has|have)(?: got)? {_O}", _has),
    _core(rf"owns? {_O}", _objects("owns")),
    _core(rf"(?:{_BE}|ha(?:ve|s) been) (?:an? |the (?=\w+$)){_O}", _job),
    _core(rf"plays? (?!with|around|a role|tricks|for)(?:the )?{_O}", _objects("plays")),
    _core(rf"eats? {_O}", _objects("eats"), habit=True),
    _core(rf"drinks? {_O}", _objects("drinks"), habit=True),
    _core(_O, _does, habit=True),
)
