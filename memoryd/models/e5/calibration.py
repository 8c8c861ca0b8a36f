"""How far the encoder's activations reach, seen on texts of many kinds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import onnxruntime

from memoryd.models import probe
from memoryd.models.e5.graph import float_encoder
from memoryd.models.e5.onnx_engine import WINDOW
from memoryd.models.e5.package import PASSAGE_PREFIX, QUERY_PREFIX
from memoryd.models.e5.quantise import Range
from memoryd.models.e5.table import EmbeddingTable
from memoryd.models.e5.tokens import BEGIN, END, Tokenizer
from memoryd.models.e5.weights import Weights

_UNUSUAL = (
    "😀😃🧑‍💻🎉❤️ ok!!! 😂😂😂😂",
    "def f(x: int) -> str:\n    return f'{x:>10}'  # {'a': [1, 2, 3]}",
    "昨日は友達と渋谷で映画を見ました。とても面白かったです。",
    "오늘은 비가 와서 집에서 책을 읽었어요.",
    "Вчера мы гуляли в парке и ели мороженое.",
    "https://example.org/a?b=c&d=%20e#f  user@example.org  +86 138 0000 0000",
    "1234567890 3.14159 2024-05-03 18:30 ￥99.9 50%",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "。。。。。。！！！？？？",
    "x",
    "嗯",
    "\ufffd\ufffd \x7f <s> </s> 𓀀𓀁",
)


def activation_ranges(weights: Weights, tokenizer: Tokenizer) -> dict[str, Range]:
    """What the input of each multiplication reached over all texts, by channel, in float32."""
    model, names = float_encoder(weights)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    outputs = sorted(set(names.values()))
    table = EmbeddingTable(weights)
    seen: dict[str, Range] = {}
    for ids in _inputs(tokenizer):
        feed = {"embeddings": table.gather(ids), "lengths": np.array([ids.shape[1]], dtype=np.int32)}
        for name, values in zip(outputs, session.run(outputs, feed), strict=True):
            seen[name] = _widened(seen.get(name), values[0])
    return {key: seen[name] for key, name in names.items()}


def _inputs(tokenizer: Tokenizer) -> Iterator[npt.NDArray[np.int64]]:
    """The texts as token ids (1, tokens): the probe set, unusual ones, and windows full of both."""
    for prefix, texts in (
        (QUERY_PREFIX, probe.QUERIES),
        (PASSAGE_PREFIX, (*probe.TEXTS, *_UNUSUAL, " ".join(probe.TEXTS), " ".join(_UNUSUAL * 3))),
    ):
        for text in texts:
            ids = tokenizer.encode(prefix, text)[:WINDOW]
            yield np.array([[BEGIN, *ids, END]], dtype=np.int64)


def _widened(seen: Range | None, values: npt.NDArray[np.float32]) -> Range:
    """values: (tokens, channels)."""
    low, high = values.min(axis=0), values.max(axis=0)
    if seen is None:
        return Range(low, high)
    return Range(np.minimum(seen.low, low), np.maximum(seen.high, high))
