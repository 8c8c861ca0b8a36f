"""The reranker: a real CrossEncoder made for the test, and its host with deadlines, faults and an end."""

from __future__ import annotations

import importlib.util
import logging
import math
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_client.deadline import Deadline
from memory_client.errors import DeadlineExceededError, InvalidParameterError, ModelUnavailableError
from memoryd.models.cross_encoder import CrossEncoderModel
from memoryd.models.reranker import PairScorer, RerankerChoice, RerankerHost
from support.cross_encoder import SOON, ScriptedScorer, write_cross_encoder

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None,
    reason="NOT TESTED: sentence-transformers is not installed (extra `dev` has it)",
)
pytestmark = pytest.mark.xdist_group("torch")  # one worker imports it
CHOICE = RerankerChoice("scripted")

Opener = Callable[[RerankerChoice], PairScorer]
Hosted = Callable[..., RerankerHost]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reranker") / "overlap"
    write_cross_encoder(made)
    return made


@pytest.fixture
def model(folder: Path) -> Iterator[CrossEncoderModel]:
    made = CrossEncoderModel(str(folder))
    yield made
    made.close()


@pytest.fixture
def hosted() -> Iterator[Hosted]:
    """Makes started hosts; closes them in the end."""
    made: list[RerankerHost] = []

    def make(choice: RerankerChoice = CHOICE, **options: Opener) -> RerankerHost:
        made.append(RerankerHost(choice, **options))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def scripted() -> Iterator[ScriptedScorer]:
    made = ScriptedScorer()
    yield made
    made.held.set()


@pytest.fixture
def ready(scripted: ScriptedScorer, hosted: Hosted) -> RerankerHost:
    made = hosted(opener=lambda _: scripted)
    assert made.wait(Deadline.after(SOON)) == "ready"
    return made


def soon() -> Deadline:
    return Deadline.after(SOON)


def waiting(host: RerankerHost) -> int:
    return len(host._waiting)


def until(condition: Callable[[], bool]) -> None:
    limit = Deadline.after(SOON)
    while not condition():
        limit.check("waiting for the test's condition")
        threading.Event().wait(0.005)


# The model


@needs_library
@pytest.mark.parametrize(
    ("query", "texts", "order"),
    [
        (
            "I like ramen",
            ["the weather is fine", "i like cats", "I like ramen the weather is fine", "I like ramen"],
            [3, 1, 2, 0],
        ),
        ("我喜欢拉面", ["天气很好", "我喜欢猫", "我喜欢拉面", "你喜欢吃"], [2, 1, 3, 0]),
    ],
)
def test_the_order_of_a_real_model(
    model: CrossEncoderModel, query: str, texts: list[str], order: list[int]
) -> None:
    scores = model.scores(query, texts)
    assert scores is not None
    assert sorted(range(len(texts)), key=lambda at: -scores[at]) == order
    assert all(0 < score < 1 for score in scores)


@needs_library
def test_scores_are_the_logistic_function_of_what_the_library_gives(
    model: CrossEncoderModel, folder: Path
) -> None:
    import torch
    from sentence_transformers import CrossEncoder

    texts = ["ramen", "i like tea", "the weather is fine", "我 like cats"] * 6
    raw = CrossEncoder(str(folder), device="cpu", local_files_only=True).predict(
        [("i like ramen", text) for text in texts],
        activation_fn=torch.nn.Identity(),
        show_progress_bar=False,
    )
    expected = [1 / (1 + math.exp(-float(each))) for each in raw]
    assert model.scores("i like ramen", texts) == pytest.approx(expected, abs=1e-5)


@needs_library
def test_a_text_scores_the_same_in_any_company(model: CrossEncoderModel) -> None:
    texts = [" ".join(["ramen"] * n + ["tea"] * 3) for n in range(20)]
    together = model.scores("i like ramen", texts)
    assert together is not None
    alone = [model.scores("i like ramen", [text]) for text in texts]
    assert together == pytest.approx([each[0] for each in alone if each], abs=1e-5)


@needs_library
@pytest.mark.parametrize(
    "text", ["a\0b", "x \ud800 y", "👩‍👩‍👧‍👦", "ramen " * 50_000, "面" * 100_000], ids=range(5)
)
def test_awkward_texts(model: CrossEncoderModel, text: str) -> None:
    for query, other in ((text, "ramen"), ("ramen", text), (text, text)):
        scores = model.scores(query, [other])
        assert scores is not None
        assert 0 <= scores[0] <= 1


