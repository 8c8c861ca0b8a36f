from __future__ import annotations

import pytest

from memoryd.language.numerals import chinese_number, english_number, is_range, numeral_value


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        ("三", 3),
        ("十五", 15),
        ("两百零三", 203),
        ("二〇二六", 2026),
        ("三千万", 30_000_000),
        ("两三", None),
        ("二十三四", None),
        ("一百二三十", None),
        ("3.5", None),
        ("", None),
        ("三只", None),
        ("零" * 17, None),
    ],
)
def test_only_one_exact_number_is_a_number(text: str, number: int | None) -> None:
    assert chinese_number(text) == number


@pytest.mark.parametrize(("numeral", "value"), [("零八", 8), ("○五", 5), ("二十三", 23), ("2023", 2023)])
def test_the_numerals_of_a_date_have_a_value(numeral: str, value: int) -> None:
    assert numeral_value(numeral) == value


def test_english_words_have_a_value() -> None:
    assert [english_number(word) for word in ("a", "Twelve", "ninety-nine", "7")] == [1, 12, 99, 7]


def test_places_are_no_range() -> None:
    assert [is_range(numeral) for numeral in ("三四", "一二三", "一百零三")] == [True, False, False]
