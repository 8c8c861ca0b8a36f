"""Texts of all kinds go in and come back, are found, or are refused clearly; credentials are never stored."""

from __future__ import annotations

import random
import sqlite3
import string
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_client.errors import InvalidParameterError, StorageError
from memoryd.knowledge_base import KnowledgeBase
from memoryd.storage import physical_removal
from support.faces import Face
from support.waiting import eventually

KB = Any

TEXTS = {
    "chinese": "主人说：“明天下午三点，在西湖边的茶馆见面。”",
    "traditional": "他對這個專案的進度感到滿意，預計下週完成",
    "mixed": "C盘满了，用 Docker 清理 WSL2 的 vhdx 文件",
    "emoji": "👨‍👩‍👧‍👦 周末去爬山 🏔️ and 🍜!",
    "combining": "e\u0301cole naïve Ångström ﬁne",
    "full width": "ＡＢＣ１２３　全角",
    "right to left": "שלום עולם مرحبا بالعالم",
    "controls": "tab\there\nnew line\r\nbell\x07 end",
    "markup": "<script>alert('x')</script> [[wiki]] {json: true} %s %d \\n",
    "sql": "Robert'); DROP TABLE memories;--",
    "one letter": "x",
    "one sign": "。",
    "bom": "\ufeffstarts with a mark",
    "not characters": "\uffff \ufdd0 \U0010ffff",
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_come_back_as_they_were(face: Face, user: str, name: str) -> None:
    kb, text = face.kb, TEXTS[name]
    id = kb.add(text, {"note": text}, user_id=user)
    memory = kb.get(id, user_id=user)
    assert memory is not None
    assert memory["text"] == text
    assert memory["metadata"]["note"] == text
    assert memory["warnings"] == []
    assert kb.get_all(user)[0]["text"] == text
    for mode in ("auto", "lexical"):
        assert all(hit["text"] == text for hit in kb.search(text, user_id=user, mode=mode))
    assert kb.page({"text": text}, user_id=user)["total"] == 1


def test_nul_becomes_a_space_and_that_is_said(face: Face, user: str) -> None:
    kb = face.kb
    id = kb.add("before\0after\0", user_id=user)
    memory = kb.get(id, user_id=user)
    assert memory is not None
    assert memory["text"] == "before after "
    assert memory["warnings"] == ["2 NUL characters became spaces"]
    assert [hit["id"] for hit in kb.search("after", user_id=user, mode="lexical")] == [id]
    assert kb.update_text(id, "new\0text", user_id=user)["version"] == 2
    assert kb.get(id, user_id=user)["warnings"] == ["1 NUL characters became spaces"]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000\u2003", "\0\0", " \0 "])
def test_blank_texts_are_refused(face: Face, user: str, text: str) -> None:
    kb = face.kb
    id = kb.add("x", user_id=user)
    for call, name in (
        (lambda: kb.add(text, user_id=user), "text"),
        (lambda: kb.add_many(["fine", text], user_id=user), "items[1]"),
        (lambda: kb.add_many([{"text": text}], user_id=user), "items[0].text"),
        (lambda: kb.update_text(id, text, user_id=user), "text"),
    ):
        with pytest.raises(InvalidParameterError, match="blank") as caught:
            call()
        assert caught.value.data["parameter"] == name
    assert kb.count(user_id=user) == 1


@pytest.mark.parametrize("text", ["\ud800", "half a pair \udc00 here"])
def test_lone_surrogates_are_refused(face: Face, user: str, text: str) -> None:
    kb = face.kb
    for call, name in (
        (lambda: kb.add(text, user_id=user), "text"),
        (lambda: kb.add_many(["fine", text], user_id=user), "items[1]"),
        (lambda: kb.search(text, user_id=user), "query"),
        (lambda: kb.page({"text": text}, user_id=user), "filters.text"),
    ):
        with pytest.raises(InvalidParameterError) as caught:
            call()
        assert caught.value.data["parameter"].startswith(name)
    assert kb.count(user_id=user) == 0


def test_texts_over_the_limit_are_refused_and_at_the_limit_stored(wordy: Face, user: str) -> None:
    kb = wordy.kb
    with pytest.raises(InvalidParameterError, match=r"limits\.text_chars") as caught:
        kb.add("长" * 1_000_001, user_id=user)
    assert caught.value.data["parameter"] == "text"
    assert len(str(caught.value)) < 1000
    id = kb.add("长" * 1_000_000, user_id=user)
    assert len(kb.get(id, user_id=user)["text"]) == 1_000_000


def test_a_text_of_100_kb_is_stored_whole_and_found_by_its_end(ready: Face, user: str) -> None:
    kb = ready.kb
    words = random.Random(7)
    filler = " ".join("".join(words.choices(string.ascii_lowercase, k=6)) for _ in range(14_000))
    text = f"{filler} 最后一句：密室的钥匙藏在钢琴下面"
    assert len(text.encode()) > 98_000
    id = kb.add(text, user_id=user)
    assert kb.get(id, user_id=user)["text"] == text
    assert [hit["id"] for hit in kb.search("钢琴", user_id=user, mode="lexical")] == [id]
    assert kb.update_text(id, f"{text}。", user_id=user)["version"] == 2
    kb.delete(id, user_id=user)


def test_nobody_waits_for_a_long_text_and_a_deleted_one_is_left_off(ready: Face, user: str) -> None:
    """Which takes minutes to embed; the others wait for their vectors, too, as they are over 1 KB."""
    kb = ready.kb
    letters = random.Random(8)
    text = " ".join("".join(letters.choices(string.ascii_lowercase, k=6)) for _ in range(50_000))
    long = kb.add(text, user_id=user)
    eventually("it is in hand", lambda: kb.status()["pending_vector_count"] == 1, 20)

    behind = kb.add(f"{'the weather was fine. ' * 60} then the cat caught a mouse", user_id=user)
    eventually("what came behind has its vector", lambda: kb.status()["pending_vector_count"] == 1, 20)
    assert kb.search("the cat", user_id=user, mode="semantic")[0]["id"] == behind

    kb.delete(long, user_id=user)
    kb.update_text(behind, f"{'the weather was bad. ' * 60} then the dog caught a rat", user_id=user)
    eventually("nothing waits any more", lambda: kb.status()["pending_vector_count"] == 0, 20)


SECRETS = {
    "aws": ("AKIAIOSFODNN7EXAMPL2", "AKIAIOSFODNN7EXAMPL2"),
    "github": ("ghp_" + "Ab3dE" * 7 + "x", "Ab3dEAb3dE"),
    "openai": ("sk-proj-" + "a1B2c3D4" * 5, "a1B2c3D4a1B2"),
    "url": ("postgres://admin:Tr0ub4dor%263@db.example.com/x", "Tr0ub4dor"),
    "key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\nZm9vYmFyYmF6\n-----END RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7bq",
    ),
    "slack": ("xoxb-123456789012-123456789012-" + "aBcDeF" * 4, "aBcDeFaBcDeF"),
}


