"""Redaction: credentials are removed from every text before it is first written."""

from __future__ import annotations

import functools
import importlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

_PLUGINS = (
    "aws",
    "azure_storage_key",
    "basic_auth",
    "discord",
    "github_token",
    "gitlab_token",
    "mailchimp",
    "pypi_token",
    "sendgrid",
    "slack",
    "square_oauth",
    "stripe",
    "telegram_token",
    "twilio",
)
_KEY = "[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
_START = r"(?<![A-Za-z0-9_\-])"  # of a token: a pattern tried once per token takes linear time
# Kinds that detect-secrets lacks, matches by their first line only, or matches in quadratic time.
_OWN = {
    "private_key": (
        rf"-----BEGIN {_KEY}(?:(?:(?!-----(?:BEGIN|END) ).)*+-----END {_KEY}|(?:\s*+[A-Za-z0-9+/=]{{30,}})*+)"
    ),
    "api_key": _START + r"sk-(?=(?:[A-Za-z_\-]*+\d){2})[A-Za-z0-9_\-]{20,}",
    "json_web_token": _START + r"eyJ[A-Za-z0-9_\-=]{5,}+\.[A-Za-z0-9_\-=]{5,}+(?:\.[A-Za-z0-9_\-+/=]*+)*+",
    "npm_token": _START + r"npm_[A-Za-z0-9]{36}",
    "npm_auth_token": r"(?<=:_authToken=)[^\s\"']{8,}+",
    "google_api_key": _START + r"AIza[0-9A-Za-z_\-]{35}",
    "github_token": _START + r"github_pat_[0-9A-Za-z_]{22,}",
    "huggingface_token": _START + r"hf_[A-Za-z0-9]{30,}",
    "alibaba_access_key": _START + r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])",
    "tencent_access_key": _START + r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])",
}
_TOKEN_REST = re.compile(r"[A-Za-z0-9_\-]*")
_HINT = re.compile(r"[A-Za-z0-9_\-+/=]{16}|://|-----|:_authToken")
"""Every credential contains one of these; nearly all texts contain none and are skipped."""


@functools.cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """(kind, pattern) of every detector; importing detect-secrets takes a quarter of a second."""
    found = [(kind, re.compile(pattern, re.DOTALL)) for kind, pattern in _OWN.items()]
    for name in _PLUGINS:
        module = importlib.import_module(f"detect_secrets.plugins.{name}")
        for detector in vars(module).values():
            if isinstance(detector, type) and detector.__module__ == module.__name__:
                kind = re.sub(r"\W+", "_", str(detector.secret_type)).strip("_").lower()  # type: ignore[attr-defined]
                found += [(kind, _ascii(pattern)) for pattern in detector.denylist]  # type: ignore[attr-defined]
    return found


def _ascii(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The pattern for ASCII only: a Chinese character is a letter, but ends a token."""
    return re.compile(pattern.pattern, pattern.flags & ~re.UNICODE | re.ASCII)


def warm_up() -> None:
    """Load the detectors before the first text."""
    _patterns()


def redact_text(text: str) -> tuple[str, Counter[str]]:
    """The text with each credential replaced by `[secret:kind]`, and the count of each kind."""
    if not _HINT.search(text):
        return text, Counter()
    spans = _merge((span for kind, pattern in _patterns() for span in _spans(text, kind, pattern)))
    pieces, at = [], 0
    for start, end, kind in spans:
        pieces += [text[at:start], f"[secret:{kind}]"]
        at = end
    return "".join([*pieces, text[at:]]), Counter(kind for _, _, kind in spans)


def redact_value(value: Any) -> tuple[Any, Counter[str]]:
    """The same for every string in a JSON-like value."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, dict):
        items, found = _redact_all(value.values())
        return dict(zip(value, items, strict=True)), found
    if isinstance(value, list | tuple):
        items, found = _redact_all(value)
        return type(value)(items), found
    return value, Counter()


def _redact_all(values: Iterable[Any]) -> tuple[list[Any], Counter[str]]:
    redacted = [redact_value(value) for value in values]
    return [value for value, _ in redacted], sum((found for _, found in redacted), Counter())


def _spans(text: str, kind: str, pattern: re.Pattern[str]) -> Iterable[tuple[int, int, str]]:
    at = 0
    while match := pattern.search(text, at):
        if kind == "basic_auth_credentials":  # keep the address around the password
            start, end = match.span(1)
        else:  # some detectors match part of a token
            rest = _TOKEN_REST.match(text, match.end())
            start, end = match.start(), rest.end() if rest else match.end()
        yield start, end, kind
        at = end


def _merge(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, first_kind = merged[-1]
            merged[-1] = (first, max(last, end), first_kind)
        else:
            merged.append((start, end, kind))
    return merged
