"""One setting: its default, its bounds, and the forms in which a value may be written."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

Value = str | int | float | bool

PREFIX = "MEMORYD_"
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def setting_field(
    default: Value,
    description: str,
    *,
    secret: bool = False,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    families: tuple[str, ...] = (),
) -> Any:
    """A field of a settings group. families: prefixes that any name may follow."""
    about = {
        "description": description,
        "secret": secret,
        "low": low,
        "high": high,
        "choices": choices,
        "families": families,
    }
    return field(default=default, repr=not secret, metadata=about)


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the table."""

    name: str
    default: Value
    description: str
    secret: bool
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    families: tuple[str, ...]

    @property
    def variable(self) -> str:
        return PREFIX + self.name.replace(".", "_").upper()

    @property
    def expected(self) -> str:
        """The form of a value, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            named = [*self.choices, *(f"{family}<name>" for family in self.families)]
            return f"one of {', '.join(named)}" if named else "a string"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if self.low is not None and self.high is not None:
            return f"{kind} from {self.low:,} to {self.high:,}"
        return kind if self.low is None else f"{kind}, {self.low:,} or more"

    def parse(self, text: str) -> Value | None:
        """The value written as `text` in the environment or on the command line; None when it is none."""
        if isinstance(self.default, str):
            return text
        word = text.strip().lower()
        if isinstance(self.default, bool):
            return True if word in _TRUE else False if word in _FALSE else None
        try:
            return int(word) if isinstance(self.default, int) else float(word)
        except ValueError:
            return None

    def accept(self, value: Any) -> Value | None:
        """The value if it fits the type and the bounds, else None."""
        if isinstance(self.default, bool) or isinstance(value, bool):
            return value if isinstance(self.default, bool) and isinstance(value, bool) else None
        if isinstance(self.default, str):
            return value if isinstance(value, str) and self._named(value) else None
        if isinstance(self.default, float) and isinstance(value, int):
            value = float(value)
        return value if type(value) is type(self.default) and self._bounded(value) else None

    def _named(self, value: str) -> bool:
        if not is_text(value) or not (self.choices or self.families):
            return is_text(value)
        return value in self.choices or any(
            value.startswith(f) and len(value) > len(f) for f in self.families
        )

    def _bounded(self, value: float) -> bool:
        above = self.low is None or value >= self.low
        return above and value < float("inf") and (self.high is None or value <= self.high)


def is_text(value: str) -> bool:
    """Whether it can be stored and sent: no NUL, none of the escapes that stand for undecodable bytes."""
    return "\0" not in value and not any("\ud800" <= char <= "\udfff" for char in value)


def values_of(group: Any) -> dict[str, Any]:
    """The values of a group of settings by their names in it."""
    return {entry.name: getattr(group, entry.name) for entry in fields(group)}