def test_credentials_are_replaced_before_anything_is_written(wordy: Face, user: str) -> None:
    kb = wordy.kb
    ids = []
    for secret, _ in SECRETS.values():
        ids.append(kb.add(f"记一下 {secret} 好的", {"note": f"x {secret} y", "list": [secret]}, user_id=user))
        ids += kb.add_many([{"text": f"many {secret}", "metadata": {"deep": {"er": secret}}}], user_id=user)
        changed = kb.add("harmless", user_id=user)
        kb.update_text(changed, f"now with {secret}", user_id=user)
        kb.update_metadata(changed, {"note": secret, "tags": [secret.splitlines()[0][:60]]}, user_id=user)
        ids.append(changed)
        kb.search(f"where is {secret}", user_id=user)
    for memory in kb.get_many(ids, user_id=user):
        assert memory is not None
        assert "[secret:" in memory["text"]
        assert memory["redactions"]["secrets"]
        for _, core in SECRETS.values():
            assert core not in str(memory)
    kb.admin.compact()
    for name, (_, core) in SECRETS.items():
        assert files_with(wordy, core) == [], name


def test_a_request_that_is_refused_leaves_no_credential_either(face: Face, user: str) -> None:
    secret, core = SECRETS["github"]
    with pytest.raises(InvalidParameterError):
        face.kb.add(f"x {secret}", {"importance": 99, "note": secret}, user_id=user)
    with pytest.raises(InvalidParameterError):
        face.kb.add(f"x {secret}", {"category": secret}, user_id=user)
    assert files_with(face, core) == []


def files_with(face: Face, text: str) -> list[str]:
    """Files of the data directory that hold a text, as it is or in lower case; backups excepted."""
    needles = (text.encode(), text.lower().encode())
    found = []
    for path in sorted(face.home.rglob("*")):
        if path.is_file() and face.paths.backups not in path.parents:
            content = path.read_bytes()
            if any(needle in content for needle in needles):
                found.append(str(path.relative_to(face.home)))
    return found


def test_what_is_looked_for_would_be_found(face: Face, user: str) -> None:
    """The scan can fail: a text that is no credential does stand in the files."""
    face.kb.add("Xylophonklang im Treppenhaus", user_id=user)
    assert files_with(face, "Xylophonklang")


