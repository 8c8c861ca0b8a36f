"""The cores of Chinese clauses: a verb and what it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoryd.core.triples import chinese_words as words
from memoryd.core.triples.kin import PEOPLE_ZH
from memoryd.core.triples.names import OWN
from memoryd.core.triples.predicates import FAVORITE_OF

_MAX_OBJECT = 20
_AND = re.compile(r"、|(?<![温随共暖])(?:和|跟|与|以及|还有)(?![平服牛弦面谐气睦尚])|[，,]")
_COUNT = re.compile(rf"^{words.COUNT}(?=.)")
_TAIL = re.compile(r"(?:了|的|呢|吧|啊|哦|呀|啦|嘛|之类的|什么的|等等?)$")
_EAT = re.compile(r"^(?:吃|喝)(?=.)(?!素$)")


@dataclass(frozen=True, slots=True)
class Said:
    """What a core says of the subject, or of `about`; new_name: the object is the subject's name."""

    predicate: str
    object: str
    negation: bool = False
    frequency: str | None = None
    condition: str | None = None
    new_name: bool = False
    about: str | None = None


@dataclass(frozen=True, slots=True)
class _Core:
    """A rule. habit: only with a frequency, or negated; event: also of a single time (上个月搬到)."""

    pattern: re.Pattern[str]
    tell: Callable[[re.Match[str], bool], Iterator[Said]]
    habit: bool = False
    event: bool = False


def said_by_core(rest: str, negation: bool, has_frequency: bool, is_event: bool) -> Iterator[Said]:
    """What the first core that fits the whole of `rest` says; nothing when none does."""
    for core in _CORES:
        if (is_event and not core.event) or (core.habit and not (has_frequency or negation)):
            continue
        match = core.pattern.fullmatch(rest)
        if match:
            found = list(core.tell(match, negation))
            if found:
                yield from found
                return


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


def _objects(predicate: str) -> Callable[[re.Match[str], bool], Iterator[Said]]:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        for one in split_objects(match["o"]):
            yield Said(predicate, one, negation)

    return tell


def _plain(predicate: str) -> Callable[[re.Match[str], bool], Iterator[Said]]:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = cleaned(match["o"])
        if one:
            yield Said(predicate, one, negation)

    return tell


def _favorite(match: re.Match[str], negation: bool) -> Iterator[Said]:
    predicate = FAVORITE_OF.get(match["kind"], "favorite")
    for one in split_objects(match["o"]):
        yield Said(predicate, one, negation)


def _born(match: re.Match[str], negation: bool) -> Iterator[Said]:
    place_or_date = match["o"]
    is_date = bool(words.DATE.match(place_or_date))
    one = place_or_date if is_date else cleaned(place_or_date)
    if one and (is_date or not re.search(r"[0-9年月日]", one)):
        yield Said("born_on" if is_date else "born_in", one, negation)


def _date(match: re.Match[str], negation: bool) -> Iterator[Said]:
    if words.DATE.match(match["o"]):
        yield Said("born_on", match["o"], negation)


def _named(match: re.Match[str], negation: bool) -> Iterator[Said]:
    yield Said("name", match["o"], negation, new_name=not negation)


