"""The probe set: whether one engine may serve an index that another engine made.

An engine may serve an index when the neighbour lists agree: its own queries over the index's stored probe
vectors must find what the queries of the engine that made the index find. The index keeps both sets of
vectors, made once by its maker and never rewritten. The texts are part of the contract too: changing one
makes every stored probe set useless.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from memoryd.models.base import FloatMatrix

BOUND = 0.85
"""The least mean overlap of the neighbour lists at which an engine may serve an index."""

NEIGHBOURS = 10

TEXTS: tuple[str, ...] = (
    "主人养了一只叫团子的橘猫，今年三岁。",
    "团子昨天打翻了桌上的花瓶。",
    "主人小时候养过一条黄色的土狗。",
    "兽医说猫咪需要减肥，每天只能吃两顿。",
    "The neighbour's dog barks every morning at six.",
    "Her parrot can say good night in two languages.",
    "She wants to adopt a second kitten next spring.",
    "The goldfish tank has to be cleaned every Sunday.",
    "主人对花生过敏，吃了会起疹子。",
    "早餐一般是豆浆和油条。",
    "他不吃香菜，点菜的时候要提醒店家。",
    "周末一起包了韭菜鸡蛋馅的饺子。",
    "He drinks his coffee black, without sugar.",
    "They tried the new Thai restaurant and found it too spicy.",
    "Her grandmother's apple pie recipe uses cinnamon.",
    "She has been a vegetarian since university.",
    "项目的截止日期是下周五，压力很大。",
    "经理在会议上表扬了他的报告。",
    "他正在考虑换一份离家近一点的工作。",
    "今天加班到晚上十一点才回家。",
    "She starts her new job at the hospital in March.",
    "His boss moved the weekly meeting to Tuesday morning.",
    "The client rejected the first draft of the design.",
    "He is saving money to open a small bookshop.",
    "妈妈的生日是九月十二日，要提前买蛋糕。",
    "表妹明年夏天结婚，请他当伴郎。",
    "爸爸退休以后喜欢在公园下象棋。",
    "他和最好的朋友因为借钱的事吵架了。",
    "Her sister lives in Toronto with two children.",
    "They celebrated their tenth wedding anniversary by the sea.",
    "His grandfather was a carpenter and taught him to carve.",
    "She promised to call her mother every Friday evening.",
    "最近总是失眠，凌晨三点还睡不着。",
    "医生让他每天吃一片降压药。",
    "膝盖受伤以后就不再跑步了。",
    "他怕打针，每次体检都很紧张。",
    "She sprained her ankle while hiking last weekend.",
    "The dentist appointment is on the fourteenth at nine.",
    "He quit smoking two years ago and feels much better.",
    "Meditation before bed helps her to calm down.",
    "国庆节打算去云南看雪山。",
    "去年在京都坐错了电车，差点误了飞机。",
    "他喜欢坐靠窗的座位，看外面的云。",
    "护照快过期了，下个月要去换。",
    "They are planning a road trip along the Norwegian coast.",
    "She lost her suitcase at the airport in Madrid.",
    "He dreams of seeing the northern lights one day.",
    "The hotel in Lisbon had a view over the river.",
    "晚上喜欢一边听爵士乐一边画画。",
    "他在学吉他，已经会弹三首歌了。",
    "最喜欢的电影是《千与千寻》，看过五遍。",
    "每周三晚上和同事打羽毛球。",
    "She is reading a long novel about the sea.",
    "He plays chess online and hates to lose.",
    "Her favourite band is coming to town in June.",
    "They spend rainy Sundays with board games.",
    "电脑的C盘满了，需要清理缓存文件。",
    "他的手机屏幕碎了，还没有拿去修。",
    "密码都记在一个蓝色的小本子里。",
    "新买的耳机降噪效果很好。",
    "The Wi-Fi router in the kitchen has to be restarted every day.",
    "He writes small programs in Python to sort his photos.",
    "Her laptop battery lasts only an hour.",
    "They bought an electric car and charge it at night.",
)
"""Stored texts, embedded as passages."""

QUERIES: tuple[str, ...] = (
    "我的猫叫什么名字？",
    "我有什么东西不能吃？",
    "工作上最近有什么烦心事？",
    "家里人什么时候过生日？",
    "我的身体有什么问题？",
    "我想去哪里旅行？",
    "我平时有什么爱好？",
    "我的电脑出了什么毛病？",
    "What pets do people have?",
    "What does she like to eat and drink?",
    "When does the new job begin?",
    "Who is in the family?",
    "Which doctor's appointments are coming up?",
    "Where did they go on holiday?",
    "What music and books do they enjoy?",
    "Which devices need to be repaired?",
)
"""Search queries, embedded as queries."""


def agreement(texts: FloatMatrix, queries: FloatMatrix, reference: FloatMatrix) -> float:
    """Mean overlap of the ten nearest texts of each query, from 0 to 1.

    texts: the index's stored vectors of `TEXTS`, (64, dim). queries: vectors of `QUERIES` from the engine
    that would serve, (16, its dim). reference: those of the engine that made the index, (16, dim). Vectors
    of another length, or not finite, agree with nothing.
    """
    if queries.shape != reference.shape or not np.isfinite(queries).all():
        return 0.0
    pairs = zip(_nearest(texts, queries), _nearest(texts, reference), strict=True)
    return float(np.mean([len(set(own) & set(theirs)) / NEIGHBOURS for own, theirs in pairs]))


def _nearest(texts: FloatMatrix, queries: FloatMatrix) -> list[list[int]]:
    """Indexes of the nearest texts; of equally near ones the first, so that a list never depends on luck."""
    order: npt.NDArray[np.intp] = np.argsort(-(queries @ texts.T), axis=1, kind="stable")
    return [[int(at) for at in row[:NEIGHBOURS]] for row in order]
