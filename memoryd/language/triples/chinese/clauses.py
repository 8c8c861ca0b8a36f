"""What a Chinese sentence tells: shapes of clauses, tried from the most particular to the most general.

A clause is subject, adverbials (how often, under what condition, not) and a core; the cores are the rules of
`chinese_cores`. Whatever is not plainly said of somebody tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from memoryd.language.triples import degrees
from memoryd.language.triples.chinese import words
from memoryd.language.triples.chinese.actions import split_objects
from memoryd.language.triples.chinese.patterns import CORES
from memoryd.language.triples.clause_rules import Said, said_by
from memoryd.language.triples.kinship import KIN_ZH, PEOPLE_ZH
from memoryd.language.triples.mentioned_entities import Reading
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import FAVORITE_OF
from memoryd.language.triples.statement import Statement

_CLAUSES = re.compile(r"[，,：:]|(?:但是|可是|而且|并且)(?=.)|不过(?=[我他她它主用也还很])")
_FREQUENCY = re.compile(words.FREQUENCY)
_CONDITION = re.compile(rf"(?P<condition>{words.CONDITION})(?P<comma>[，,]?)")
_NOT = re.compile(words.NOT)
_ADVERB = re.compile(words.ADVERB)
_DEGREE = re.compile(degrees.ZH)
_GIVEN = (
    r"(?:(?![比我你他她它的是在有叫住也不很都就喜爱讨怕会对和跟养今最没刚去来要想从给让把被总还已])"
    r"[\u4e00-\u9fff])"
)
_NAMED_KIN = re.compile(
    rf"(?P<own>{words.OWN})(?:家)?的?(?P<kin>{words.KIN})(?P<name>{words.NAME}|{_GIVEN}{{2,3}})?"
)
_SUBJECT = re.compile(rf"(?P<own>{words.OWN})(?!们)|(?P<other>{words.OTHER})(?!们)")
_OF_OTHER = re.compile(rf"(?P<name>{words.NAME})的(?P<kin>{words.KIN})")
_FAMILY = re.compile(
    r"(?:妈妈|母亲|老妈|爸爸|父亲|老爸|哥哥|弟弟|姐姐|妹妹|儿子|女儿|妻子|老婆"
    r"|丈夫|老公|女朋友|男朋友|奶奶|外婆|姥姥|爷爷|外公|姥爷)(?=[^们和跟、])"
)
_DOUBLE = re.compile(r"(?P<first>[\u4e00-\u9fff])(?P=first)")
_NO_NAMES = frozenset(
    "天天 常常 刚刚 慢慢 渐渐 仅仅 偏偏 往往 处处 时时 人人 个个 家家 年年 月月 "
    "日日 多多 好好 谢谢 哈哈 嘻嘻 呵呵 宝宝".split()
)
_STEPS = 6
"""Adverbials before a core."""


def read_sentence(sentence: str, reading: Reading) -> Iterator[Statement]:
    """The statements of one sentence; `reading` remembers who was spoken of."""
    plain = sentence.strip()
    if words.IMPERATIVE.match(plain) or words.SILENT.search(plain):
        return
    reading.begin_sentence()
    is_past = bool(words.PAST.search(plain))
    is_event = False
    condition: str | None = None
    for clause in _CLAUSES.split(plain):
        clause = words.TAIL.sub("", clause.strip())
        if not clause:
            continue
        if is_past:
            if not words.NOW.match(clause):
                if re.match(words.OWN, clause):
                    reading.speak_of(OWN)
                continue
            is_past = bool(words.PAST.search(clause))
        is_event = bool(words.EVENT.search(clause))
        alone = _CONDITION.fullmatch(clause)
        if alone and not _whole(clause, reading):
            condition = clause
            continue
        for one in _read_clause(clause, reading, is_event):
            yield replace(one, condition=one.condition or condition, words=clause)
        condition = None


def _whole(clause: str, reading: Reading) -> bool:
    return any(True for _ in _read_clause(clause, reading.copy(), False))


def _read_clause(clause: str, reading: Reading, is_event: bool) -> Iterator[Statement]:
    while lead := words.LEAD.match(clause):
        clause = clause[lead.end() :]
    if is_event:
        clause = words.EVENT.sub("", clause, count=1).lstrip("的")
    yield from _clause_shapes(clause, reading, is_event)


def _clause_shapes(clause: str, reading: Reading, is_event: bool) -> Iterator[Statement]:
    told = list(_relations(clause, reading)) if not is_event else []
    if told:
        yield from told
        return
    condition, frequency, rest = _before_subject(clause)
    for subject, kin, core in _subjects(rest, reading):
        said = list(_predicated(core, condition, frequency, is_event))
        if not said:
            continue
        yield from _told(subject, kin, said, reading)
        return


def _before_subject(clause: str) -> tuple[str | None, str | None, str]:
    """A condition and a frequency at the beginning of a clause, and what follows."""
    condition = frequency = None
    match = _CONDITION.match(clause)
    if match and re.match(words.OWN, clause[match.end() :]):
        condition, clause = match["condition"], clause[match.end() :]
    match = _FREQUENCY.match(clause)
    if match:
        frequency, clause = match.group(), clause[match.end() :].lstrip("，,")
    return condition, frequency, clause


def _subjects(clause: str, reading: Reading) -> Iterator[tuple[str, str | None, str]]:
    """Who the clause may be about, with the relation when it is a relative of the user, and what is said."""
    match = _NAMED_KIN.match(clause)
    if match and match["name"]:
        name, relation = match["name"], KIN_ZH.get(match["kin"])
        for end in {len(name), 3, 2}:
            if 1 < end <= len(name) and relation:
                yield name[:end], f"{relation}_of", clause[match.start("name") + end :]
    if match:
        relation = PEOPLE_ZH[match["kin"]]
        yield reading.relative(relation), None, clause[match.end("kin") :]
    match = _FAMILY.match(clause)
    if match:
        yield reading.relative(KIN_ZH[match.group()]), None, clause[match.end() :]
    match = _SUBJECT.match(clause)
    if match:
        who = OWN if match["own"] else reading.third
        if who:
            yield who, None, clause[match.end() :]
        return
    match = _OF_OTHER.match(clause)
    if match:
        yield f"{match['name']}'s {KIN_ZH[match['kin']]}", None, clause[match.end() :]
    for name in sorted(reading.known, key=len, reverse=True):
        if clause.startswith(name):
            yield name, None, clause[len(name) :]
    match = _DOUBLE.match(clause)
    if match and match.group() not in _NO_NAMES and match.group() not in PEOPLE_ZH:
        yield match.group(), None, clause[match.end() :]
    match = re.match(words.NAME, clause)
    if match:
        for end in dict.fromkeys((match.end(), match.end() - 1)):
            if end > 1:
                yield clause[:end], None, clause[end:]
    if reading.carried:
        yield reading.carried, None, clause


def _predicated(rest: str, condition: str | None, frequency: str | None, is_event: bool) -> Iterator[Said]:
    """What is said after the subject: adverbials taken off one by one until a core fits."""
    negation = False
    degree: str | None = None
    for _ in range(_STEPS):
        rest = rest.lstrip()
        if not rest:
            return
        found = said_by(CORES, rest, negation, is_habit=bool(frequency or condition), is_event=is_event)
        if found:
            for one in found:
                yield replace(
                    one,
                    frequency=frequency and frequency.rstrip("都会"),
                    condition=condition,
                    degree=degrees.joined(degree, one.degree),
                )
            return
        match = _FREQUENCY.match(rest)
        if match:
            frequency, rest = frequency or match.group(), rest[match.end() :]
            continue
        match = _NOT.match(rest)
        if match:
            negation, rest = not negation, rest[match.end() :]
            continue
        match = _ADVERB.match(rest)
        if match:
            rest = rest[match.end() :]
            continue
        match = _DEGREE.match(rest)
        if match:
            degree, rest = degrees.joined(degree, match.group()), rest[match.end() :]
            continue
        match = _CONDITION.match(rest)
        if match and condition is None:
            condition, rest = match["condition"], rest[match.end() :]
            continue
        return


def _told(subject: str, kin: str | None, said: list[Said], reading: Reading) -> Iterator[Statement]:
    reading.speak_of(subject)
    if kin:
        reading.name_relative(kin, subject)
        yield Statement(subject, kin, OWN)
    for one in said:
        who = subject
        if one.new_name:  # 我妹妹叫小雨: she is called by it from here on
            relation = reading.relation_of(subject)
            if relation:
                reading.name_relative(relation, one.object)
                yield Statement(one.object, relation, OWN)
                continue
        if one.about:
            reading.speak_of(one.about)
            who = one.about
        yield Statement(
            who, one.predicate, one.object, one.negation, one.frequency, one.condition, one.degree
        )


_PERSON = rf"(?:{words.OWN}|{words.OTHER}|{words.NAME})"
_IS_KIN = re.compile(
    rf"(?P<who>.{{1,8}}?)(?P<not>不)?是(?P<whose>{_PERSON})(?:家)?的?(?:一个|一位)?(?P<adjective>最?(?:好"
    r"|亲|老|新|大学|高中|初中)的?)?"
    rf"(?P<kin>{words.KIN})"
)
_ARE = re.compile(
    rf"(?P<first>{_PERSON}|[\u4e00-\u9fff]{{2,3}}?)(?:和|跟|与)(?P<second>{_PERSON}|[\u4e00-\u9fff]{{2,3}}?)"
    rf"(?P<not>不)?(?:都)?是(?:最好的|好|很好的|多年的?|老|十?[几多]?年的?)?(?P<kin>{words.KIN})"
)
_HAS_KIN = re.compile(
    rf"(?P<who>{words.OWN})(?:还)?(?P<not>没)?有(?:一|两|三)?(?:个|位|名)?(?:叫(?P<called>[\u4e00-\u9fffA-Za-z]{{2,8}})的)?"
    rf"(?:好|亲|老|大学|高中|初中|双胞胎|远房|最好的)?(?P<kin>{words.KIN})(?:(?:名字)?叫做?(?P<name>[\u4e00-\u9fffA-Za-z]{{2,10}}))?"
)
_CALLED = re.compile(
    r"(?:大家|朋友们?|同事们?|同学们?|家人|家里人|别人|身边的人|他们|人家)(?:平时)?(?:都"
    rf"|一般|通常)?(?:叫|喊|称呼?)(?P<who>{words.OWN})(?:为|作|做)?"
    r"(?P<name>(?![别去来快不多早回帮做吃起过])[\u4e00-\u9fff]{1,4}|[A-Za-z]{1,12})"
)
_MY_KIN_IS = re.compile(
    rf"(?P<who>{_PERSON}|[\u4e00-\u9fff]{{2}}(?=的))(?:的[\u4e00-\u9fff]{{0,3}}?)?(?P<kin>{words.KIN})(?:的?名字)?(?:是|叫做?)(?P<name>{words.NAME}"
    rf"|[\u4e00-\u9fff]{{2}}|[A-Z][a-z]+)"
)


_MY_FAVORITE = re.compile(
    rf"(?P<o>[^，,是]{{1,15}})是(?P<who>{words.OWN})最(?:喜欢|爱|喜爱)(?:吃|喝"
    rf"|看|听|玩|去|读)?的(?P<kind>[^，,的]{{1,5}})"
)


def _my_favorite(clause: str, _: Reading) -> Iterator[Statement]:
    match = _MY_FAVORITE.fullmatch(clause)
    if match:
        for one in split_objects(match["o"]):
            yield Statement(OWN, FAVORITE_OF.get(match["kind"], "favorite"), one)


def _relations(clause: str, reading: Reading) -> Iterator[Statement]:
    """Clauses that say what people are to one another."""
    for shape in (_my_favorite, _are, _is_kin, _has_kin, _called, _my_kin_is):
        told = list(shape(clause, reading))
        if told:
            yield from told
            return


def _are(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _ARE.fullmatch(clause)
    if not match or match["kin"] not in KIN_ZH:
        return
    first, second = (reading.person(match[name], words.OWN, words.OTHER) for name in ("first", "second"))
    if not first or not second or first == second:
        return
    if first == OWN:
        first, second = second, first
    reading.speak_of(first)
    yield Statement(first, f"{KIN_ZH[match['kin']]}_of", second, bool(match["not"]))


def _is_kin(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _IS_KIN.fullmatch(clause)
    if not match:
        return
    whose = reading.person(match["whose"], words.OWN, words.OTHER)
    who = reading.person(match["who"], words.OWN, words.OTHER)
    if who == OWN and re.fullmatch(words.OWN, match["whose"]):
        return
    known = (
        who == OWN
        or (match["who"] in reading.known)
        or re.fullmatch(rf"{words.NAME}|{words.OTHER}|[\u4e00-\u9fff]{{2,4}}|[A-Za-z]{{2,15}}", match["who"])
    )
    if re.match("[大初高][一二三四]", match["whose"]):  # 大三学生
        return
    if not who or not whose or not known or who in PEOPLE_ZH or who[-1] in "都就也还不才只":
        return
    reading.speak_of(who)
    yield Statement(who, f"{KIN_ZH.get(match['kin'], '')}_of", whose, bool(match["not"]))


def _has_kin(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _HAS_KIN.fullmatch(clause)
    if not match or match["kin"] not in KIN_ZH:
        return
    relation, name = KIN_ZH[match["kin"]], match["called"] or match["name"]
    if name:
        reading.name_relative(f"{relation}_of", name)
    elif relation in ("friend", "colleague", "classmate", "neighbor"):
        return
    who = name or reading.relative(relation)
    reading.speak_of(who)
    yield Statement(who, f"{relation}_of", OWN, bool(match["not"]))


def _called(clause: str, _: Reading) -> Iterator[Statement]:
    match = _CALLED.fullmatch(clause)
    if match:
        yield Statement(OWN, "nickname", match["name"])


def _my_kin_is(clause: str, reading: Reading) -> Iterator[Statement]:
    match = _MY_KIN_IS.fullmatch(clause)
    if not match or match["kin"] not in KIN_ZH or words.JOB.search(match["name"]):
        return
    relation = f"{KIN_ZH[match['kin']]}_of"
    who = reading.person(match["who"], words.OWN, words.OTHER)
    if not who or who in PEOPLE_ZH:
        return
    if who == OWN:
        reading.name_relative(relation, match["name"])
    reading.speak_of(match["name"])
    yield Statement(match["name"], relation, who)
