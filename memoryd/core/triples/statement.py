"""One statement, and what its parts must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_client.errors import InvalidParameterError
from memoryd.core.triples.names import bare, key_of, name_of
from memoryd.core.triples.predicates import predicate_of

MAX_BYTES = 200
"""Of a name, a predicate, a frequency or a condition, in UTF-8."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Who (subject) is what (predicate) to what (object); how often, and under what condition, if said."""

    subject: str
    predicate: str
    object: str
    negation: bool = False
    frequency: str | None = None
    condition: str | None = None

    @property
    def identity(self) -> bytes:
        """The same for spellings of the same statement; to be hashed with a salt where it is kept."""
        parts = (
            key_of(self.subject),
            self.predicate,
            key_of(self.object),
            "not" if self.negation else "",
            key_of(self.frequency or ""),
            key_of(self.condition or ""),
        )
        return "\x1f".join(parts).encode()


def checked_statement(
    subject: str,
    predicate: str,
    object: str,
    *,
    negation: bool = False,
    frequency: str | None = None,
    condition: str | None = None,
    where: str = "",
) -> Statement:
    """A caller's statement, normalised. where: what stands before a parameter's name in an error.

    不喜欢, "does not like" and the like are the predicate negated. Raises `InvalidParameterError`.
    """
    name, is_negated = predicate_of(_checked(predicate, f"{where}predicate"))
    return Statement(
        checked_name(subject, f"{where}subject"),
        name,
        checked_name(object, f"{where}object"),
        negation != is_negated,
        None if frequency is None else _checked(frequency, f"{where}frequency").strip(),
        None if condition is None else _checked(condition, f"{where}condition").strip(),
    )


def checked_name(name: str, parameter: str) -> str:
    """A caller's name of an entity, normalised. Raises `InvalidParameterError`."""
    fault = None if _fault(name) or bare(name) else "is empty but for punctuation"
    return name_of(_checked(name, parameter, fault))


def _checked(value: Any, parameter: str, fault: str | None = None) -> str:
    fault = _fault(value) or fault
    if fault:
        shown = value[:80].encode("utf-8", "replace").decode() if isinstance(value, str) else repr(value)[:80]
        raise InvalidParameterError(
            f"{parameter}: {shown!r} {fault}; expected 1 to {MAX_BYTES} bytes of text without control "
            f"characters",
            parameter=parameter,
            value=shown,
            expected=f"1 to {MAX_BYTES} bytes without control characters",
        )
    return str(value)


def _fault(value: Any) -> str | None:
    if not isinstance(value, str):
        return "is no text"
    if not any(c.isprintable() and not c.isspace() for c in value):
        return "is empty"
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        return "holds a control character"
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        return "holds a lone surrogate"
    return f"has {size} bytes" if size > MAX_BYTES else None
