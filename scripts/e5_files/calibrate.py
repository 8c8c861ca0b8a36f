"""Calibration: how far the encoder's activations reach on texts of many kinds, and what follows for int8."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onnxruntime

from e5_files.graph import float_encoder
from memoryd.models.e5.calibration import Activation, Calibration
from memoryd.models.e5.onnx_engine import WINDOW
from memoryd.models.e5.package import PASSAGE_PREFIX, QUERY_PREFIX
from memoryd.models.e5.quantise import LEAST, Floats
from memoryd.models.e5.table import EmbeddingTable
from memoryd.models.e5.tokens import BEGIN, END, Tokenizer
from memoryd.models.e5.weights import BLOCK, Weights

ALPHA = 0.7
"""How much of the unevenness of activations goes to the weights; measured (docs/architecture.md)."""

_ORDINARY = (
    "早上好，昨晚睡得怎么样？",
    "我下个月要搬去成都，房子还没有找到。",
    "老师说孩子最近上课总是走神，我有点担心。",
    "周六和大学同学一起吃火锅，聊到很晚才散。",
    "那家咖啡馆的拿铁太甜了，下次点美式。",
    "面试通知来了，下周二上午十点，地点在望京。",
    "外婆做的红烧肉是我小时候最难忘的味道。",
    "手机又没电了，充电器落在办公室里。",
    "我觉得自己最近太焦虑了，什么事都做不好。",
    "谢谢你一直陪着我说话，我心里好受多了。",
    "学游泳三个月，终于能一口气游五百米。",
    "这本小说的结局让我哭了一整夜。",
    "他说他不喜欢我，我应该怎么办呢？",
    "当然可以！首先，制定一个每天的小目标，然后坚持记录下来。",
    "台风要来了，航班取消，只好改坐高铁。",
    "房租涨到四千五，准备和室友商量换地方。",
    "爷爷住院观察两天，结果是轻微的肺炎。",
    "妹妹考上了浙江大学计算机系，全家都很高兴。",
    "你还记得我上次提到的那部电影吗？",
    "哈哈哈，太好笑了，再讲一个！",
    "Good morning! Did you sleep well last night?",
    "I finally signed the lease for the apartment downtown.",
    "My daughter has a piano recital next Thursday and she is nervous.",
    "We went camping at the lake and it rained the whole weekend.",
    "That sounds wonderful, Sam! How did you get into pottery?",
    "I've been feeling pretty overwhelmed with work and the kids lately.",
    "The doctor said my cholesterol is a little high, so no more butter.",
    "Can you remind me what we talked about on Monday?",
    "He proposed to her on the bridge where they first met.",
    "I'm allergic to shellfish, so please pick another restaurant.",
    "The train was delayed by two hours because of a signal failure.",
    "Thanks for being there for me, it really means a lot.",
    "We adopted a rescue dog named Biscuit, she is three years old.",
    "I'm training for my first half marathon in October.",
    "My brother moved to Seattle for a job at a startup.",
    "Honestly, I think the second season was a letdown.",
    "Here are five tips: drink water, stretch, rest, walk outside, and breathe.",
    "She baked sourdough with her own starter for the first time.",
    "Our flight to Lisbon leaves at 6:40 in the morning.",
    "No way! I can't believe you met him in person.",
)
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


@dataclass(frozen=True, slots=True)
class Range:
    """The least and greatest value of each channel of a tensor, each of shape (channels,)."""

    low: Floats
    high: Floats


def texts() -> tuple[str, ...]:
    """The calibration texts."""
    return (*_ORDINARY, *_UNUSUAL)


def calibrate(weights: Weights, tokenizer: Tokenizer) -> Calibration:
    """The calibration results of the encoder over all texts."""
    found: dict[str, Activation] = {}
    for key, seen in sorted(activation_ranges(weights, tokenizer).items()):  # `ao` before `qkv`
        weight = _projections(weights, key[:-4], found) if key.endswith("qkv") else _matrix(weights, key)
        found[key] = activation(seen, weight)
    return found


def activation(seen: Range, weight: Floats) -> Activation:
    """Factors and scale of a multiplication's input. weight: of shape (out, in)."""
    # As they are stored: any factors do, if division and multiplication use the same.
    factors = smoothing(seen, weight).astype(np.float16).astype(np.float32)
    return Activation(factors, *grid(Range(seen.low / factors, seen.high / factors)))


def smoothing(seen: Range, weight: Floats) -> Floats:
    """What to divide the activations by, and multiply the weights of shape (out, in) with: (in,)."""
    reach = np.maximum(np.maximum(-seen.low, seen.high), LEAST)
    widest = np.maximum(np.abs(weight).max(axis=0), LEAST)
    factors: Floats = (reach**ALPHA / widest ** (1.0 - ALPHA)).astype(np.float32)
    return factors


def grid(seen: Range) -> tuple[np.float32, np.uint8]:
    """Scale and zero point of the uint8 grid over a range, zero on it."""
    low, high = min(float(seen.low.min()), 0.0), max(float(seen.high.max()), 0.0)
    scale = max(high - low, LEAST) / 255.0
    return np.float32(scale), np.uint8(round(-low / scale))


def activation_ranges(weights: Weights, tokenizer: Tokenizer) -> dict[str, Range]:
    """The range of the input of each multiplication over all texts, by channel, in float32."""
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


def _projections(weights: Weights, layer: str, found: Calibration) -> Floats:
    """Queries, keys and values of a layer; the values divided as the multiplication after them wants them."""
    queries, keys, values = (_matrix(weights, f"{layer}.{part}") for part in "qkv")
    return np.concatenate([queries, keys, values / found[f"{layer}.ao"].factors[:, np.newaxis]])


def _matrix(weights: Weights, key: str) -> Floats:
    columns = weights.blocks(f"{key}.w").shape[0] * BLOCK // len(weights.vector(f"{key}.b"))
    return weights.matrix(f"{key}.w", columns)


def _inputs(tokenizer: Tokenizer) -> Iterator[npt.NDArray[np.int64]]:
    """The texts as token ids (1, tokens), each kind by itself and as a window full of it.

    None of the probe set, which the outcome is measured on.
    """
    for prefix, texts in (
        (QUERY_PREFIX, _ORDINARY[::4]),
        (PASSAGE_PREFIX, (*_ORDINARY, *_UNUSUAL, " ".join(_ORDINARY), " ".join(_UNUSUAL * 3))),
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