@needs_library
def test_nothing_and_blank_texts(model: CrossEncoderModel) -> None:
    assert model.scores("ramen", []) == []
    with pytest.raises(InvalidParameterError):
        model.scores("ramen", [" \0"])


@needs_library
def test_it_stops_between_batches(model: CrossEncoderModel) -> None:
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert model.scores("ramen", ["tea"] * 100, stop) is None
    assert len(asked) == 3


@needs_library
def test_scores_that_are_no_numbers(folder: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    broken = tmp_path / "broken"
    broken.mkdir()
    for file in folder.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    weights = load_file(broken / "model.safetensors")
    weights["classifier.bias"] = torch.full_like(weights["classifier.bias"], math.nan)
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailableError, match="no numbers"):
        CrossEncoderModel(str(broken))


@needs_library
def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "none"
    with pytest.raises(ModelUnavailableError) as caught:
        CrossEncoderModel(str(path))
    for word in (str(path), "path of its directory", "reranker.allow_downloads"):
        assert word in str(caught.value)


@needs_library
def test_a_device_that_is_not_there(folder: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=r"set reranker\.device to cpu"):
        CrossEncoderModel(str(folder), device="cuda:99")


@needs_library
def test_a_model_of_several_labels(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path / "labels", labels=3)
    with pytest.raises(ModelUnavailableError, match="3 labels"):
        CrossEncoderModel(str(tmp_path / "labels"))


@needs_library
def test_a_model_that_was_never_trained_to_score(tmp_path: Path) -> None:
    """The library would give it a head of random weights and say nothing more."""
    write_cross_encoder(tmp_path / "headless", headless=True)
    with pytest.raises(ModelUnavailableError, match="no reranker"):
        CrossEncoderModel(str(tmp_path / "headless"))


@needs_library
def test_nothing_is_asked_of_the_network_unless_allowed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asked(BaseException):
        """Not to be caught by the library, which would try again for a minute."""

    def refuse(*_: object, **__: object) -> None:
        raise Asked

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    CrossEncoderModel(str(folder)).scores("x", ["x"])
    with pytest.raises(ModelUnavailableError, match=r"reranker\.allow_downloads"):
        CrossEncoderModel("somebody/no-such-model")
    with pytest.raises(Asked):
        CrossEncoderModel("somebody/no-such-model", allow_downloads=True)


