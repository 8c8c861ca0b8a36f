"""Token ids to token states: by the graph built here, or by a published ONNX file of the model."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory_client.errors import ModelUnavailableError
from memoryd.models.e5.package import DIM, side_by_side
from memoryd.models.e5.sessions import Session, all_cores
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
    """The int8 graphs, fed from the embedding table.

    even: for texts of one length, which need no mask; it runs on all cores, a third faster for a query by
    itself. uneven: for any texts, on one core each, as calls side by side get more done so. Each has its own
    copy of the weights.
    """

    def __init__(self, even: Path, uneven: Path, table: EmbeddingTable) -> None:
        self._alone = Session(even, all_cores(), is_fused=True)
        self._beside = Session(uneven, 1, is_fused=True)
        self._table = table
        self._lock = threading.Lock()
        self._running = 0
        self.concurrency = side_by_side()

    def states(self, ids: Ids, lengths: Lengths) -> States:
        """As `Encoder.states`."""
        feed: dict[str, npt.NDArray[Any]] = {"embeddings": self._table.gather(ids)}
        with self._lock:
            is_alone = not self._running
            self._running += 1
        try:
            if is_alone and lengths.min() == ids.shape[1]:
                return self._alone.run(feed, ids.size)
            return self._beside.run({**feed, "lengths": lengths}, ids.size)
        finally:
            with self._lock:
                self._running -= 1


class PublishedEncoder:
    """An ONNX file that takes token ids, as Hugging Face Optimum exports it; one call at a time is best.

    Raises `ModelUnavailableError` when its inputs are not those of BERT or it does not give token states.
    """

    concurrency = 1

    def __init__(self, file: Path) -> None:
        self._session = Session(file, all_cores(), is_fused=False)
        self._wanted = self._session.inputs
        strange = self._wanted - {"input_ids", "attention_mask", "token_type_ids"}
        if strange or "input_ids" not in self._wanted:
            raise ModelUnavailableError(
                f"{file} is no encoder of text: it takes {', '.join(sorted(self._wanted))}", path=str(file)
            )
        output = self._session.output
        width = output[-1] if len(output) == 3 else None
        if width != DIM and not isinstance(width, str):  # exporters leave a name where they cannot tell
            raise ModelUnavailableError(
                f"{file} gives an output of shape {output}, expected (texts, tokens, {DIM})", path=str(file)
            )

    def states(self, ids: Ids, lengths: Lengths) -> States:
        """As `Encoder.states`."""
        places = np.arange(ids.shape[1])[np.newaxis, :]
        feed: dict[str, npt.NDArray[Any]] = {
            "input_ids": ids,
            "attention_mask": (places < lengths[:, np.newaxis]).astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        return self._session.run({name: feed[name] for name in self._wanted}, ids.size)
