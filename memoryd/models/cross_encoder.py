"""A sentence-transformers CrossEncoder, by name or path, that scores how well texts answer a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_client.errors import ModelUnavailableError
from memoryd.models.st_library import load_model, on_device
from memoryd.models.texts import model_text

# Small, because a batch cannot be interrupted; of similar lengths, because the longest one decides.
_BATCH = 8
# More than the window of the usual models (512 tokens) in English; their tokenizers cut off the rest.
_CHARACTERS = 3000


class CrossEncoderModel:
    """One model; not thread-safe.

    Raises `ModelUnavailableError` when the package is missing, the model does not load or does not give
    one score per pair; without `allow_downloads` only files already on this machine are used.
    """

    def __init__(self, name: str, *, device: str = "cpu", allow_downloads: bool = False) -> None:
        self._name = name
        self._model: Any = load_model(
            "CrossEncoder",
            name,
            device=device,
            allow_downloads=allow_downloads,
            label=f"the reranker {name}",
            settings="reranker",
        )
        _check_is_reranker(name, self._model)
        self._prompt = self._model.prompts.get(self._model.default_prompt_name)
        self.device = str(self._model.device)
        self._forward(["ready?"], ["ready"])  # the first call takes longer

    def scores(
        self, query: str, texts: Sequence[str], stop: Callable[[], bool] = lambda: False
    ) -> list[float] | None:
        """How well each text answers the query, within [0, 1]; None if `stop` returned true between batches.

        The score is the logistic function of the model's raw output, whatever activation it was saved with.
        Of query and text the first 3,000 characters are read, as far as the model's window holds them.
        Raises `InvalidParameterError` for a blank text, `ModelUnavailableError` for scores that are no
        numbers, and whatever the model does.
        """
        query = model_text(query)[:_CHARACTERS]
        texts = [model_text(text)[:_CHARACTERS] for text in texts]
        raw = np.empty(len(texts))
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), _BATCH):
            if stop():
                return None
            chosen = order[start : start + _BATCH]
            raw[chosen] = self._forward([query] * len(chosen), [texts[at] for at in chosen])
        return [float(score) for score in _logistic(raw)]

    def close(self) -> None:
        """Free the model."""
        self._model = None

    def _forward(self, queries: list[str], texts: list[str]) -> npt.NDArray[np.float64]:
        """Does not use the library's `predict`, whose progress bar leaks a thread."""
        import torch

        features = self._model.preprocess(list(zip(queries, texts, strict=True)), prompt=self._prompt)
        with torch.inference_mode():
            output = self._model(on_device(features, self._model.device))["scores"]
        raw = np.asarray(output.double().cpu().numpy(), dtype=np.float64).reshape(len(texts))
        if not np.isfinite(raw).all():
            raise ModelUnavailableError(f"the reranker {self._name} gives scores that are no numbers")
        return raw


def _logistic(raw: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.exp(-np.logaddexp(0.0, -raw)), dtype=np.float64)


def _check_is_reranker(name: str, model: Any) -> None:
    """The library makes a CrossEncoder of any model, with a head of random weights if it has none."""
    problem = None
    if model.num_labels != 1:
        problem = f"it gives {model.num_labels} labels where a reranker gives one score"
    elif _lacks_head(model):
        problem = "it was not trained to score pairs"
    if problem is not None:
        raise ModelUnavailableError(
            f"{name} is no reranker: {problem}; set reranker.model to a CrossEncoder that ranks, "
            "such as cross-encoder/ms-marco-MiniLM-L6-v2",
            model=name,
        )


def _lacks_head(model: Any) -> bool:
    """A model of one module scores by its classification head, which the files must have had."""
    trained = getattr(model.config, "architectures", None) or []
    return len(model) == 1 and bool(trained) and not any("Classification" in each for each in trained)
