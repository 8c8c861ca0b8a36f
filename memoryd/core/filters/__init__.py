"""Filter trees: their grammar, and matching against records."""
