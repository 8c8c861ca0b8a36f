"""English time expressions, convention by convention. The reference is Wednesday 10 May 2023, 09:15."""

from __future__ import annotations

import pytest

from support.time_expressions import INVALID, NOTHING, ends

CASES = {
    "days": {
        "yesterday": "05-09 05-10",
        "the day before yesterday": "05-08 05-09",
        "the day after tomorrow": "05-12 05-13",
        "a year ago today": "2022-05-10 2022-05-11",
    },
    "weekdays": {
        "on Tuesday": "05-09 05-10",
        "on Wednesday": "05-10 05-11",
        "last Wednesday": "05-03 05-04",
        "next Monday": "05-15 05-16",
        "this Friday": "05-12 05-13",
        "on Fri": "05-05 05-06",
        "two Fridays ago": "04-28 04-29",
        "Monday last week": "05-01 05-02",
        "Friday, May 5": "05-05 05-06",
    },
    "weeks": {
        "last week": "05-01 05-08",
        "the week before last": "04-24 05-01",
        "last weekend": "05-06 05-08",
        "over the weekend": "05-06 05-08",
        "the weekend of May 5": "05-06 05-08",
        "the week of May 3": "05-01 05-08",
        "the first week of May": "05-01 05-08",
        "the last week of April": "04-24 05-01",
    },
    "dates": {
        "May 2, 2022": "2022-05-02 2022-05-03",
        "on the 2nd of May": "05-02 05-03",
        "21 May": "2022-05-21 2022-05-22",
        "Dec. 25": "2022-12-25 2022-12-26",
        "the Fourth of July": "2022-07-04 2022-07-05",
        "on the 28th": "04-28 04-29",
        "on the 31st?": "03-31 04-01",
        "2022-03-04": "2022-03-04 2022-03-05",
        "the 15th of last month": "04-15 04-16",
        "last May 5th": "2022-05-05 2022-05-06",
        "the first Monday of May": "05-01 05-02",
        "the last day of February": "02-28 03-01",
    },
    "months and years": {
        "in June": "2022-06-01 2022-07-01",
        "last May": "2022-05-01 2022-06-01",
        "next May": "2024-05-01 2024-06-01",
        "May of last year": "2022-05-01 2022-06-01",
        "in 2021": "2021-01-01 2022-01-01",
        "the year before last": "2021-01-01 2022-01-01",
        "in the 90s": "1990-01-01 2000-01-01",
        "the early 1980s": "1980-01-01 1984-01-01",
        "the first quarter of 2022": "2022-01-01 2022-04-01",
        "the second half of 2022": "2022-07-01 01-01",
    },
    "parts of a month and a year": {
        "early April": "04-01 04-11",
        "in mid-April": "04-11 04-21",
        "the end of last month": "04-21 05-01",
        "late 2021": "2021-11-01 2022-01-01",
        "the beginning of the year": "01-01 03-01",
    },
    "seasons": {
        "last winter": "2022-12-01 03-01",
        "last spring": "2022-03-01 2022-06-01",
        "in the summer": "2022-06-01 2022-09-01",
        "summer 2021": "2021-06-01 2021-09-01",
        "in the fall of 2020": "2020-09-01 2020-12-01",
        "two summers ago": "2021-06-01 2021-09-01",
    },
    "ago and later": {
        "three weeks ago": "04-17 04-24",
        "a couple of months ago": "03-01 04-01",
        "a year and a half ago": "2021-11-01 2021-12-01",
        "an hour ago": "05-10T08:00 05-10T09:00",
        "several weeks ago": "03-20 05-08",
        "three days from now": "05-13 05-14",
    },
    "up to now": {
        "the last two weeks": "04-26 05-10T09:15",
        "the past year": "2022-05-10 05-10T09:15",
        "the past few days": "05-03 05-10T09:15",
        "earlier this week": "05-08 05-10T09:15",
        "so far this year": "01-01 05-10T09:15",
        "the next three days": "05-10T09:15 05-14",
    },
    "parts of the day and the clock": {
        "this morning": "05-10T05:00 05-10T12:00",
        "last night": "05-09T18:00 05-10T06:00",
        "Friday night": "05-05T18:00 05-06T06:00",
        "the morning of May 5": "05-05T05:00 05-05T12:00",
        "3:30 pm yesterday": "05-09T15:30 05-09T15:31",
        "yesterday at 8 in the evening": "05-09T20:00 05-09T21:00",
        "tonight at 8": "05-10T20:00 05-10T21:00",
        "at 9 this morning": "05-10T09:00 05-10T10:00",
        "tomorrow at noon": "05-11T12:00 05-11T13:00",
    },
    "holidays": {
        "last Christmas": "2022-12-25 2022-12-26",
        "Christmas 2021": "2021-12-25 2021-12-26",
        "Easter": "04-09 04-10",
        "Thanksgiving last year": "2022-11-24 2022-11-25",
        "Mother’s Day": "2022-05-08 2022-05-09",
        "Chinese New Year": "01-22 01-23",
        "the Mid-Autumn Festival": "2022-09-10 2022-09-11",
    },
    "ranges": {
        "from Monday to Wednesday": "05-08 05-11",
        "between May 2 and May 5": "05-02 05-06",
        "May 2-5": "05-02 05-06",
        "from May 2 to 5": "05-02 05-06",
        "5-9 May 2022": "2022-05-05 2022-05-10",
        "from December 28 to January 3": "2022-12-28 01-04",
        "between 2019 and 2021": "2019-01-01 2022-01-01",
        "from last Monday until now": "05-08 05-10T09:15",
        "from May 2 to May 9, 2021": "2021-05-02 2021-05-10",
    },
    "open ranges": {
        "since last Monday": "05-08 -",
        "since the year 2000": "2000-01-01 -",
        "since 2020": "2020-01-01 -",
        "after Christmas": "2022-12-26 -",
        "before June": "- 2022-06-01",
        "until last week": "- 05-08",
        "from Monday on": "05-08 -",
    },
    "beside a day": {
        "the day before Christmas": "2022-12-24 2022-12-25",
        "two days after Christmas": "2022-12-27 2022-12-28",
        "the week before Christmas": "2022-12-18 2022-12-25",
    },
    "impossible": {
        "February 30": INVALID,
        "Feb 29, 2023": INVALID,
        "the 31st of June": INVALID,
        "2022-13-01": INVALID,
        "from 2021 to 2019": INVALID,
        "from May 9 to May 2": INVALID,
        "May 9-2": INVALID,
    },
    "no time": dict.fromkeys(
        [
            "recently",
            "as a child",
            "the other day",
            "for three hours",
            "every other Friday",
            "on Sundays",
            "every day at 5 pm",
            "I may go",
            "the band will march",
            "May is my friend",
            "What did April tell me?",
            "I sat down",
            "Sunday school",
            "spring rolls",
            "I fell in love last",
            "the fall was bad",
            "a Christmas tree",
            "New Year's resolutions",
            "Blade Runner 2049",
            "room 2022",
            "after 2000 steps",
            "the 5th floor",
            "my 30th birthday",
            "the 21st century",
            "in my 30s",
            "open 24/7",
            "version 5.2",
            "9/11",
            "half past my bedtime",
            "last name",
            "I like summer",
            '"Yesterday"',
            '"Summer of Love"',
        ],
        NOTHING,
    ),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [pytest.param(text, expected, id=text) for cases in CASES.values() for text, expected in cases.items()],
)
def test_english(text: str, expected: str) -> None:
    assert ends(text) == expected


@pytest.mark.parametrize(
    "around", ["What did I do {}?", "{}, where was I?", "Do you know what I said {} to me"]
)
@pytest.mark.parametrize("words", ["last summer", "on May 2nd", "two weeks ago", "from Monday to Wednesday"])
def test_the_sentence_around_changes_nothing(around: str, words: str) -> None:
    assert ends(around.format(words)) == ends(words)
