"""Whether two values of one attribute contradict each other, or one is only more exact."""

from __future__ import annotations

import re

from memoryd.language.conflicts.clauses import read_clause
from memoryd.language.conflicts.functional_predicates import ValueKind
from memoryd.language.conflicts.vocabulary import entries

_DECIMAL = re.compile(r"\d{1,15}(?:\.\d+)?")
_COUNTRIES = entries(
    """中国 日本 韩国 美国 英国 法国 德国 意大利 西班牙 加拿大 澳大利亚 新西兰 俄罗斯 印度 泰国 越南 新加坡
    china japan korea usa us united_states america uk united_kingdom britain ireland france germany austria
    switzerland italy spain portugal netherlands belgium denmark sweden norway finland poland greece turkey
    russia india canada mexico brazil australia new_zealand"""
)
_PROVINCES = entries(
    """广东 浙江 江苏 四川 湖北 湖南 陕西 山东 东北 辽宁 黑龙江 吉林 福建 安徽 河南 河北 山西 云南 贵州 广西
    海南 甘肃 青海 宁夏 新疆 西藏 内蒙古 江西 台湾 england scotland wales california texas florida ohio oregon
    illinois michigan massachusetts pennsylvania virginia colorado arizona bavaria ontario"""
)


def values_conflict(kind: ValueKind, a: str, b: str) -> bool:
    """Whether both values cannot hold. a, b: folded; text in two scripts is not compared."""
    if kind == "number":
        return number_difference(a, b) not in (None, 0.0) and read_clause(a).words == read_clause(b).words
    if kind == "date":
        times = [*read_clause(a).times, *read_clause(b).times]
        return len(times) == 2 and times_conflict(*times)
    if a.isascii() != b.isascii() or _is_part(a, b):
        return False
    if kind == "job":  # a product manager is a manager
        return a[-2:] != b[-2:] if not a.isascii() else a.split()[-1] != b.split()[-1]
    return kind != "place" or _level(a) == _level(b)


def times_conflict(a: str, b: str) -> bool:
    """Whether two times of one kind differ in a part both name: `date 5-3` and `date 5-` do not."""
    kind, other = a.split(" ", 1)[0], b.split(" ", 1)[0]
    if kind != other or kind != "date":
        return kind == other and a != b
    # year, month, day; "" for what is not named
    parts = [["", *parts] if len(parts) == 2 else parts for parts in (a[5:].split("-"), b[5:].split("-"))]
    return any(x and y and x != y for x, y in zip(*parts, strict=True))


def number_difference(a: str, b: str) -> float | None:
    """Second number minus first; None unless each text has one number."""
    counts = [read_clause(text).numbers for text in (a, b)]
    if any(len(numbers) != 1 or not _DECIMAL.fullmatch(numbers[0]) for numbers in counts):
        return None
    return float(counts[1][0]) - float(counts[0][0])


def _is_part(a: str, b: str) -> bool:
    """Whether one is part of the other, by words or by letters."""
    first, second = (set(read_clause(value).words) or {value} for value in (a, b))
    shorter, longer = sorted((re.sub(r"\W", "", value) for value in (a, b)), key=len)
    is_within = shorter in longer if len(shorter) > 1 else longer.startswith(shorter)
    return first <= second or second <= first or is_within


def _level(place: str) -> int:
    """A country and a city do not contradict each other: one may lie in the other."""
    name = place.strip().removeprefix("the ").removesuffix("省")
    return 0 if name in _COUNTRIES else 1 if name in _PROVINCES else 2
