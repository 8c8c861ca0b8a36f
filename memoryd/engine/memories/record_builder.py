"""Builds the record to store from what a caller gives: checked, redacted, with defaults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory_client.errors import InvalidParameterError
from memoryd.core.ids import check_name
from memoryd.core.life.decay import grace_days
from memoryd.core.life.decay_rules import DEFAULT_RULES, DecayRules
from memoryd.core.metadata import Draft, displaced_keys, read_metadata, read_own, removed_keys, removed_value
from memoryd.core.record import Record, default_importance
from memoryd.core.scope import writing_agent
from memoryd.core.text import clean_text
from memoryd.engine.context import Limits
from memoryd.language.redact import redact_text, redact_value

_SCREENED_FIELDS = ("tags", "exact_keys", "source_id")


def new_record(
    text: str,
    metadata: Mapping[str, Any] | None,
    *,
    id: str,
    user_id: str,
    agent_id: str | None,
    session_id: str | None,
    now: float,
    limits: Limits,
    rules: DecayRules = DEFAULT_RULES,
    parameter: str = "text",
) -> Record:
    """The record of a new memory. Raises `InvalidParameterError`."""
    text, warnings, found = screened_text(text, limits, parameter)
    draft, found_in_metadata = _screened_draft(metadata or {}, limits)
    owners = {
        "agent_id": writing_agent(_one_of("agent_id", agent_id, draft)),
        "session_id": _one_of("session_id", session_id, draft),
    }
    fields = {**draft.fields, **owners}
    category = fields.get("category", "fact")
    fields.setdefault("importance", default_importance(category))
    created = fields.pop("created_at", now)
    return Record(
        id=id,
        user_id=user_id,
        text=text,
        created_at=created,
        updated_at=now,
        last_access=fields.pop("last_access", created),
        decay_from=now,
        grace=grace_days(category, rules),
        root_id=id,
        metadata=draft.rest,
        warnings=(*warnings, *draft.warnings),
        redactions=redactions_of(found + found_in_metadata),
        **fields,
    )


def screened_text(text: str, limits: Limits, parameter: str = "text") -> tuple[str, list[str], Counter[str]]:
    """The text as stored, warnings, and the credentials taken out of it."""
    cleaned, warnings = clean_text(text, limits.text_chars, parameter, "limits.text_chars")
    screened, found = redact_text(cleaned)
    return screened, warnings, found


MAX_REASON = 1000


def screened_reason(reason: str | None, parameter: str = "reason") -> str | None:
    """Why something was done, as stored. Raises `InvalidParameterError` over 1,000 characters."""
    if reason is None:
        return None
    return redact_text(clean_text(reason, MAX_REASON, parameter)[0])[0]


def with_metadata(record: Record, metadata: Mapping[str, Any], limits: Limits) -> Record:
    """The record after an update of its metadata. Raises `InvalidParameterError`."""
    draft, found = _screened_draft(metadata, limits)
    _refuse_moves(record, draft)
    _refuse_importance(record, metadata, draft)
    gone_fields, gone_keys = removed_keys(metadata)
    gone_keys |= displaced_keys(draft)
    fallback = {name: removed_value(name) for name in gone_fields - {"agent_id", "session_id"}}
    fields = {**fallback, **{k: v for k, v in draft.fields.items() if k not in ("agent_id", "session_id")}}
    rest = {k: v for k, v in {**record.metadata, **draft.rest}.items() if k not in gone_keys}
    changed = replace(record, **fields, metadata=rest)
    read_own(rest, limits.metadata_bytes)
    check_periods(changed)
    return replace(changed, warnings=draft.warnings, redactions=redactions_of(found) or record.redactions)


def redactions_of(found: Counter[str]) -> dict[str, Any]:
    """What a record says of the credentials that were replaced."""
    return {"secrets": dict(found)} if found else {}


def screened_own(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], Counter[str]]:
    """The caller's own metadata as stored. Raises `InvalidParameterError` for a credential in a key."""
    _refuse_secret_keys(metadata)
    own, found = redact_value(metadata)
    return dict(own), found


def _screened_draft(metadata: Mapping[str, Any], limits: Limits) -> tuple[Draft, Counter[str]]:
    draft = read_metadata(metadata, limits.metadata_bytes)
    rest, found = screened_own(draft.rest)
    fields = dict(draft.fields)
    for name in _SCREENED_FIELDS:
        if name in fields:
            fields[name], more = redact_value(fields[name])
            found += more
    return Draft(fields, rest, draft.warnings), found


def _refuse_secret_keys(value: Any) -> None:
    """A key cannot be replaced: two of them might become one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            kinds = redact_text(key)[1]
            if kinds:
                raise InvalidParameterError(
                    f"metadata: a key holds a credential ({', '.join(kinds)}); expected names as keys",
                    parameter="metadata",
                    value=f"a key with {', '.join(kinds)}",
                    expected="names as keys",
                )
            _refuse_secret_keys(inner)
    elif isinstance(value, list):
        for inner in value:
            _refuse_secret_keys(inner)


def _one_of(name: str, keyword: str | None, draft: Draft) -> str | None:
    """The keyword or the metadata's value, which must not differ."""
    inside = draft.fields.get(name)
    if keyword is not None:
        check_name(keyword, name)
        if inside is not None and inside != keyword:
            raise InvalidParameterError(
                f"metadata.{name}: {inside!r} differs from the keyword {name}={keyword!r}; give it once",
                parameter=f"metadata.{name}",
                value=inside,
                expected=keyword,
            )
    return keyword if keyword is not None else inside


def _refuse_moves(record: Record, draft: Draft) -> None:
    for name in ("agent_id", "session_id"):
        if name in draft.fields and draft.fields[name] != getattr(record, name):
            raise InvalidParameterError(
                f"metadata.{name}: a memory stays with its {name} ({getattr(record, name)!r}); "
                f"add it again for another one",
                parameter=f"metadata.{name}",
                value=draft.fields[name],
                expected=repr(getattr(record, name)),
            )


def _refuse_importance(record: Record, metadata: Mapping[str, Any], draft: Draft) -> None:
    if draft.fields.get("importance", record.importance) != record.importance or (
        metadata.get("importance", record) is None
    ):
        raise InvalidParameterError(
            "metadata.importance: an update of the metadata does not change it; use update_importance",
            parameter="metadata.importance",
            value=repr(metadata["importance"]),
            expected=repr(record.importance),
        )


def check_periods(record: Record) -> None:
    for start, end in (("event_start", "event_end"), ("valid_from", "valid_to")):
        first, last = getattr(record, start), getattr(record, end)
        if first is not None and last is not None and last < first:
            raise InvalidParameterError(
                f"metadata.{end}: {last} is before {start} ({first})",
                parameter=f"metadata.{end}",
                value=last,
                expected=f"a time not before {start}",
            )
