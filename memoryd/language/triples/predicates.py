"""Predicates: a small vocabulary, and the Chinese and English words for it.

The key of a predicate (`likes`) is stored, matched, compared and hashed. The first Chinese word of its entry
is shown where the evidence is Chinese; in English the key itself is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memoryd.language.fold import fold
from memoryd.language.triples.degrees import join_degrees, split_degree
from memoryd.language.triples.kinship import KIN_EN, KIN_ZH, SHOWN_ZH, SPOKEN_ZH
from memoryd.language.triples.names import language_of

_WORDS = {
    "likes": "喜欢 喜爱 热爱 爱 like love loves enjoy enjoys likes fond_of is_fond_of",
    "dislikes": "讨厌 厌恶 反感 受不了 hate hates dislike detest detests can't_stand cannot_stand",
    "prefers": "更喜欢 偏爱 prefer",
    "favorite": "最喜欢 最喜欢的是 favourite favorite_thing",
    "name": "名叫 名字 叫 姓名 名字是 名字叫 named is_called is_named called",
    "nickname": "昵称 外号 小名 绰号 nicknamed",
    "born_on": "生日 生日是 出生日期 出生于 birthday date_of_birth birthday_is was_born_on",
    "born_in": "出生在 出生地 birthplace place_of_birth was_born_in",
    "age": "年龄 岁数 aged",
    "height": "身高",
    "weight": "体重 weighs",
    "lives_in": "住在 住 居住在 现居 居住地 live_in resides_in residence",
    "lives_with": "同住 一起住 live_with",
    "comes_from": "来自 老家 家乡 籍贯 老家在 from is_from hometown come_from",
    "works_as": "职业 职业是 工作是 担任 从事 occupation job profession work_as",
    "works_at": "就职于 工作于 任职于 公司 单位 在…工作 work_at works_for work_for employer",
    "studies": "学习 专业 主修 major study",
    "studies_at": "就读于 学校 study_at goes_to_school_at",
    "graduated_from": "毕业于 母校 graduate_from alma_mater",
    "speaks": "会说 说 语言 speak",
    "can": "会 擅长 能 is_able_to",
    "has_pet": "养 养了 宠物 pet",
    "is_a": "是 是一个 是一种 is an is_an",
    "owns": "有 拥有 has own have",
    "allergic_to": "对…过敏 过敏 is_allergic_to allergy",
    "suffers_from": "患有 疾病 suffer_from illness",
    "fears": "害怕 怕 恐惧 is_afraid_of afraid_of fear",
    "marital_status": "婚姻状况 婚姻状态",
    "eats": "吃 eat",
    "drinks": "喝 drink",
    "plays": "玩 打 弹 踢 拉 吹 play",
    "does": "做 do",
}
RELATIONS = tuple(f"{relation}_of" for relation in dict.fromkeys(KIN_EN.values()))
SYMMETRIC = frozenset(
    f"{relation}_of" for relation in ("colleague", "classmate", "friend", "neighbor", "roommate", "cousin")
)
"""Relations that hold in both directions."""

FAVORITES = {
    "color": "颜色 colour color",
    "food": "食物 菜 美食 零食 食品 吃的 food dish meal snack",
    "drink": "饮料 饮品 喝的 drink beverage",
    "fruit": "水果 fruit",
    "movie": "电影 片子 movie film",
    "book": "书 小说 书籍 book novel",
    "song": "歌 歌曲 曲子 song",
    "singer": "歌手 singer",
    "band": "乐队 乐团 band",
    "sport": "运动 体育运动 球类 sport",
    "season": "季节 season",
    "animal": "动物 animal",
    "game": "游戏 game",
    "city": "城市 city",
}
FAVORITE_OF = {word: f"favorite_{kind}" for kind, words in FAVORITES.items() for word in words.split()}

_CHINESE = {
    key: [word for word in words.split() if language_of(word) == "zh"] for key, words in _WORDS.items()
}
_SHOWN_ZH = {key: words[0] for key, words in _CHINESE.items()} | {
    f"favorite_{kind}": f"最喜欢的{words.split()[0]}" for kind, words in FAVORITES.items()
}
_OF_ZH = "是…的{}"
"""What a person is to another: 小雨 是…的妹妹 主人."""

_KNOWN = {word: key for key, words in _WORDS.items() for word in words.split()}
_KNOWN |= {key: key for key in (*_SHOWN_ZH, *RELATIONS)} | {"最爱": "favorite"}
_KNOWN |= {word: f"{relation}_of" for word, relation in (KIN_ZH | KIN_EN).items()}
_KNOWN |= {f"{word}_of": f"{relation}_of" for word, relation in KIN_EN.items()}
_KNOWN |= {f"最喜欢的{word}": key for word, key in FAVORITE_OF.items()}
_KNOWN |= {f"favourite_{kind}": f"favorite_{kind}" for kind in FAVORITES}
_KNOWN |= {
    _OF_ZH.format(word): f"{relation}_of"
    for word, relation in SPOKEN_ZH.items()
    if f"{relation}_of" in RELATIONS
}
_KNOWN = {word.replace("…", "..."): key for word, key in _KNOWN.items()}  # as fold writes it

_NOT_ZH = re.compile(r"^(?:从来不|从不|并不|不太|不怎么|不|没有|没)(?=.)")
_NOT_EN = re.compile(r"^(?:(?:do|does|did|is|are|am|was|can)?_?(?:not|n't)|never|don't|doesn't|isn't)_(?=.)")
_GAPS = re.compile(r"[\s_]+")
_IS = re.compile(r"^(?:是|is_|are_|am_)(?=.)|^(?:我|主人|用户)的|的$|是$|(?<=.)在$|^(?:the|a|an)_")


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a predicate word means. degree: the one it contains, if any; spelling: the folded word."""

    key: str
    is_negated: bool = False
    degree: str | None = None
    spelling: str | None = None

    @property
    def spellings(self) -> tuple[str, ...]:
        """What it may be stored as: the key, or the word itself if a version did not know the word."""
        return (self.key,) if self.spelling in (None, self.key) else (self.key, str(self.spelling))


