"""Token ids to token states: by the graph built here, or by a published ONNX file of the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory_client.errors import ModelUnavailableError
from memoryd.models.e5.package import side_by_side
from memoryd.models.e5.sessions import Sessions
from memoryd.models.e5.table import EmbeddingTable

Ids = npt.NDArray[np.int64]
Lengths = npt.NDArray[np.int32]
States = npt.NDArray[np.float32]


class Encoder(Protocol):
    """The model between the tokens and the pooling. Thread-safe."""

    @property
    def concurrency(self) -> int:
        """Calls worth running at once."""
        ...

    def states(self, ids: Ids, lengths: Lengths) -> States:
        """States (texts, tokens, hidden) of ids (texts, tokens), of which `lengths` (texts,) count."""
        ...


class Int8Encoder:
    """The int8 graph, fed from the embedding table."""

    def __init__(self, graph: Path, table: EmbeddingTable) -> None:
        self._sessions = Sessions(graph, is_fused=True, side_by_side=True)
        self._table = table
        self.concurrency = side_by_side()

    def states(self, ids: Ids, lengths: Lengths) -> States:
        """As `Encoder.states`."""
        return self._sessions.run({"embeddings": self._table.gather(ids), "lengths": lengths})


class PublishedEncoder:
    """An ONNX file that takes token ids, as Hugging Face Optimum exports it; one call at a time is best.

    Raises `ModelUnavailableError` when it wants inputs that are not those of BERT.
    """

    concurrency = 1

    def __init__(self, file: Path) -> None:
        self._sessions = Sessions(file, is_fused=False, side_by_side=False)
        self._wanted = self._sessions.inputs
        strange = self._wanted - {"input_ids", "attention_mask", "token_type_ids"}
        if strange or "input_ids" not in self._wanted:
            raise ModelUnavailableError(
                f"{file} is no encoder of text: it takes {', '.join(sorted(self._wanted))}", path=str(file)
            )

    def states(self, ids: Ids, lengths: Lengths) -> States:
        """As `Encoder.states`."""
        places = np.arange(ids.shape[1])[np.newaxis, :]
        feed: dict[str, npt.NDArray[Any]] = {
            "input_ids": ids,
            "attention_mask": (places < lengths[:, np.newaxis]).astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        return self._sessions.run({name: feed[name] for name in self._wanted})