def test_delete_all_leaves_no_byte(ready: Face, user: str) -> None:
    kb = ready.kb
    user = f"Rumpelstilz-{user}"
    marks = [f"Kolibri{n}Quastenflosser" for n in range(6)] + ["麒麟踏雪寻梅去", "貔貅夜半敲钟声"]
    other = f"other than {user[-8:]}"
    kept = kb.add("this one stays: Wombatkind", user_id=other)
    ids = kb.add_many([f"the word is {mark}" for mark in marks], user_id=user)
    for id, mark in zip(ids, marks, strict=True):
        kb.update_text(id, f"now it is {mark} and more", user_id=user)
        kb.update_metadata(id, {"note": f"meta {mark}", "tags": [f"tag{mark}"]}, user_id=user)
    of_agent = kb.add(f"agent's {marks[0]}", user_id=user, agent_id="Agentlein")
    kb.delete(of_agent, user_id=user, agent_id="Agentlein")
    kb.delete(ids[0], user_id=user)
    kb.search(f"where is {marks[1]}", user_id=user)
    turns = _converse(kb, user)
    kept_turn = kb.conversation.append("Treffen", "user", "stays: Dachshundrede", user_id=other)["id"]
    eventually("the vectors are in the store", lambda: kb.status()["pending_vector_count"] == 0, 60)
    assert all(files_with(ready, mark) for mark in [*marks[1:], *turns])

    receipt = kb.delete_all(user, request_id="Rumpelstilz leaves")

    assert receipt["counts"]["memories"] == len(marks) - 1
    assert receipt["counts"]["turns"] == 3
    for mark in [*marks, *turns, "Agentlein", "Rumpelstilz", "Nebelkrähensitzung"]:
        assert files_with(ready, mark) == [], mark
    for mark in marks[-2:]:  # the terms of the keyword index
        for i in range(len(mark) - 1):
            pair = mark[i : i + 2]
            if pair in ("夜半", "敲钟", "钟声"):
                assert files_with(ready, pair) == [], pair
    assert kb.conversation.get(kept_turn, user_id=other)["text"] == "stays: Dachshundrede"
    assert kb.get(kept, user_id=other) is not None
    assert kb.search("Wombatkind", user_id=other, mode="lexical")[0]["id"] == kept
    assert kb.search("a word that stays", user_id=other, mode="semantic")[0]["id"] == kept
    assert all(finding["ok"] for finding in kb.admin.doctor() if finding["check"] != "disk")


def _converse(kb: Any, user: str) -> list[str]:
    """Turns of every kind; the words by which they are known."""
    words = ["Pfeifhasengespräch", "Erdferkelantwort", "Blaufußtölpelwort"]
    conversation, name = kb.conversation, "Nebelkrähensitzung"
    conversation.append(
        name, "user", words[0], user_id=user, speaker=f"von {words[1]}", metadata={words[2]: 1}
    )
    items = [{"role": "user", "text": f"{word} 麒麟踏雪寻梅去"} for word in words]
    ids = conversation.extend(name, items, user_id=user)["ids"]
    conversation.delete(ids[:2], user_id=user)
    conversation.append(name, "tool", f"for now {words[1]}", user_id=user, remember=False)
    return words


def test_delete_all_does_not_claim_what_it_could_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader of the database keeps the write-ahead log alive, and with it what was deleted."""
    monkeypatch.setattr(physical_removal, "_WAL_PATIENCE", 0.2)
    home = tmp_path / "home"
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        kb.add("Kolibriquastenflosser", user_id="u")
        with closing(sqlite3.connect(home / "memory.sqlite3", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchone()
            with pytest.raises(StorageError, match="still holds what was deleted"):
                kb.delete_all("u", request_id="r")
            assert kb.get_all("u") == []
            assert kb.add("writes go on", user_id="v")
        assert kb.delete_all("u", request_id="r")["counts"] == {"memories": 1, "turns": 0, "points": 0}
        assert files_with(Face("in-process", kb, home), "Kolibriquastenflosser") == []


def test_no_copy_is_left_in_the_unused_part_of_a_page(tmp_path: Path) -> None:
    """Rows of two users, of all sizes, changed now and then: SQLite splits pages and leaves old copies."""
    dice = random.Random(11)
    home = tmp_path / "home"
    with KnowledgeBase(home, settings={"embedder.model": "none"}) as kb:
        for number in range(12):
            user = "leaver" if number % 2 else "stayer"
            texts = [f"{user}{number}x{n} {'word ' * dice.randint(1, 300)}" for n in range(50)]
            for id in dice.sample(kb.add_many(texts, user_id=user), 20):
                kb.update_text(id, f"{user}{number}again {'other ' * dice.randint(1, 300)}", user_id=user)
        kb.delete_all("leaver")
        face = Face("in-process", kb, home)
        assert files_with(face, "stayer")
        assert files_with(face, "leaver") == []
