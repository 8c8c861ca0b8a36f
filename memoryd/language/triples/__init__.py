"""Triples: names, predicates and statements, and the rules that extract statements from a text."""

from memoryd.language.triples.display import displayed, displayed_name
from memoryd.language.triples.extractor import extracted
from memoryd.language.triples.names import OWN, key_of, keys_of, language_of, name_of
from memoryd.language.triples.predicates import SYMMETRIC, Predicate, predicate_of
from memoryd.language.triples.statement import Statement, checked_statement

__all__ = [
    "OWN",
    "SYMMETRIC",
    "Predicate",
    "Statement",
    "checked_statement",
    "displayed",
    "displayed_name",
    "extracted",
    "key_of",
    "keys_of",
    "language_of",
    "name_of",
    "predicate_of",
]