@needs_library
def test_loading_and_scoring_are_silent(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils.logging import enable_progress_bar

    enable_progress_bar()
    model = CrossEncoderModel(str(folder))
    model.scores("ramen", ["tea"])
    model.close()
    assert capfd.readouterr() == ("", "")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryd.models.st_library.installed", lambda: False)
    with pytest.raises(ModelUnavailableError, match=r"pip install 'memoryd\[st\]'"):
        CrossEncoderModel("anything")


# The host


@needs_library
def test_the_host_with_a_real_model(folder: Path, hosted: Hosted) -> None:
    host = hosted(RerankerChoice(str(folder)))
    assert host.wait(soon()) == "ready"
    scores = host.scores("我喜欢拉面", ["天气很好", "我喜欢拉面"], soon())
    assert scores[1] > scores[0]
    assert host.status() == {
        "model": str(folder),
        "state": "ready",
        "device": "cpu",
        "error": None,
        "answered_count": 1,
        "timeout_count": 0,
    }


@needs_library
def test_the_host_without_its_model(tmp_path: Path, hosted: Hosted) -> None:
    host = hosted(RerankerChoice(str(tmp_path / "none")))
    assert host.wait(soon()) == "unavailable"
    with pytest.raises(ModelUnavailableError, match="path of its directory"):
        host.scores("q", ["1"], soon())
    assert "path of its directory" in str(host.status()["error"])


def test_off(hosted: Hosted) -> None:
    host = hosted(RerankerChoice())
    assert host.state == host.wait(soon()) == "off"
    with pytest.raises(ModelUnavailableError, match=r"reranker\.model is empty"):
        host.scores("q", ["1"], soon())
    assert (host.status()["state"], host.status()["error"]) == ("off", None)


def test_loading_keeps_nobody_waiting(scripted: ScriptedScorer, hosted: Hosted) -> None:
    gate = threading.Event()

    def opener(_: RerankerChoice) -> PairScorer:
        assert gate.wait(SOON)
        return scripted

    host = hosted(opener=opener)
    assert host.state == host.wait(Deadline.after(0)) == "loading"
    with pytest.raises(ModelUnavailableError, match="still loading"):
        host.scores("q", ["1"], Deadline.after(None))
    gate.set()
    assert host.wait(soon()) == "ready"
    assert host.scores("q", ["0.5"], soon()) == [0.5]


def test_a_loader_that_breaks_down(hosted: Hosted, caplog: pytest.LogCaptureFixture) -> None:
    def opener(_: RerankerChoice) -> PairScorer:
        raise OSError("no such bus")

    host = hosted(opener=opener)
    assert host.wait(soon()) == "unavailable"
    with pytest.raises(ModelUnavailableError, match="no such bus"):
        host.scores("q", ["1"], soon())
    assert "no reranking" in caplog.text


def test_the_deadline_passes(ready: RerankerHost, scripted: ScriptedScorer) -> None:
    scripted.held.clear()
    with pytest.raises(DeadlineExceededError, match="reranking with scripted"):
        ready.scores("slow", ["1"], Deadline.after(0.05))
    scripted.held.set()
    assert ready.scores("next", ["1"], soon()) == [1.0]
    assert (ready.status()["answered_count"], ready.status()["timeout_count"]) == (1, 1)


def test_a_busy_reranker_is_waited_for_until_the_deadline(
    ready: RerankerHost, scripted: ScriptedScorer
) -> None:
    scripted.held.clear()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(ready.scores, "first", ["1"], soon())
        assert scripted.entered.wait(SOON)
        for _ in range(3):
            with pytest.raises(DeadlineExceededError, match="busy"):
                ready.scores("second", ["1"], Deadline.after(0.02))
        assert waiting(ready) == 0
        patient = ThreadPoolExecutor(1)
        third = patient.submit(ready.scores, "third", ["0.25"], soon())
        until(lambda: waiting(ready) == 1)
        scripted.held.set()
        assert first.result(SOON) == [1.0]
        assert third.result(SOON) == [0.25]
        patient.shutdown()
    assert scripted.queries == ["first", "third"]


def test_a_failing_model_is_logged_once_until_it_works_again(
    ready: RerankerHost, scripted: ScriptedScorer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scripted.fault = RuntimeError("out of memory")
    for _ in range(3):
        with pytest.raises(ModelUnavailableError, match="out of memory"):
            ready.scores("q", ["1"], soon())
    assert ready.state == "ready"
    scripted.fault = None
    assert ready.scores("q", ["1"], soon()) == [1.0]
    lines = [record.message for record in caplog.records]
    assert sum("out of memory" in line for line in lines) == 1
    assert lines[-1] == "the reranker works again"


def test_many_threads_get_their_own_scores(ready: RerankerHost) -> None:
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda n: ready.scores(str(n), [str(n / 100)] * 3, soon()), range(100)))
    assert got == [[n / 100] * 3 for n in range(100)]


def test_closing_frees_whoever_waits(ready: RerankerHost, scripted: ScriptedScorer) -> None:
    scripted.held.clear()
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(ready.scores, "first", ["1"], soon())
        assert scripted.entered.wait(SOON)
        second = pool.submit(ready.scores, "second", ["1"], soon())
        until(lambda: waiting(ready) == 1)
        closing = pool.submit(ready.close)
        with pytest.raises(ModelUnavailableError, match="closed"):
            second.result(SOON)
        scripted.held.set()
        closing.result(SOON)
        with pytest.raises(ModelUnavailableError, match="closed"):
            first.result(SOON)
    assert scripted.closed
    with pytest.raises(ModelUnavailableError, match="closed"):
        ready.scores("q", ["1"], soon())
    ready.close()


def test_closing_while_it_loads(scripted: ScriptedScorer, hosted: Hosted) -> None:
    gate, begun = threading.Event(), threading.Event()

    def opener(_: RerankerChoice) -> PairScorer:
        begun.set()
        assert gate.wait(SOON)
        return scripted

    host = hosted(opener=opener)
    assert begun.wait(SOON)
    with ThreadPoolExecutor(1) as pool:
        closing = pool.submit(host.close)
        until(lambda: host.state == "unavailable")
        gate.set()
        closing.result(SOON)
    assert scripted.closed
    assert host.state == "unavailable"


def test_closing_what_was_never_started() -> None:
    RerankerHost(CHOICE).close()
