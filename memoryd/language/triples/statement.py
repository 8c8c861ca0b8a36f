"""A statement (subject, predicate, object) and the checks of its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory_client.errors import InvalidParameterError
from memory_client.types import Language
from memoryd.language.triples.names import key_of, language_of, name_of, strip_punctuation
from memoryd.language.triples.predicates import predicate_of

MAX_BYTES = 200
"""UTF-8 bytes of a name, a predicate, a frequency or a condition."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Subject, predicate and object in canonical form (`user`, `user's mother`, `likes`), with qualifiers.

    degree: how strongly it holds; language, words: of the evidence, unchanged. These three are not part of
    the identity: 非常喜欢 and 喜欢 state the same.
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
        """Equal for all spellings of a statement; hashed with a salt before it is stored."""
        parts = (
            key_of(self.subject),
            self.predicate,
            key_of(self.object),
            "not" if self.negation else "",
            key_of(self.frequency or ""),
            key_of(self.condition or ""),
        )
        return "\x1f".join(parts).encode()


def parse_statement(
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
    """A caller's statement, normalised. where: a prefix for the names of parameters in errors.

    不喜欢 and "does not like" are the predicate negated; 非常喜欢 and "really likes" have a degree. The
    language is that of the predicate. Raises `InvalidParameterError`.
    """
    meant = predicate_of(_checked(predicate, f"{where}predicate"))
    if _fault(meant.key):
        _checked(predicate, f"{where}predicate", "has no letters")
    frequency, condition, degree = (
        None if value is None else _checked(value, f"{where}{name}").strip()
        for name, value in (("frequency", frequency), ("condition", condition), ("degree", degree))
    )
    return Statement(
        parse_name(subject, f"{where}subject"),
        meant.key,
        parse_name(object, f"{where}object"),
        negation != meant.is_negated,
        frequency,
        condition,
        degree or meant.degree,
        language=language_of(str(meant.spelling)),
        words=" ".join((subject, predicate, object)),
    )


def parse_name(name: str, parameter: str) -> str:
    """A caller's name of an entity, normalised. Raises `InvalidParameterError`."""
    is_bare = not _fault(name) and _fault(strip_punctuation(name)) is not None
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
        return "is not text"
    if not any(c.isprintable() and not c.isspace() for c in value):
        return "is empty"
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        return "contains a control character"
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        return "contains a lone surrogate"
    return f"has {size} bytes" if size > MAX_BYTES else None
