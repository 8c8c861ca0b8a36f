"""Numbers in digits and words, Chinese and English."""

from __future__ import annotations

import re

CHINESE_DIGITS = "零〇○一二两三四五六七八九"
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
CHINESE_NUMERALS = "".join((*_DIGITS, *_UNITS, *_LARGE))

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()
_CARDINALS = dict(zip((*_SMALL, *_TENS), (*range(20), *range(20, 100, 10)), strict=True))
ENGLISH_COUNTS = _CARDINALS | {"a": 1, "an": 1}
ENGLISH_DECADES = {f"{word[:-1]}ies": 10 * tens for tens, word in enumerate(_TENS, 2)}
ENGLISH_ORDINALS = {
    **{word: i for i, word in enumerate(_ORDINALS)},
    **{f"twenty-{word}": 20 + i for i, word in enumerate(_ORDINALS[1:10], 1)},
    "thirtieth": 30,
    "thirty-first": 31,
}
ENGLISH_NUMBERS = (
    {word: str(number) for word, number in _CARDINALS.items()}
    | {word: f"#{number}" for word, number in ENGLISH_ORDINALS.items() if 0 < number <= 10}
    | {"hundred": "100", "thousand": "1000", "dozen": "12", "once": "x1", "twice": "x2"}
)
"""Word -> digits; `#` marks an ordinal, `x` a count of times."""

_NUMBER = re.compile(rf"[0-9]{{1,19}}|[{CHINESE_NUMERALS}]{{1,16}}")
_TWO_DIGITS = re.compile(f"[一二两三四五六七八九][{CHINESE_DIGITS}]")


def chinese_number(text: str) -> int | None:
    """The value of 3, 三, 十五, 两百零三, 二〇二六; None for a range (两三) and for other texts."""
    return None if _NUMBER.fullmatch(text) is None or is_range(text) else numeral_value(text)


def is_range(numeral: str) -> bool:
    """Whether a Chinese numeral is approximate: 两三, 二十三四."""
    if all(c in _DIGITS for c in numeral):
        return len(numeral) == 2
    return _TWO_DIGITS.search(numeral) is not None


def numeral_value(numeral: str) -> int:
    """The value of decimal digits or of a Chinese numeral, by place (二〇二三) or by unit (二十三).

    Raises KeyError for other texts.
    """
    if numeral.isdecimal():
        return int(numeral)
    if all(c in _DIGITS for c in numeral):
        return int("".join(str(_DIGITS[c]) for c in numeral))
    total = section = digit = 0
    for c in numeral:
        if c in _UNITS:
            section += (digit or 1) * _UNITS[c]
            digit = 0
        elif c in _LARGE:
            total = (total + section + digit) * _LARGE[c]
            section = digit = 0
        else:
            digit = _DIGITS[c]
    return total + section + digit


def english_number(text: str) -> int:
    """The value of digits, or of English words up to ninety-nine. Raises KeyError for other texts."""
    if text.isdecimal():
        return int(text)
    return sum(ENGLISH_COUNTS[word] for word in text.lower().replace("-", " ").split())
