"""Who a text has mentioned so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from memoryd.language.triples.names import OWN

_RELATIVE = f"{OWN}'s "


@dataclass(slots=True)
class MentionedEntities:
    """subject: of a clause without one; third_person: whom he, she and 他 refer to; names: those met;
    relatives: the names of the user's relatives by relation (`sister`)."""

    subject: str | None = None
    third_person: str | None = None
    names: set[str] = field(default_factory=set)
    relatives: dict[str, str] = field(default_factory=dict)

    def set_subject(self, who: str) -> None:
        """A clause is about somebody."""
        self.subject = who
        if who != OWN:
            self.third_person = who
            self.names.add(who)

    def relative(self, relation: str) -> str:
        """A relative of the user: the name if the text gave it, else `user's sister`."""
        return self.relatives.get(relation, _RELATIVE + relation)

    def name_relative(self, relation: str, name: str) -> None:
        """Call a relative of the user by name from here on."""
        self.relatives[relation] = name
        self.names.add(name)


def relation_to_user(who: str) -> str | None:
    """`sister` for `user's sister`."""
    return who.removeprefix(_RELATIVE) if who.startswith(_RELATIVE) else None