def predicate_of(word: str) -> Predicate:
    """The predicate a word means (不喜欢 is `likes` negated, 非常喜欢 has a degree). An unknown word is its
    own key, folded, with `_` for blanks."""
    plain = _GAPS.sub("_", fold(word).strip()).strip("_")
    return replace(_known(plain) or _unknown(plain), spelling=plain)


def chinese_predicate(key: str, word: str | None = None) -> str:
    """A predicate in Chinese. word: from the evidence, for a key with several words (妹妹, 弹)."""
    if key in RELATIONS:
        return _OF_ZH.format(word or SHOWN_ZH[key.removesuffix("_of")])
    return word or _SHOWN_ZH.get(key, key)


def chinese_words(key: str) -> list[str]:
    """The Chinese words that mean a predicate."""
    return _CHINESE.get(key, [])


def _known(plain: str) -> Predicate | None:
    """None for a word outside the vocabulary."""
    key = _KNOWN.get(plain) or _KNOWN.get(_IS.sub("", plain))
    if key:
        return Predicate(key)
    degree, rest = split_degree(plain)
    if degree and (found := _known(rest)):
        return Predicate(found.key, found.is_negated, join_degrees(degree, found.degree))
    for pattern in (_NOT_ZH, _NOT_EN):
        match = pattern.match(plain)
        if match and (found := _known(plain[match.end() :])):
            return Predicate(found.key, not found.is_negated, found.degree)
    return None


def _unknown(plain: str) -> Predicate:
    """Strip all negations, so that the key read again is itself."""
    key, is_negated = plain, False
    while match := _NOT_ZH.match(key) or _NOT_EN.match(key):
        rest = key[match.end() :].strip("_")
        if not rest:
            break
        key, is_negated = rest, not is_negated
    return Predicate(key, is_negated)
