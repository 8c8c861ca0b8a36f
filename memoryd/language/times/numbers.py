"""Number words of both languages, as far as time expressions use them."""

from __future__ import annotations

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "○": 0}
_TENS = {"十": 10, "百": 100, "千": 1000}

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen""".split()
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()

ENGLISH_NUMBERS = {
    **{word: i for i, word in enumerate(_SMALL)},
    **{word: 20 + 10 * i for i, word in enumerate(_ROUND)},
    "a": 1,
    "an": 1,
}
ENGLISH_ORDINALS = {
    **{word: i for i, word in enumerate(_ORDINALS)},
    **{f"twenty-{word}": 20 + i for i, word in enumerate(_ORDINALS[1:10], 1)},
    "thirtieth": 30,
    "thirty-first": 31,
}
ENGLISH_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60} | {
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}


def chinese_number(text: str) -> int:
    """The value of a number in digits or Chinese numerals, place by place (二〇二三) or counted (二十三)."""
    if text.isdecimal():
        return int(text)
    if not any(c in _TENS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total = digit = 0
    for c in text:
        if c in _TENS:
            total += (digit or 1) * _TENS[c]
            digit = 0
        else:
            digit = _DIGITS[c]
    return total + digit


def english_number(text: str) -> int:
    """The value of a number in digits or English words up to ninety-nine."""
    if text.isdigit():
        return int(text)
    words = text.lower().replace("-", " ").split()
    return sum(ENGLISH_NUMBERS[word] for word in words)
