"""Numbers written in words."""

from __future__ import annotations

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
CHINESE_NUMERALS = "".join((*_DIGITS, *_UNITS, *_LARGE))

_CARDINALS = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty""".split()
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
ENGLISH_NUMBERS = (
    {word: str(i) for i, word in enumerate(_CARDINALS, 1)}
    | {word: str(10 * i) for i, word in enumerate(_TENS, 3)}
    | {word: f"#{i}" for i, word in enumerate(_ORDINALS, 1)}
    | {"zero": "0", "hundred": "100", "thousand": "1000", "dozen": "12", "once": "x1", "twice": "x2"}
)
"""Word -> digits; `#` marks a place in an order, `x` how many times."""


def chinese_number(numeral: str) -> int | None:
    """The value of 三, 十五, 两百零三, 二〇二六, 3万; None for what is no one number (两三).

    At most sixteen characters are taken for a number.
    """
    if not numeral or len(numeral) > 16:
        return None
    if all(c in _DIGITS for c in numeral):
        return _by_place(numeral)
    return _by_unit(numeral)


def _by_place(numeral: str) -> int | None:
    """二〇二六; two digits that stand for `two or three` are none."""
    if len(numeral) == 2:
        return None
    return int("".join(str(_DIGITS[c]) for c in numeral))


def _by_unit(numeral: str) -> int | None:
    total = section = digit = 0
    for c in numeral:
        if c in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[c]
        elif c in _UNITS:
            section += (digit or 1) * _UNITS[c]
            digit = 0
        elif c in _LARGE:
            total = (total + section + digit) * _LARGE[c]
            section = digit = 0
        else:
            return None
    return total + section + digit
