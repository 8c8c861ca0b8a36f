"""What a person tells in a year, and when they are there."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

DAYS = 426
"""A year and two months: what was told in the first two is looked for a year later."""
ABSENCES = ((68, 75), (150, 211), (300, 309))
"""First and last day of holidays; the second takes two months."""
_THERE = {False: 0.85, True: 0.65}
"""Chance of being there on a weekday and at the weekend."""

KINDS: dict[str, dict[str, Any]] = {
    "core": {"category": "core", "source": "background_ai"},
    "stated": {"source": "user"},
    "preference": {"source": "user", "kind": "preference"},
    "guessed": {"source": "background_ai"},
    "episode": {"category": "episode", "source": "background_ai"},
}
_PER_DAY = {"core": 0.06, "stated": 0.9, "preference": 0.3, "guessed": 2.0, "episode": 1.0}
"""Of each kind on a day of use, on average."""

_PEOPLE = [
    surname + given
    for given in "建国 小红 志强 丽丽 雨桐 子轩 美玲 海涛 晓燕 文博 佳怡 浩然 春梅 立新 思远 天佑".split()
    for surname in "陈林黄周吴徐孙马朱胡"
]
_ENGLISH = (
    "Alice Bruno Carla Dmitri Elena Farid Greta Hugo Irene Jonas Karin Luis Maria Nadia Oscar Paula".split()
)
_FACTS = (
    ("{who}的猫叫{x}", "{who}的猫叫什么名字", "豆豆 雪球 芝麻 年糕 可乐 布丁 花卷 汤圆".split()),
    ("{who}在{x}工作", "{who}在哪里工作", "医院 银行 学校 报社 机场 图书馆 法院 动物园".split()),
    ("{who}对{x}过敏", "{who}对什么过敏", "花生 虾 芒果 花粉 牛奶 青霉素 鸡蛋 尘螨".split()),
    ("{who}的老家在{x}", "{who}的老家在哪里", "成都 哈尔滨 厦门 兰州 昆明 青岛 桂林 西安".split()),
    ("{who}正在学{x}", "{who}在学什么", "吉他 法语 游泳 书法 编程 陶艺 滑雪 摄影".split()),
    ("{who}的车是{x}的", "{who}的车是什么颜色", "红色 白色 银色 墨绿色 蓝色 橙色 灰色 黑色".split()),
)
_ENGLISH_FACTS = (
    ("{who} plays the {x}", "which instrument does {who} play", "cello flute drums harp tuba banjo".split()),
    ("{who} was born in {x}", "where was {who} born", "Lisbon Oslo Cairo Lima Perth Quebec".split()),
    ("{who} is married to {x}", "who is {who} married to", "Anna Boris Chloe David Emma Felix".split()),
)
_PREFERENCES = (
    ("我和{who}见面时喜欢喝{x}", "我和{who}见面时喜欢喝什么", "龙井 拿铁 啤酒 豆浆 可可 柠檬水".split()),
    ("我送{who}礼物喜欢送{x}", "我喜欢送{who}什么礼物", "书 花 茶叶 唱片 围巾 巧克力".split()),
    ("我喜欢和{who}一起{x}", "我喜欢和{who}一起做什么", "爬山 看电影 下棋 钓鱼 做饭 打羽毛球".split()),
)
_EPISODES = (
    ("我今天和{who}去了{x}", "我和{who}去了哪里", "颐和园 植物园 宜家 海边 音乐会 夜市 博物馆 温泉".split()),
    ("{who}今天给我带了{x}", "{who}给我带了什么", "粽子 樱桃 蛋糕 照片 明信片 橘子 月饼 咖啡豆".split()),
)
_CORES = (("{who}是我的家人，住在{x}", "我的家人{who}住在哪里", "楼上 隔壁 对面 老城区 河边 车站旁".split()),)
_SAID = (
    "早上好，今天天气不错",
    "我有点累，晚上想早点睡",
    "刚开完会，终于可以休息一下",
    "what shall we have for dinner tonight",
    "周末想出去走走",
    "the train was late again this morning",
)


@dataclass
class Told:
    """Something told. question: that it answers; interest: how often it is asked about, relative."""

    kind: str
    day: int
    text: str
    question: str
    interest: float
    id: str = ""


@dataclass
class Person:
    """Seeded: the same person every time."""

    seed: int = 7
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._sources = {
            "stated": self._endless(_PEOPLE, _FACTS),
            "guessed": self._endless([*_PEOPLE[::-1], *_ENGLISH], (*_FACTS, *_ENGLISH_FACTS), "听说"),
            "preference": self._endless(_PEOPLE, _PREFERENCES),
            "episode": self._endless(_PEOPLE, _EPISODES),
            "core": self._endless(_PEOPLE, _CORES),
        }

    def days(self) -> list[bool]:
        """Whether the person is there, by day."""
        away = {day for first, last in ABSENCES for day in range(first, last + 1)}
        return [day not in away and self.random.random() < _THERE[day % 7 >= 5] for day in range(DAYS)]

    def tells(self, day: int) -> Iterator[Told]:
        """What is told on a day."""
        for kind, rate in _PER_DAY.items():
            for _ in range(self._count(rate)):
                text, question = next(self._sources[kind])
                yield Told(kind, day, text, question, self.random.paretovariate(1.1))

    def says(self) -> list[str]:
        """What is said in passing."""
        return self.random.sample(_SAID, 3)

    def asks(self, told: list[Told], day: int) -> list[Told]:
        """What the person comes back to: what interests them, and what is new rather than old."""
        weights = [one.interest / (1.0 + (day - one.day) / 14.0) for one in told]
        return self.random.choices(told, weights, k=3) if told else []

    def _count(self, rate: float) -> int:
        whole = int(rate)
        return whole + (self.random.random() < rate - whole)

    def _endless(
        self, people: list[str], shapes: tuple[tuple[str, str, list[str]], ...], before: str = ""
    ) -> Iterator[tuple[str, str]]:
        """Sentences and their questions: one for each person and shape, in any order; then nicknames."""
        for round_ in itertools.count():
            pairs = [(who, shape) for who in people for shape in shapes]
            self.random.shuffle(pairs)
            for who, (text, question, values) in pairs:
                name = who if not round_ else f"{who}{round_ + 1}号"
                prefix = before if not name.isascii() else ""
                told = text.format(who=name, x=self.random.choice(values))
                yield prefix + told, question.format(who=name)
