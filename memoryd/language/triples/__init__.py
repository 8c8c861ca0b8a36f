"""Triples: names, predicates and statements, and the rules that extract statements from a text."""

from memoryd.language.triples.display import display_name, display_statement
from memoryd.language.triples.extractor import extract_statements
from memoryd.language.triples.names import OWN, key_of, keys_of, language_of, name_of
from memoryd.language.triples.predicates import SYMMETRIC, Predicate, predicate_of
from memoryd.language.triples.statement import Statement, parse_statement

__all__ = [
    "OWN",
    "SYMMETRIC",
    "Predicate",
    "Statement",
    "display_name",
    "display_statement",
    "extract_statements",
    "key_of",
    "keys_of",
    "language_of",
    "name_of",
    "parse_statement",
    "predicate_of",
]
