"""What a match of a Chinese rule means: its objects, cleaned, under a predicate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryd.language.triples.chinese import words
from memoryd.language.triples.clause_rules import Said, Tell
from memoryd.language.triples.kinship import PEOPLE_ZH
from memoryd.language.triples.names import OWN
from memoryd.language.triples.predicates import FAVORITE_OF

_MAX_OBJECT = 20
_AND = re.compile(r"、|(?<![温随共暖])(?:和|跟|与|以及|还有)(?![平服牛弦面谐气睦尚])|[，,]")
_COUNT = re.compile(rf"^{words.COUNT}(?=.)")
_TAIL = re.compile(r"(?:了|的|呢|吧|啊|哦|呀|啦|嘛|之类的|什么的|等等?)$")
_EAT = re.compile(r"^(?:吃|喝)(?=.)(?!素$)")


def split_objects(phrase: str) -> list[str]:
    """The objects of a coordination, cleaned; none when one of them cannot be one."""
    if re.match(r"[这那]|在.*、", phrase):
        return []
    found = [cleaned(part) for part in _AND.split(phrase)]
    return found if all(found) else []


def cleaned(phrase: str) -> str:
    """An object without counts, classifiers and particles; empty when it cannot be one."""
    plain = _EAT.sub("", _TAIL.sub("", phrase.strip(" “”\"'《》")).strip("《》"))
    plain = _COUNT.sub("", plain).strip("《》")
    if not plain or len(plain) > _MAX_OBJECT or words.BAD_OBJECT.search(plain):
        return ""
    return plain


def objects(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        for one in split_objects(match["o"]):
            yield Said(predicate, one, negation)

    return tell


def one_object(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = cleaned(match["o"])
        if one:
            yield Said(predicate, one, negation)

    return tell


def favorite(match: re.Match[str], negation: bool) -> Iterator[Said]:
    predicate = FAVORITE_OF.get(match["kind"], "favorite")
    for one in split_objects(match["o"]):
        yield Said(predicate, one, negation)


def born(match: re.Match[str], negation: bool) -> Iterator[Said]:
    place_or_date = match["o"]
    is_date = bool(words.DATE.match(place_or_date))
    one = place_or_date if is_date else cleaned(place_or_date)
    if one and (is_date or not re.search(r"[0-9年月日]", one)):
        yield Said("born_on" if is_date else "born_in", one, negation)


def birthday(match: re.Match[str], negation: bool) -> Iterator[Said]:
    if words.DATE.match(match["o"]):
        yield Said("born_on", match["o"], negation)


def named(match: re.Match[str], negation: bool) -> Iterator[Said]:
    yield Said("name", match["o"], negation, new_name=not negation)


def lives_with(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in split_objects(match["o"]):
        who = re.sub(rf"^{words.OWN}?的?", "", one)
        yield Said("lives_with", f"{OWN}'s {PEOPLE_ZH[who]}" if who in PEOPLE_ZH else who, negation)


def place(predicate: str) -> Tell:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = (match["o"] or match["p"]).strip()
        if predicate == "lives_in" and re.search(r"[楼层]$|朋友家|酒店|宾馆|医院", one):
            return
        if one and len(one) <= _MAX_OBJECT and one not in _HERE and not words.PLACE_NOT.match(one):
            yield Said(predicate, one, negation)

    return tell


_HERE = frozenset("这 这里 这儿 那里 那儿 家 家里 外面 这边 那边 外地 一起 学校 公司".split())


def job_at(match: re.Match[str], negation: bool) -> Iterator[Said]:
    job, place = cleaned(match["o"]), match["place"]
    if not job:
        return
    if match["verb"] in ("当", "任", "担任") or words.JOB.search(job):
        yield Said("works_as", job, negation)
        if not words.PLACE_NOT.match(place) and place not in _HERE:
            yield Said("works_at", place, negation)


def is_what(match: re.Match[str], negation: bool) -> Iterator[Said]:
    """是…: occupation, origin, or what kind of thing somebody is."""
    phrase = match["o"]
    one = cleaned(phrase)
    if not one or (one in PEOPLE_ZH and one not in ("老师", "教练", "老板")) or "的" in one[-1:]:
        return
    from_place = re.fullmatch(r"(?P<place>[\u4e00-\u9fff]{2,6}?)(?:本地)?人", one)
    if from_place and not re.search(
        r"(?:[男女老好坏大爱名个本病商]|主持|候选|代理|负责|机器|陌生|聪明|创始|年轻"
        r"|成年|有钱|外地|本地|当地)$|[的很个]",
        from_place["place"],
    ):
        yield Said("comes_from", from_place["place"], negation)
    elif (
        words.JOB.search(one)
        and not words.NOT_JOB.search(one)
        and not re.search(r"[我的你他她]|主人|用户", one)
    ):
        yield Said("works_as", one, negation)
    elif (match["count"] and not re.search(rf"人$|很|的{words.KIN}$", one)) or re.search(
        r"(?:者|迷|控|党|座|型|派|猫|狗|犬|左撇子|独生子|独生女|粉丝|爱好者|血)$", one
    ):
        yield Said("is_a", one, negation)


def pet(match: re.Match[str], negation: bool) -> Iterator[Said]:
    kind = cleaned(match["kind"])
    name = match.groupdict().get("name") or match.groupdict().get("name2")
    if not kind:
        return
    if name:
        yield Said("has_pet", name, negation)
        yield Said("is_a", kind, negation, about=name)
    else:
        yield Said("has_pet", kind, negation)


def has(match: re.Match[str], negation: bool) -> Iterator[Said]:
    """有…: an illness, a pet, or a thing."""
    for one in split_objects(match["o"]):
        if words.ILLNESS.search(one):
            yield Said("suffers_from", one, negation)
        elif (
            match["count"]
            and match["count"][-1] in _THINGS
            and not re.search(
                r"(?:人|孩子|娃|宝宝|时候|事|问题|想法|办法|会|梦|考试|计划|习惯|爱好|缺点|优点|机会)$", one
            )
        ):
            yield Said("owns", one, negation)


_THINGS = "只条辆台部本把套间款双件匹架栋幢棵盆块张支"
"""Classifiers of things one can own; 个 is of anything."""


def status(match: re.Match[str], negation: bool) -> Iterator[Said]:
    word = match["o"]
    status = {"结婚": "已婚", "结了婚": "已婚", "成家": "已婚", "离婚": "离异", "离了婚": "离异"}.get(
        word, word
    )
    yield Said("marital_status", status, negation)


def speaks(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in re.findall(words.LANGUAGES, match["o"]):
        yield Said("speaks", one, negation)


def can(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in _AND.split(match["o"]):
        if words.SKILL.match(one) and not words.BAD_OBJECT.search(one):
            yield Said("can", one, negation)


def does(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = re.sub(rf"(?<=去){words.NUMBER}[次趟回]", "", _TAIL.sub("", match["o"]))
    if words.VERB.match(one) and 1 < len(one) <= _MAX_OBJECT and not re.search(r"[了过着不]", one):
        yield Said("does", one, negation)
