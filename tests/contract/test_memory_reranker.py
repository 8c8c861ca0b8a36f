"""What a store says of its reranker, and that it goes with the store."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from memory_client.paths import DataPaths
from memory_client.types import CheckResult
from memoryd.app.doctor import run_doctor
from memoryd.knowledge_base import KnowledgeBase
from memoryd.models import st_library
from support.cross_encoder import write_cross_encoder
from support.waiting import eventually

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None,
    reason="NOT TESTED: sentence-transformers is not installed (extra `dev` has it)",
)
pytestmark = pytest.mark.xdist_group("torch")  # one worker imports it


def opened(home: Path, model: Path | str) -> KnowledgeBase:
    return KnowledgeBase(home, settings={"embedder.model": "none", "reranker.model": str(model)})


def finding(findings: list[CheckResult]) -> CheckResult:
    return next(each for each in findings if each["check"] == "reranker")


def test_none_is_wanted(home: Path) -> None:
    with opened(home, "") as kb:
        assert kb.status()["reranker"]["state"] == "off"
        assert finding(kb.admin.doctor())["detail"] == "off"


@needs_library
def test_one_that_is_there(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "overlap"
    write_cross_encoder(folder)
    with opened(home, folder) as kb:
        eventually("it is loaded", lambda: kb.status()["reranker"]["state"] == "ready", 60)
        assert finding(kb.admin.doctor())["ok"]
        assert not any("rerank" in warning for warning in kb.status()["warnings"])


@needs_library
def test_a_search_comes_in_its_order_with_its_scores(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "overlap"
    write_cross_encoder(folder)
    texts = ["我喜欢猫，天气很好，我喜欢猫", "我喜欢拉面", "天气很好，拉面"]
    with opened(home, folder) as kb:
        ids = kb.add_many(texts)
        eventually("it is loaded", lambda: kb.status()["reranker"]["state"] == "ready", 60)
        kb.search("我喜欢拉面")  # the library takes its time over the first one
        eventually("it is in time", lambda: "reranker" in kb.search("我喜欢拉面")[0]["scores"])
        hits = kb.search("我喜欢拉面", explain=True)
        assert hits[0]["id"] == ids[1]
        assert [hit["score"] for hit in hits] == [hit["scores"]["reranker"] for hit in hits]
        assert "reranker" in hits[0]["explain"]["milliseconds"]


@needs_library
def test_one_that_is_not_there(home: Path, tmp_path: Path) -> None:
    with opened(home, tmp_path / "none") as kb:
        eventually("it has failed", lambda: kb.status()["reranker"]["state"] == "unavailable", 60)
        said = [
            *kb.status()["warnings"],
            kb.status()["reranker"]["error"],
            finding(kb.admin.doctor())["detail"],
        ]
        assert sum(f"{tmp_path / 'none'} does not load" in str(each) for each in said) == 3
        assert not finding(kb.admin.doctor())["ok"]
        kb.add("the store works without it")


def test_doctor_without_the_library(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(home, ""):
        pass
    monkeypatch.setenv("MEMORYD_RERANKER_MODEL", "some/reranker")
    monkeypatch.setattr(st_library, "installed", lambda: False)
    found = finding(run_doctor(DataPaths(home)))
    assert (found["ok"], found["fix"]) == (False, "pip install 'memoryd[st]'")
