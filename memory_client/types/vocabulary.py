"""Literal types of parameters and replies."""

from __future__ import annotations

from typing import Any, Literal

Category = Literal["system", "core", "fact", "episode"]
Kind = Literal[
    "fact",
    "preference",
    "context",
    "skill",
    "relationship",
    "decision",
    "task",
    "qa",
    "opinion",
    "world_model",
    "experience",
    "other",
]
Source = Literal["user", "background_ai", "system", "document", "import"]
State = Literal["active", "archived", "superseded"]
Mode = Literal["auto", "hybrid", "semantic", "lexical", "exact", "temporal"]
Intent = Literal["fact", "reasoning", "contextual", "preference", "skill", "chitchat"]
SearchScope = Literal["memory", "turn", "shared"]
Order = Literal["created_at", "last_access", "importance", "confidence"]
SearchOrder = Literal["relevance", "created_at", "last_access", "importance", "confidence"]
Direction = Literal["asc", "desc"]
Threshold = float | Literal["relevant"]
Stage = Literal["starting", "ready", "stopping"]
Role = Literal["user", "assistant", "system", "tool"]

Metadata = dict[str, Any]
Filters = dict[str, Any]
