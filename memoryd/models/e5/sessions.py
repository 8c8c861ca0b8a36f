"""An ONNX Runtime session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_client.errors import ModelUnavailableError
from memoryd.models.e5.package import usable_cores

_MOST_THREADS = 4
# Long enough to bridge two operators, so short that an idle process uses no processor.
_SPIN_MICROSECONDS = "500"
_ERRORS_ONLY = 3
# A full window of 512 needs some 40 MB, an ordinary run less than 10.
_MANY_TOKENS = 256


def all_cores() -> int:
    """Threads that are worth it for one text."""
    return min(usable_cores(), _MOST_THREADS)


class Session:
    """A loaded model. Thread-safe; a run lets go of the GIL.

    threads: of one run. is_fused: the graph is written as it is to be run. Raises `ModelUnavailableError`
    when the file does not load.
    """

    def __init__(self, path: Path, threads: int, *, is_fused: bool) -> None:
        self._path = path
        self._session = _open(path, threads, is_fused)
        self._give_back = _give_back()

    @property
    def inputs(self) -> set[str]:
        """Names of the model's inputs."""
        return {each.name for each in self._session.get_inputs()}

    @property
    def output(self) -> list[Any]:
        """The shape of the model's first output; numbers where they are fixed."""
        return list(self._session.get_outputs()[0].shape)

    def run(self, feed: dict[str, npt.NDArray[Any]], tokens: int) -> npt.NDArray[np.float32]:
        """The model's first output. tokens: in the feed; after many the memory they took is given back.

        Raises `ModelUnavailableError` when it fails.
        """
        options = self._give_back if tokens > _MANY_TOKENS else None
        try:
            found: npt.NDArray[np.float32] = self._session.run(None, feed, options)[0]
        except Exception as error:  # its exceptions have no common base of their own
            raise _failed(self._path, f"fails in ONNX Runtime ({error})") from error
        return found


def _give_back() -> Any:
    import onnxruntime

    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def _open(path: Path, threads: int, is_fused: bool) -> Any:
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.enable_mem_pattern = False  # of use only when all runs are of one shape
    # Work is handed out in small parts, so that a thread that gets going late holds up nobody.
    options.add_session_config_entry("session.dynamic_block_base", "4")
    options.add_session_config_entry("session.intra_op.allow_spinning", "1" if threads > 1 else "0")
    options.add_session_config_entry("session.intra_op.spin_duration_us", _SPIN_MICROSECONDS)
    if is_fused:  # more would fuse the sums into the layer normalisation, whose operator is slower
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above
        raise _failed(path, f"does not load in ONNX Runtime ({error})") from error


def _failed(path: Path, how: str) -> ModelUnavailableError:
    return ModelUnavailableError(f"{path} {how}", path=str(path))
