"""Subject, predicate, object: how names and predicates are normalised, and what a text tells by rules."""

from memoryd.core.triples.extract import extracted
from memoryd.core.triples.names import OWN, key_of, name_of
from memoryd.core.triples.predicates import SYMMETRIC, predicate_of
from memoryd.core.triples.statement import Statement, checked_statement

__all__ = [
    "OWN",
    "SYMMETRIC",
    "Statement",
    "checked_statement",
    "extracted",
    "key_of",
    "name_of",
    "predicate_of",
]
