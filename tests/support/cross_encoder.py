"""Rerankers for tests: one by script, and a CrossEncoder whose order is known.

The CrossEncoder goes by the share of a text's words that the query has too. Its weights are set by hand:
each word is a direction of its own; in the first layer a word looks at its equals, wherever they stand, and
takes a mark from those in the query; in the second the first token takes the mean mark of the text's words,
which the head reads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SOON = 60.0
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = tuple("i my like ramen cats dogs tea the weather is fine 我 你 喜 欢 拉 面 猫 吃 天 气 很 好".split())
WINDOW = 64
_SHARP = 40.0
_SLOPE = 8.0


class ScriptedScorer:
    """A scorer whose calls can be held and made to fail; a text's score is the number it is.

    entered: set by each call, before it waits to be `held` no longer.
    """

    device = "scripted"

    def __init__(self) -> None:
        self.held = threading.Event()
        self.held.set()
        self.entered = threading.Event()
        self.fault: Exception | None = None
        self.queries: list[str] = []
        self.closed = False

    def scores(self, query: str, texts: Sequence[str], stop: Callable[[], bool]) -> list[float] | None:
        self.queries.append(query)
        self.entered.set()
        assert self.held.wait(SOON)
        if self.fault is not None:
            raise self.fault
        return None if stop() else [float(text) for text in texts]

    def close(self) -> None:
        self.closed = True


def write_cross_encoder(folder: Path, *, labels: int = 1, headless: bool = False) -> None:
    """config.json, model.safetensors and the tokenizer, as the library saves them; 60 KB.

    headless: without the layers that score, as a model of plain vectors.
    """
    from tqdm import tqdm
    from transformers import BertForSequenceClassification

    tqdm.monitor_interval = 0  # or the progress bar of saving leaves a thread behind

    model = BertForSequenceClassification(_config(labels))
    _set_weights(model, len(SPECIALS) + len(WORDS))
    (model.bert if headless else model).save_pretrained(folder)
    _tokenizer().save_pretrained(folder)


def _config(labels: int) -> Any:
    from transformers import BertConfig

    vocabulary = len(SPECIALS) + len(WORDS)
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=vocabulary + 4,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=1,
        max_position_embeddings=WINDOW,
        num_labels=labels,
        hidden_act="relu",
    )


def _set_weights(model: Any, vocabulary: int) -> None:
    """The directions beyond the words: in the query, in the text, the mark, the mean mark."""
    import torch

    query, text, mark, mean = range(vocabulary, vocabulary + 4)
    first, separator = SPECIALS.index("[CLS]"), SPECIALS.index("[SEP]")
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.fill_(1.0 if name.endswith("LayerNorm.weight") else 0.0)
        embeddings, layers = model.bert.embeddings, model.bert.encoder.layer
        embeddings.word_embeddings.weight[:, :vocabulary] = torch.eye(vocabulary)
        embeddings.token_type_embeddings.weight[0, query] = 1.0
        embeddings.token_type_embeddings.weight[1, text] = 1.0

        alike = layers[0].attention.self
        alike.query.weight[:vocabulary, :vocabulary] = torch.eye(vocabulary)
        alike.key.weight[:vocabulary, :vocabulary] = torch.eye(vocabulary) * _SHARP
        alike.value.weight[mark, query] = 1.0
        layers[0].attention.output.dense.weight[mark, mark] = 1.0

        reading = layers[1].attention.self
        reading.query.bias[0] = 1.0
        reading.key.weight[0, text] = _SHARP
        reading.key.weight[0, [first, separator]] = -_SHARP
        reading.value.weight[mean, mark] = 1.0
        layers[1].attention.output.dense.weight[mean, mean] = 1.0

        model.bert.pooler.dense.weight[0, mean] = 1.0
        model.classifier.weight[:, 0] = _SLOPE


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    ids = {token: at for at, token in enumerate((*SPECIALS, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=WINDOW,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
