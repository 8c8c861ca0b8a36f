"""What an English sentence tells: subject, adverbs, a verb of the vocabulary, and what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryd.language.triples import degrees
from memoryd.language.triples.clause_rules import said_by
from memoryd.language.triples.english import words
from memoryd.language.triples.english.patterns import CORES
from memoryd.language.triples.kinship import KIN_EN, PEOPLE_EN
from memoryd.language.triples.mentioned_entities import Reading
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import FAVORITE_OF
from memoryd.language.triples.statement import Statement

_SHORT = (
    (re.compile(r"\b(I)['’]m\b"), r"\1 am"),
    (re.compile(r"\b(I|[Tt]hey)['’]ve\b"), r"\1 have"),
    (re.compile(r"\b(can)(?:no|['’])t\b"), r"\1 not"),
    (re.compile(r"\b(do|does|did|is|are|was|has|have)n['’]t\b"), r"\1 not"),
    (re.compile(r"\b([Ss]he|[Hh]e|[Ii]t|name)['’]s\b"), r"\1 is"),
    (re.compile(r"\b(they)['’]re\b", re.IGNORECASE), r"\1 are"),
    (
        re.compile(
            r"(?<=\w)['’]s(?= (?:an?|afraid|allergic|from|called|named|married|single"
            r"|also|very|really|in love)\b)"
        ),
        " is",
    ),
    (re.compile(r"’"), "'"),
)
_CLAUSES = re.compile(
    rf"\s*;\s*|,?\s+(?:but|and|so|while|because|although|though)\s+(?={words.OWN}\b"
    r"|[Mm]y |[Ss]he |[Hh]e |[Ii]t |[Tt]hey |"
    r"(?:have|has|am|is|do not|does not|live|lives|work|works|love|loves|like"
    r"|likes|hate|hates|play|plays|speak|speaks|can|study|studies|prefer|prefers"
    r"|enjoy|enjoys|drink|drinks|eat|eats|own|owns)\b)"
    rf"|,\s*(?={words.OWN} |[Mm]y |[Ss]he |[Hh]e )"
)
_ASIDE = re.compile(
    r"\s+[-–—]+\s.*$|,\s*(?:but|especially|'?cause|because|which|who|so|even|particularly"
    r"|except|plus|since|although|though|as|like)\b.*$"
)
_PAST = re.compile(r"\b(?:was|were|had|took|went|did|got|came|saw|made|\w+ed)\b")
_THIRD_PERSON = re.compile(
    r"(?:\w+s|can|moved|grew|graduated|turned|recently|relocated|just|also|really"
    r"|always|never|usually|often|sometimes|originally|still|now|not|'s|rarely"
    r"|seldom|came)\b"
)
_CONDITION_FIRST = re.compile(rf"^(?P<condition>{words.CONDITION}?),\s*(?P<rest>.+)$", re.IGNORECASE)
_CONDITION_LAST = re.compile(
    r"^(?P<rest>.+?),?\s(?P<condition>(?:when(?:ever)?|while|after|before|unless"
    r"|if|during|as long as) .{2,60})$",
    re.IGNORECASE,
)
_FREQUENCY_FIRST = re.compile(
    rf"^(?P<frequency>{words.FREQUENCY}|{words.BEFORE_VERB}),?\s+(?P<rest>.+)$", re.IGNORECASE
)
_FREQUENCY_LAST = re.compile(rf"^(?P<rest>.+?),?\s+(?P<frequency>{words.FREQUENCY})$", re.IGNORECASE)
_STEP = re.compile(
    rf"^(?:(?P<frequency>{words.BEFORE_VERB})|(?P<not>(?:do|does|am|is|are|can"
    rf"|has|have)? ?(?:not|never))|(?P<adverb>{words.ADVERB}))\s+",
    re.IGNORECASE,
)
_STEPS = 5
_DEGREE = re.compile(degrees.EN, re.IGNORECASE)
_DEGREE_LAST = re.compile(rf"\s(?P<degree>{degrees.EN_LAST})[\s.,!]*$", re.IGNORECASE)
_NAMED_KIN = re.compile(
    rf"{words.MY} (?P<lead>{words.KIN_LEAD})(?P<kin>{words.KIN})(?:,? (?:named "
    rf"|called )?(?P<name>{words.NAME}),?)?(?= |'s )"
)
_KIN_OF_NAME = re.compile(rf"(?P<name>{words.NAME})'s (?P<kin>{words.ONE_KIN})(?= )")
_HE = re.compile(r"(?:he|she|it)(?= )", re.IGNORECASE)
_PRONOUN = r"(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey)"


def read_sentence(sentence: str, reading: Reading) -> Iterator[Statement]:
    """The statements of one sentence; `reading` remembers who was spoken of."""
    plain = sentence.strip().rstrip(".!;").strip()
    is_question = sentence.rstrip().endswith("?")
    moved = words.MOVED.search(plain)
    if moved:
        plain = re.sub(
            r"\b(?:last \w+|this \w+|recently|in (?:19|20)\d\d|\w+ \w+ ago),?\s*",
            "",
            plain,
            flags=re.IGNORECASE,
        ).strip()
    reading.begin_sentence()
    if is_question or words.STARTS_SILENT.match(plain) or words.SILENT.search(plain):
        return
    condition, plain = _condition_first(plain)
    for pattern, full in _SHORT:
        plain = pattern.sub(full, plain)
    for clause in [plain] if _ARE.fullmatch(plain) else _CLAUSES.split(plain):
        yield from _read_clause(clause.strip(" ,"), reading, condition)
        condition = None


def _condition_first(plain: str) -> tuple[str | None, str]:
    match = _CONDITION_FIRST.match(plain)
    return (match["condition"], match["rest"]) if match else (None, plain)


def _read_clause(clause: str, reading: Reading, condition: str | None) -> Iterator[Statement]:
    while lead := words.LEAD.match(clause):
        clause = clause[lead.end() :]
    frequency: str | None = None
    if match := _FREQUENCY_FIRST.match(clause):
        frequency, clause = match["frequency"], match["rest"]
    told = list(_relations(clause, reading))
    if told:
        yield from told
        return
    match = _CONDITION_LAST.match(clause)
    if match and _PAST.search(match["condition"]):
        return
    if match:
        condition, clause = match["condition"], match["rest"]
    if match := _FREQUENCY_LAST.match(clause):
        frequency, clause = frequency or match["frequency"], match["rest"]
    for subject, relation, rest in _subjects(_ASIDE.sub("", clause), reading):
        if not subject.startswith(OWN) and not _THIRD_PERSON.match(rest.strip()):
            return
        yield from _told(subject, relation, rest.strip(), frequency, condition, reading)
        return


def _subjects(clause: str, reading: Reading) -> Iterator[tuple[str, str | None, str]]:
    """Who the clause may be about, with the relation when it is a named relative, and what is said."""
    if match := _NAMED_KIN.match(clause):
        relation = PEOPLE_EN[match["kin"]]
        if match["name"] and _is_name(match["name"]) and match["kin"] in KIN_EN:
            yield match["name"], f"{relation}_of", clause[match.end() :]
        yield reading.relative(relation), None, clause[match.end() :]
        return
    if match := re.match(rf"{words.OWN}(?= )", clause):
        yield OWN, None, clause[match.end() :]
        return
    if match := _HE.match(clause):
        if reading.third:
            yield reading.third, None, clause[match.end() :]
        return
    if match := re.match(rf"{words.MY} (?P<thing>.+)", clause):
        yield OWN, None, f"my {match['thing']}"
        return
    if match := _KIN_OF_NAME.match(clause):
        yield f"{match['name']}'s {KIN_EN[match['kin']]}", None, clause[match.end() :]
        return
    if (match := re.match(rf"(?P<name>{words.NAME})(?:'s)?(?= )", clause)) and _is_name(match["name"]):
        yield match["name"], None, clause[match.end("name") :]
        return
    if reading.carried:
        yield reading.carried, None, clause


def _is_name(name: str) -> bool:
    return not any(word in words.NO_NAMES for word in name.split()) and not name.endswith("ing")


def _told(
    subject: str,
    relation: str | None,
    rest: str,
    frequency: str | None,
    condition: str | None,
    reading: Reading,
) -> Iterator[Statement]:
    reading.speak_of(subject)
    if relation:
        reading.name_relative(relation, subject)
        yield Statement(subject, relation, OWN)
    negation = False
    last = _DEGREE_LAST.search(rest)
    degree = last and last["degree"].lower()
    for _ in range(_STEPS):
        said = said_by(CORES, rest, negation, is_habit=bool(frequency or condition))
        if said:
            break
        match = _STEP.match(rest)
        if match is None:
            return
        is_be = bool(match["not"]) and match["not"].split()[0].lower() in ("am", "is", "are")
        if match["frequency"] == "almost never" or match["not"]:
            negation = not negation
        elif match["frequency"]:
            frequency = frequency or match["frequency"]
        elif _DEGREE.fullmatch(match["adverb"]):
            degree = degrees.joined(match["adverb"].lower(), degree)
        rest = ("is " if is_be else "") + rest[match.end() :]
    else:
        return
    for one in said:
        who = subject
        if one.new_name and (kin := reading.relation_of(subject)):
            reading.name_relative(kin, one.object)
            reading.speak_of(one.object)
            yield Statement(one.object, kin, OWN)
            continue
        if one.about:
            reading.speak_of(one.about)
            who = one.about
        yield Statement(
            who,
            one.predicate,
            one.object,
            one.negation,
            one.frequency or frequency,
            condition,
            degrees.joined(one.degree, degree),
        )


_WHO = rf"(?:{words.OWN}|{_PRONOUN}|{words.NAME})"
_IS_KIN = re.compile(
    rf"(?P<who>{_WHO}) (?:is|are|am)(?P<not> not)? (?P<whose>{words.MY}|(?:{words.NAME})'s"
    rf"|one of my|a) (?:\w+ )?{words.KIN_LEAD}(?P<kin>{words.KIN})(?P<of> of (?:mine"
    r"|the user))?"
)
_KIN_IS = re.compile(
    rf"(?P<whose>{words.MY}|(?:{words.NAME})'s) {words.KIN_LEAD}(?:[a-z]+ )?(?P<kin>{words.ONE_KIN})(?: "
    rf"is|'s name is| is named| is called|'s called) (?:called |named )?(?P<name>{words.NAME})"
)
_ARE = re.compile(
    rf"(?P<first>{_WHO}) and (?P<second>{_WHO}|me) (?:are|work together as|have "
    rf"been)(?P<not> not)? (?:\w+ )?{words.KIN_LEAD}(?P<kin>{words.KIN})(?: at "
    r".+| for .+| since .+)?"
)
_HAS_KIN = re.compile(
    rf"(?P<who>{words.OWN}) (?:do |does )?(?P<not>not )?have (?:an?|one|two|three"
    rf"|any) {words.KIN_LEAD}(?P<kin>{words.KIN})(?:,? (?:who is |whose name is "
    rf")?(?:named|called)? ?(?P<name>{words.NAME}))?"
)
_HAS_KIN_3 = re.compile(_HAS_KIN.pattern.replace(r"have (", r"(?:have|has) ("))
_CALLS = re.compile(
    r"(?:[Ee]veryone|[Ee]verybody|[Pp]eople|[Mm]y (?:friends|family|colleagues"
    r"|mom|mother|parents|classmates)|[Ff]riends|[Tt]hey|[Mm]ost people) (?:just "
    rf"|usually |all |always )?calls? (?P<who>me|the user) (?P<name>{words.NAME}"
    rf"|[A-Z]{{1,3}})"
)


_MY_FAVORITE = re.compile(rf"(?P<o>[A-Z][\w' -]{{1,40}}) (?:is|are) {words.MY} favou?rite (?P<kind>\w+)")


def _my_favorite(clause: str, _: Reading) -> Iterator[Statement]:
    match = _MY_FAVORITE.fullmatch(clause)
    if match and match["o"].split()[0] not in words.NO_NAMES - {"Coffee", "Music"}:
        yield Statement(OWN, FAVORITE_OF.get(match["kind"], "favorite"), match["o"])


def _relations(clause: str, reading: Reading) -> Iterator[Statement]:
    """Clauses that say what people are to one another."""
    for shape in (_my_favorite, _calls, _are, _kin_is, _is_kin, _has_kin):
        told = list(shape(clause, reading))
        if told:
            yield from told
            return


def _calls(clause: str, _: Reading) -> Iterator[Statement]:
    if match := _CALLS.fullmatch(clause):
        yield Statement(OWN, "nickname", match["name"])


def _are(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _ARE.fullmatch(clause)
    if not match:
        return
    own = rf"{words.OWN}|me"
    first, second = (reading.person(match[name], own, _PRONOUN) for name in ("first", "second"))
    relation = PEOPLE_EN[match["kin"]].removesuffix("s")
    if not first or not second or first == second or relation not in KIN_EN.values():
        return
    if first == OWN:
        first, second = second, first
    if _is_name(first) and (second == OWN or _is_name(second)):
        reading.speak_of(first)
        yield Statement(first, f"{relation}_of", second, bool(match["not"]))


def _kin_is(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _KIN_IS.fullmatch(clause)
    if not match or not _is_name(match["name"]):
        return
    whose = OWN if re.fullmatch(words.MY, match["whose"]) else match["whose"].removesuffix("'s")
    relation = f"{KIN_EN[match['kin']]}_of"
    if whose == OWN:
        reading.name_relative(relation, match["name"])
    reading.speak_of(match["name"])
    yield Statement(match["name"], relation, whose)


def _is_kin(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _IS_KIN.fullmatch(clause)
    if not match or match["kin"] not in KIN_EN:
        return
    who = reading.person(match["who"], words.OWN, _PRONOUN)
    whose = match["whose"]
    if whose == "a" and not match["of"]:
        return
    holder = OWN if whose in ("a", "one of my") or re.fullmatch(words.MY, whose) else whose.removesuffix("'s")
    if not who or who == holder or not (who == OWN or _is_name(who)):
        return
    reading.speak_of(who)
    yield Statement(who, f"{KIN_EN[match['kin']]}_of", holder, bool(match["not"]))


def _has_kin(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _HAS_KIN.fullmatch(clause) or _HAS_KIN_3.fullmatch(clause)
    if not match:
        return
    relation = PEOPLE_EN[match["kin"]].removesuffix("s")
    if relation not in KIN_EN.values() or (
        match["name"] is None and relation in ("friend", "colleague", "neighbor")
    ):
        return
    who = match["name"] or f"{OWN}'s {relation}"
    if match["name"]:
        reading.name_relative(f"{relation}_of", match["name"])
    reading.speak_of(who)
    yield Statement(who, f"{relation}_of", OWN, bool(match["not"]))
