"""ONNX Runtime sessions of one model."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_client.errors import ModelUnavailableError

_MOST_THREADS = 4
# Long enough to bridge two operators, so short that an idle process uses no processor.
_SPIN_MICROSECONDS = "500"
_ERRORS_ONLY = 3


class Sessions:
    """A model, on all cores for a call by itself and on one core each for calls side by side.

    A query alone is answered a third sooner by two threads; of bulk work two calls of one thread each get
    more done than one call of two. Each session has its own copy of the weights: side_by_side False keeps
    one only, for large models. is_fused: the graph is written as it is to be run. Calls let go of the GIL.
    Raises `ModelUnavailableError` when the file does not load.
    """

    def __init__(self, path: Path, *, is_fused: bool, side_by_side: bool) -> None:
        threads = min(os.cpu_count() or 1, _MOST_THREADS)
        self._alone = _open(path, threads, is_fused)
        self._beside = _open(path, 1, is_fused) if side_by_side and threads > 1 else self._alone
        self._lock = threading.Lock()
        self._running = 0

    @property
    def inputs(self) -> set[str]:
        """Names of the model's inputs."""
        return {each.name for each in self._alone.get_inputs()}

    def run(self, feed: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """The model's first output."""
        with self._lock:
            session = self._beside if self._running else self._alone
            self._running += 1
        try:
            found: npt.NDArray[np.float32] = session.run(None, feed)[0]
            return found
        finally:
            with self._lock:
                self._running -= 1


def _open(path: Path, threads: int, is_fused: bool) -> Any:
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.add_session_config_entry("session.intra_op.allow_spinning", "1" if threads > 1 else "0")
    options.add_session_config_entry("session.intra_op.spin_duration_us", _SPIN_MICROSECONDS)
    if is_fused:  # more would fuse the sums into the layer normalisation, whose operator is slower
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common base of their own
        raise ModelUnavailableError(
            f"{path} does not load in ONNX Runtime ({error})", path=str(path)
        ) from error