def _with(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in split_objects(match["o"]):
        who = re.sub(rf"^{words.OWN}?的?", "", one)
        yield Said("lives_with", f"{OWN}'s {PEOPLE_ZH[who]}" if who in PEOPLE_ZH else who, negation)


def _place(predicate: str) -> Callable[[re.Match[str], bool], Iterator[Said]]:
    def tell(match: re.Match[str], negation: bool) -> Iterator[Said]:
        one = (match["o"] or match["p"]).strip()
        if predicate == "lives_in" and re.search(r"[楼层]$|朋友家|酒店|宾馆|医院", one):
            return
        if one and not words.PLACE_NOT.match(one) and len(one) <= _MAX_OBJECT and one not in _HERE:
            yield Said(predicate, one, negation)

    return tell


_HERE = frozenset("这 这里 这儿 那里 那儿 家 家里 外面 这边 那边 外地 一起 学校 公司".split())


def _job_at(match: re.Match[str], negation: bool) -> Iterator[Said]:
    job, place = cleaned(match["o"]), match["place"]
    if not job:
        return
    if match["verb"] in ("当", "任", "担任") or words.JOB.search(job):
        yield Said("works_as", job, negation)
        if not words.PLACE_NOT.match(place) and place not in _HERE:
            yield Said("works_at", place, negation)


def _is(match: re.Match[str], negation: bool) -> Iterator[Said]:
    """是…: occupation, origin, or what kind of thing somebody is."""
    phrase = match["o"]
    one = cleaned(phrase)
    if not one or one in PEOPLE_ZH or "的" in one[-1:]:
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
    elif (match["count"] and not re.search(r"人$|很", one)) or re.search(
        r"(?:者|迷|控|党|座|型|派|猫|狗|犬|左撇子|独生子|独生女|粉丝|爱好者|血)$", one
    ):
        yield Said("is_a", one, negation)


def _pet(match: re.Match[str], negation: bool) -> Iterator[Said]:
    kind = cleaned(match["kind"])
    name = match.groupdict().get("name") or match.groupdict().get("name2")
    if not kind:
        return
    if name:
        yield Said("has_pet", name, negation)
        yield Said("is_a", kind, negation, about=name)
    else:
        yield Said("has_pet", kind, negation)


def _has(match: re.Match[str], negation: bool) -> Iterator[Said]:
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


def _status(match: re.Match[str], negation: bool) -> Iterator[Said]:
    word = match["o"]
    status = {"结婚": "已婚", "结了婚": "已婚", "成家": "已婚", "离婚": "离异", "离了婚": "离异"}.get(
        word, word
    )
    yield Said("marital_status", status, negation)


def _speaks(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in re.findall(words.LANGUAGES, match["o"]):
        yield Said("speaks", one, negation)


def _can(match: re.Match[str], negation: bool) -> Iterator[Said]:
    for one in _AND.split(match["o"]):
        if words.SKILL.match(one) and not words.BAD_OBJECT.search(one):
            yield Said("can", one, negation)


def _does(match: re.Match[str], negation: bool) -> Iterator[Said]:
    one = re.sub(rf"(?<=去){words.NUMBER}[次趟回]", "", _TAIL.sub("", match["o"]))
    if words.VERB.match(one) and len(one) <= _MAX_OBJECT and not re.search(r"[了过着不]", one):
        yield Said("does", one, negation)


def _core(pattern: str, tell: Callable[[re.Match[str], bool], Iterator[Said]], **flags: bool) -> _Core:
    return _Core(re.compile(pattern), tell, **flags)


_O = r"(?P<o>[^，,]{1,30})"
_NAMES = r"(?![了他她它你我醒人车过来好])[\u4e00-\u9fffA-Za-z·]{1,12}"
_C = words.COUNT
_CORES = (
    _core(rf"的?生日(?:就?是|在|：)(?:每年的?)?{_O}", _date),
    _core(r"(?:是)?(?:在)?(?P<o>[^，,]{2,14}?)出生的?", _born),
    _core(r"是?(?P<o>[0-9一二三四五六七八九十〇零年月日号]{3,12})生的?", _date),
    _core(rf"(?:[0-9]{{4}}年)?出生(?:于|在|地是){_O}", _born),
    _core(rf"生于{_O}", _born),
    _core(
        r"的?(?:全名|名字|大名|本名|姓名)?(?:就?叫做?|名叫|的?名字(?:就?是|叫)|姓名是"
        rf"|全名是|大名叫)(?P<o>{_NAMES})",
        _named,
    ),
    _core(rf"的?(?:名字|全名|姓名)(?:是|叫)(?P<o>{_NAMES})", _named),
    _core(rf"的?(?:小名|昵称|外号|绰号|网名)(?:就?是|叫)(?P<o>{_NAMES})", _plain("nickname")),
    _core(
        r"(?:今年|的?年龄是?|已经|刚满|满)?(?P<o>[0-9]{1,3}|[一二三四五六七八九十]{1,4})(?:周?岁|岁半)了?",
        _plain("age"),
    ),
    _core(
        r"的?身高(?:是|有|大概)?(?P<o>[0-9一二三四五六七八九十米点.]{1,8}(?:厘米|公分"
        r"|cm|米[0-9一二三四五六七八九]{0,2})?)",
        _plain("height"),
    ),
    _core(r"的?体重(?:是|有)?(?P<o>[0-9一二三四五六七八九十百.]{1,6}(?:公斤|斤|千克|kg))", _plain("weight")),
    _core(r"(?P<o>[^，,对会不]{1,6}?)(?:严重)?过敏", _objects("allergic_to")),
    _core(
        r"(?:对)(?P<o>[^，,]{1,15}?)不(?:会)?过敏",
        lambda m, n: (Said("allergic_to", one, not n) for one in split_objects(m["o"])),
    ),
    _core(r"(?:对)(?P<o>[^，,]{1,15}?)(?:严重|有点|都|轻微)?过敏", _objects("allergic_to")),
    _core(r"(?:和|跟|与|同)(?P<o>[^，,]{1,15}?)(?:一起|同|合)?(?:居住|住)(?:在一起|一起)?", _with),
    _core(rf"(?:定居|居住|常住|家住|住|家)(?:在|于){_O}", _place("lives_in")),
    _core(
        r"(?:已经)?(?:搬|搬家)(?:到|去|来)了?(?P<o>[^，,]{1,15}?)(?:住|生活|定居)?了?",
        _place("lives_in"),
        event=True,
    ),
    _core(r"(?:来自(?P<o>[^，,]{1,12})|是?从(?P<p>[^，,]{1,12})来的)", _place("comes_from")),
    _core(rf"的?(?:老家|家乡|籍贯|故乡)(?:就?是|在){_O}", _place("comes_from")),
    _core(r"(?:是)?在(?P<o>[^，,]{1,12})长大的?", _place("comes_from")),
    _core(r"(?:是)?(?:从|于)(?P<o>[^，,]{2,15})毕业的?", _place("graduated_from"), event=True),
    _core(r"毕业于(?P<o>[^，,]{2,15})", _place("graduated_from"), event=True),
    _core(r"在(?P<o>[^，,]{1,15}?)(?:工作|上班|任职|就职|供职)", _place("works_at")),
    _core(r"就职于(?P<o>[^，,]{1,15})", _place("works_at")),
    _core(rf"在(?P<place>[^，,]{{1,15}}?)(?P<verb>当|做|任|担任|教){_O}", _job_at),
    _core(
        r"(?:是)?(?:当|做|担任|从事)(?P<o>[^，,]{1,15}?)(?:工作|职业)?的?",
        lambda m, n: (Said("works_as", one, n) for one in split_objects(m["o"]) if words.JOB.search(one)),
    ),
    _core(rf"的?(?:职业|工作)是{_O}", _plain("works_as")),
    _core(
        r"在(?P<o>[^，,]{1,15}?)(?:读|念|上)(?:书|学|大学|本科|研究生|研|博|博士|硕士"
        r"|高中|初中|小学)?(?:大?[一二三四]|[高初][一二三])?",
        _place("studies_at"),
    ),
    _core(r"是?学(?P<o>[^，,会到]{1,8}?)(?:专业)?的", _objects("studies")),
    _core(r"就读于(?P<o>[^，,]{1,15})", _place("studies_at")),
    _core(rf"(?:学的?专业是|学的是|的?专业是|主修|在?攻读|读的是){_O}", _objects("studies")),
    _core(r"(?:在)?(?:自学|学习|学)(?P<o>(?![过了着])[^，,会到]{1,12})", _objects("studies")),
    _core(
        rf"(?:会|能)?(?:说|讲)(?P<o>(?:流利的|一点儿?|一些|一口|地道的){{0,3}}(?:{words.LANGUAGES}).{{0,12}})",
        _speaks,
    ),
    _core(
        rf"(?:会|懂|精通)(?:一点儿?|一些)?(?P<o>(?:{words.LANGUAGES})(?:[、和]?(?:{words.LANGUAGES}))*)",
        _speaks,
    ),
    _core(rf"(?:会|能|擅长|很会){_O}", _can),
    _core(
        rf"最?(?:喜欢|爱|钟爱)(?:吃|喝|看|听|玩|去|读)?的(?P<kind>[^，,是]{{1,5}})(?:就?是|：|叫){_O}",
        _favorite,
    ),
    _core(rf"最爱的(?P<kind>[^，,是]{{1,5}})(?:就?是){_O}", _favorite),
    _core(
        r"(?:更|宁可|宁愿|还是更)(?:喜欢|爱|偏爱|想)(?P<o>[^，,]{1,20}?)(?:而不是.*|胜过.*|多过.*)?",
        _objects("prefers"),
    ),
    _core(rf"(?:偏爱|偏好){_O}", _objects("prefers")),
    _core(
        r"(?:超|超级|很|最|特别|非常)?(?:喜欢|喜爱|热爱|爱|爱好是?|爱上了|酷爱|迷上了"
        rf"|钟爱|热衷于|的?爱好是){_O}",
        _objects("likes"),
    ),
    _core(rf"(?:最|很|超|特别)?(?:讨厌|厌恶|反感|受不了|烦|憎恨|痛恨){_O}", _plain("dislikes")),
    _core(rf"(?:最|很|特别|有点)?(?:害怕|恐惧|怕){_O}", _plain("fears")),
    _core(r"有(?P<o>恐高症|幽闭恐惧症|密集恐惧症)", _plain("suffers_from")),
    _core(
        rf"(?:患有|得了|患了|得过|查出了?){_O}",
        lambda m, n: (
            Said("suffers_from", one, n) for one in split_objects(m["o"]) if words.ILLNESS.search(one)
        ),
    ),
    _core(r"(?:有点|轻度|高度)?(?P<o>近视|贫血|色盲|失眠|夜盲)", _plain("suffers_from")),
    _core(r"(?P<o>单身|已婚|未婚|离异|离婚|丧偶|结婚|结了婚|成家|离了婚)了?", _status),
    _core(
        rf"(?:家里?)?(?:养|领养|收养)了?{_C}?(?:叫做?|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}?)的(?P<kind>[^，,]{{1,10}})",
        _pet,
    ),
    _core(
        rf"(?:家里?)?(?:养|领养|收养)了?{_C}?(?P<kind>[^，,]{{1,10}}?)(?:名字)?(?:叫做?"
        rf"|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})",
        _pet,
    ),
    _core(r"(?:家里?)?(?:还)?(?:养|领养|收养)(?:了|着|有)?(?P<kind>[^，,]{1,10})", _pet),
    _core(
        rf"(?:家里?)?有{_C}(?:叫做?|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}?)的(?P<kind>{words.PET})", _pet
    ),
    _core(
        rf"(?:家里?)?有{_C}(?P<kind>{words.PET})(?:名字)?(?:叫做?|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})",
        _pet,
    ),
    _core(rf"(?:家里?)?有{_C}(?P<kind>{words.PET})", _pet),
    _core(
        rf"(?:家)?的?(?P<kind>{words.PET})(?:的?名字)?(?:叫做?|名叫|的名字是|名字是)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})",
        _pet,
    ),
    _core(rf"(?:患)?有(?P<count>{_C})?{_O}", _has),
    _core(rf"(?:买|拥有)(?:了)?(?P<count>{_C}){_O}", _has),
    _core(rf"是(?P<count>{_C})?{_O}", _is),
    _core(r"(?:吃)(?!了)(?P<o>[^，,了]{1,15})", _objects("eats"), habit=True),
    _core(r"(?:喝)(?!了)(?P<o>[^，,了]{1,15})", _objects("drinks"), habit=True),
    _core(
        r"(?P<o>(?:打(?!算|扫|电话|车|工|针|折|包|卡|牌子)|踢|弹|拉(?!屎)|吹|玩)[^，,了]{1,10})",
        lambda m, n: (Said("plays", one, n) for one in split_objects(re.sub(r"^(.)\1?", "", m["o"]))),
        habit=True,
    ),
    _core(r"(?:都)?(?:会|要|去)?(?:喝)(?P<o>[^，,了]{1,15})", _objects("drinks"), habit=True),
    _core(r"(?:都)?(?:会|要|去)?(?:吃)(?P<o>[^，,了]{1,15})", _objects("eats"), habit=True),
    _core(r"(?:都)?(?:会|要|去)(?:打|踢|弹|拉|玩)(?P<o>[^，,了]{1,10})", _objects("plays"), habit=True),
    _core(rf"(?:都|会|要|都会|都要)?{_O}", _does, habit=True),
)
