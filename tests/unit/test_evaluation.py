"""The evaluation reads both formats, scores as stated and survives odd evidence."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluation.datasets import POOLED, DatasetError, Question, evidence_ids, load
from evaluation.metrics import distinct, hit, mean, percentile, recall
from evaluation.report import table, write_lines
from evaluation.runner import EvaluationError, asked, run, wait_for_vectors

LOCOMO = [
    {
        "sample_id": "one",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_2_date_time": "1:05 pm on 3 June, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "The cat is called Plum."}],
            "session_1_date_time": "12:30 am on 2 June, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello!"},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a red kite"},
            ],
        },
        "qa": [
            {"question": "Which cat?", "answer": "Plum", "evidence": ["D2:1; D1:2"], "category": 1},
            {"question": "What flew?", "adversarial_answer": "a kite", "evidence": ["D1:2"], "category": 5},
            {"question": "Why?", "answer": "?", "evidence": [], "category": 3},
            {"question": "Where?", "answer": "?", "evidence": ["D9:9"], "category": 4},
        ],
    }
]
MEMORYBANK = {
    "users": [
        {
            "user": "小林",
            "history": {
                "2023-05-02": [{"query": "我养了一只猫", "response": "它叫什么？"}],
                "2023-05-01": [
                    {"query": "你好", "response": "你好呀"},
                    {"query": "我爱吃面", "response": "好"},
                ],
            },
        },
        {"user": "小王", "history": {"2023-05-01": [{"query": "我爱跑步", "response": "真棒"}]}},
    ],
    "questions": [
        {"user": "小林", "question": "我吃什么？", "kind": "fact", "any_of": ["2023-05-01#1"], "all_of": []},
        {
            "user": "小林",
            "question": "都有什么？",
            "kind": "list",
            "any_of": [],
            "all_of": ["2023-05-01#1", "2023-05-02#0"],
        },
    ],
}


def written(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return path


def question(any_of: str = "", all_of: str = "") -> Question:
    return Question("s", "suite", "fact", "?", frozenset(any_of), frozenset(all_of))


class Keeper:
    """A store that answers every question with all it has, oldest first."""

    def __init__(self, pending: list[int] | None = None) -> None:
        self.kept: dict[str, list[dict[str, Any]]] = {}
        self.sessions: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.pending = pending or [0]
        self.conversation = self

    def extend(self, session_id: str, turns: list[dict[str, Any]], *, user_id: str) -> dict[str, Any]:
        kept = self.kept.setdefault(user_id, [])
        first = len(kept)
        kept += turns
        self.sessions.append(session_id)
        return {"ids": [f"{user_id}/{i}" for i in range(first, len(kept))]}

    def add_many(self, items: list[dict[str, Any]], *, user_id: str) -> list[str]:
        return list(self.extend("", items, user_id=user_id)["ids"])

    def search(self, query: str, n_results: int = 5, **options: Any) -> list[Any]:
        assert query
        self.asked.append(options)
        ids = [f"{options['user_id']}/{i}" for i in range(len(self.kept[options["user_id"]]))]
        return [{"id": i, "explain": {"mode": "lexical"}} for i in ids[:n_results]]

    def status(self) -> Any:
        pending = self.pending.pop(0) if len(self.pending) > 1 else self.pending[0]
        return {"pending_vector_count": pending, "embedder": {}}


def test_locomo_turns_carry_speaker_caption_and_time(tmp_path: Path) -> None:
    dataset = load(written(tmp_path / "l.json", LOCOMO))
    turns = dataset.stores["one"]
    assert [t.id for t in turns] == ["D1:1", "D1:2", "D2:1"]
    assert [t.text for t in turns] == ["Hello!", "Look. [image: a red kite]", "The cat is called Plum."]
    assert [(t.role, t.speaker) for t in turns] == [("user", "Ann"), ("assistant", "Bo"), ("assistant", "Bo")]
    assert turns[0].time == datetime(2023, 6, 2, 0, 30, tzinfo=UTC).timestamp()
    assert turns[0].time < turns[1].time < turns[2].time
    assert [t.session for t in turns] == ["session_1", "session_1", "session_2"]
    assert dataset.reference("one") == turns[2].time


def test_locomo_questions_without_resolvable_evidence_are_left_out(tmp_path: Path) -> None:
    dataset = load(written(tmp_path / "l.json", LOCOMO))
    assert [(q.text, q.category) for q in dataset.questions] == [
        ("Which cat?", "multi-hop"),
        ("What flew?", "adversarial"),
    ]
    assert dataset.questions[0].all_of == {"D2:1", "D1:2"}
    assert dataset.skipped == 2


@pytest.mark.parametrize(
    ("written_as", "ids"),
    [
        (["D1:2"], ["D1:2"]),
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D9:1 D4:4", "D1:03"], ["D9:1", "D4:4", "D1:3"]),
        (["D:11:26"], ["D11:26"]),
        (["D", ""], []),
    ],
)
def test_evidence_strings(written_as: list[str], ids: list[str]) -> None:
    assert list(evidence_ids(written_as)) == ids


def test_memorybank_questions_count_in_their_own_store_and_pooled(tmp_path: Path) -> None:
    dataset = load(written(tmp_path / "m.json", MEMORYBANK))
    assert {user: len(items) for user, items in dataset.stores.items()} == {"小林": 6, "小王": 2, POOLED: 8}
    words, reply = dataset.stores["小林"][2:4]
    assert (words.text, reply.text, words.role, reply.role) == ("我爱吃面", "好", "user", "assistant")
    assert words.id == reply.id == "2023-05-01#1"
    assert words.time < reply.time
    own, _, pooled, _ = dataset.questions
    assert (own.store, own.any_of) == ("小林", {"2023-05-01#1"})
    assert pooled.store == POOLED
    assert pooled.any_of <= {item.id for item in dataset.stores[POOLED]}
    assert len({item.id for item in dataset.stores[POOLED]}) == 4
    assert len({item.session for item in dataset.stores[POOLED]}) == 3


def test_a_set_says_when_and_where_its_questions_are_asked(tmp_path: Path) -> None:
    said = {**MEMORYBANK, "reference_time": "2023-05-10T12:00:00+08:00", "tz": "Asia/Shanghai"}
    dataset = load(written(tmp_path / "m.json", said))
    store = Keeper()
    run(store, dataset, "lexical", 3, lambda _: None)
    assert {(o["reference_time"], o["tz"]) for o in store.asked} == {
        ("2023-05-10T12:00:00+08:00", "Asia/Shanghai")
    }
    assert all(options["scope"] == ["turn"] for options in store.asked)
    assert store.sessions[:2] == ["2023-05-01", "2023-05-02"]
    assert [turn["role"] for turn in store.kept["小王"]] == ["user", "assistant"]


def test_turns_are_stored_a_session_at_a_time_with_who_said_them_and_when(tmp_path: Path) -> None:
    store = Keeper()
    run(store, load(written(tmp_path / "l.json", LOCOMO)), "lexical", 3, lambda _: None)
    assert store.sessions == ["session_1", "session_2"]
    assert [turn["speaker"] for turn in store.kept["one"]] == ["Ann", "Bo", "Bo"]
    assert store.kept["one"][0]["at"] == datetime(2023, 6, 2, 0, 30, tzinfo=UTC).timestamp()


def test_other_questions_replace_the_own(tmp_path: Path) -> None:
    locomo, memorybank = written(tmp_path / "l.json", LOCOMO), written(tmp_path / "m.json", MEMORYBANK)
    flat = [{"sample_id": "one", "question": "Who?", "evidence": ["D1:1"], "category": 4}]
    assert [q.text for q in load(locomo, written(tmp_path / "q.json", flat)).questions] == ["Who?"]
    listed = written(tmp_path / "q.json", MEMORYBANK["questions"][:1])  # type: ignore[index]
    assert [q.text for q in load(memorybank, listed).questions] == ["我吃什么？"] * 2


@pytest.mark.parametrize("content", ["{", '{"a": 1}', '[{"b": 2}]', "3"])
def test_another_format_is_refused_by_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match=r"odd\.json"):
        load(path)


def test_recall_counts_shares_of_all_and_one_of_any() -> None:
    assert recall(question(all_of="ab"), list("xayb"), 2) == 0.5
    assert recall(question(all_of="ab"), list("xayb"), 4) == 1.0
    assert recall(question(any_of="ab"), list("xayb"), 2) == 1.0
    assert recall(question(any_of="ab"), list("xayb"), 1) == 0.0
    assert recall(question(all_of="a"), [], 5) == 0.0


def test_an_item_found_twice_takes_one_place() -> None:
    assert distinct("aab") == ["a", "b"]
    assert recall(question(all_of="b"), list("aab"), 2) == 1.0


def test_hit_needs_only_one() -> None:
    assert hit(question(all_of="abc"), list("xa"), 2) == 1.0
    assert hit(question(all_of="abc"), list("xa"), 1) == 0.0


def test_mean_and_percentile() -> None:
    assert mean([1.0, 0.0]) == 0.5
    assert math.isnan(mean([]))
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(1, 101)), 0.95) == 95


def test_a_run_is_reported_by_category_with_adversarial_apart(tmp_path: Path) -> None:
    done = run(Keeper(), load(written(tmp_path / "l.json", LOCOMO)), "auto", 2, lambda _: None)
    rows = {line[:28].strip(): line[28:].split() for line in table(done, [1, 2]).splitlines()[1:6]}
    assert rows["LoCoMo: all"] == ["2", "0.000", "[0.00,0.00]", "0.750", "[0.50,1.00]", "0.000", "1.000"]
    assert rows["LoCoMo: all but adversarial"][:4] == ["1", "0.000", "[0.00,0.00]", "0.500"]
    assert rows["LoCoMo: adversarial"][:4] == ["1", "0.000", "[0.00,0.00]", "1.000"]
    write_lines(done, [1, 2], tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["ranked"] for line in lines] == [["D1:1", "D1:2", "D2:1"]] * 2


def test_items_may_be_stored_as_memories_and_asked_for_with_other_weights(tmp_path: Path) -> None:
    keeper = Keeper()
    done = run(keeper, load(written(tmp_path / "l.json", LOCOMO)), "auto", 2, lambda _: None, "memory")
    kept = [one for stored in keeper.kept.values() for one in stored]
    assert all(": " in one["text"] and one["metadata"]["timestamp"] > 0 for one in kept)
    again = asked(keeper, done, "auto", 2, lambda _: None, {"graph": 0.0})
    assert [answer.ranked for answer in again.answers] == [answer.ranked for answer in done.answers]
    assert [options["scope"] for options in keeper.asked] == [["memory"]] * 4
    assert [options["weights"] for options in keeper.asked] == [None, None, {"graph": 0.0}, {"graph": 0.0}]


def test_the_wait_ends_with_the_last_vector_and_names_a_stall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    seen: list[str] = []
    wait_for_vectors(Keeper([9, 4, 0]), seen.append)
    assert seen == ["waiting for 9 vectors", "waiting for 4 vectors"]
    monkeypatch.setattr("evaluation.runner.STALLED_SECONDS", -1.0)
    with pytest.raises(EvaluationError, match="7 vectors"):
        wait_for_vectors(Keeper([7]), seen.append)
