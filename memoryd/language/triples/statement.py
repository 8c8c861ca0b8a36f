"""One statement, and what its parts must be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory_client.errors import InvalidParameterError
from memory_client.types import Language
from memoryd.language.triples.language import language_of
from memoryd.language.triples.names import bare, key_of, name_of
from memoryd.language.triples.predicates import predicate_of

MAX_BYTES = 200
"""Of a name, a predicate, a frequency or a condition, in UTF-8."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Who (subject) is what (predicate) to what (object); how often, and under what condition, if said.

    Subject, predicate and object are canonical (`user`, `user's mother`, `likes`); what is shown is made of
    them for a language. degree: how strongly it holds; language, words: of what says so, as it stands. These
    three are no part of the identity: 非常喜欢 and 喜欢 state the same.
    """

    subject: str
    predicate: str
    object: str
    negation: bool = False
    frequency: str | None = None
    condition: str | None = None
    degree: str | None = None
    language: Language | None = field(default=None, compare=False)
    words: str | None = field(default=None, compare=False)

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
    degree: str | None = None,
    where: str = "",
) -> Statement:
    """A caller's statement, normalised. where: what stands before a parameter's name in an error.

    不喜欢, "does not like" and the like are the predicate negated, 非常喜欢 and "really likes" have a degree.
    Its language is that of the predicate. Raises `InvalidParameterError`.
    """
    meant = predicate_of(_checked(predicate, f"{where}predicate"))
    if _fault(meant.key):
        _checked(predicate, f"{where}predicate", "has no letters")
    frequency, condition, degree = (
        None if value is None else _checked(value, f"{where}{name}").strip()
        for name, value in (("frequency", frequency), ("condition", condition), ("degree", degree))
    )
    return Statement(
        checked_name(subject, f"{where}subject"),
        meant.key,
        checked_name(object, f"{where}object"),
        negation != meant.is_negated,
        frequency,
        condition,
        degree or meant.degree,
        language=language_of(predicate),
        words=" ".join((subject, predicate, object)),
    )


def checked_name(name: str, parameter: str) -> str:
    """A caller's name of an entity, normalised. Raises `InvalidParameterError`."""
    is_bare = not _fault(name) and _fault(bare(name)) is not None
    return name_of(_checked(name, parameter, "is empty but for punctuation" if is_bare else None))


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
