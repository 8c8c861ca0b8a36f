"""The simulated year: the person is the same every time, the figures and the plot are told right."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

from simulation.person import ABSENCES, DAYS, KINDS, Person
from simulation.report import lines, plot
from simulation.svg import Chart, Line, document
from simulation.year import MONTHS, Absence, Age, Daily, Year


def year() -> Year:
    one = Year(uses=3, restored=1)
    for kind in KINDS:
        for months in MONTHS:
            one.ages[kind, months] = Age(asked=8, active=2, found=6)
        one.states[kind] = Counter(active=2, archived=1)
    one.days = [
        Daily(day, True, active=day, archived=2, pending=1, archives=day % 3, reviews=1, bytes=2**20)
        for day in range(400)
    ]
    one.absences = {"wall": Absence(Counter(guessed=9), Counter(guessed=4), 5, 3, 10)}
    return one


def told(seed: int) -> list[tuple[str, str, str]]:
    person = Person(seed)
    return [(one.kind, one.text, one.question) for day in range(60) for one in person.tells(day)]


def test_a_seed_is_a_person() -> None:
    assert told(7) == told(7)
    assert told(7) != told(8)
    assert Person(7).days() == Person(7).days()


def test_no_two_memories_answer_the_same_question() -> None:
    person = Person(7)
    for kind in KINDS:
        questions = [one.question for day in range(DAYS) for one in person.tells(day) if one.kind == kind]
        assert len(questions) > 10
        assert len(set(questions)) == len(questions)


def test_nobody_is_there_in_an_absence() -> None:
    days = Person(7).days()
    assert len(days) == DAYS
    assert not any(any(days[first : last + 1]) for first, last in ABSENCES)
    assert sum(days) > DAYS / 2


def test_the_figures() -> None:
    report = "\n".join(lines(year()))
    assert "25 % (75 %) of 8" in report
    assert "after 12 months: 12 of 16 found, 4 active" in report
    assert "guessed 9 -> 4" in report
    assert "5 of 10 from the active, 3 more from the archive" in report
    assert "1.00 reviews (most 1); 1 restored by use" in report
    assert "day 365 1.0 MB (365 active, 2 archived)" in report


def test_the_plot_is_well_formed() -> None:
    root = ElementTree.fromstring(plot(year()))
    assert root.tag.endswith("svg")
    assert len(root.findall("{*}g")) == 4


def test_a_line_goes_where_its_points_are() -> None:
    chart = Chart("t <&>", "x", [0, 10], [0, 2], [Line("one", [(0, 0), (10, 2)])], [(2, 4)])
    text = document([chart])
    assert 'd="M60.0 220.0L750.0 40.0"' in text
    assert "t &lt;&amp;&gt;" in text
    ElementTree.fromstring(text)
