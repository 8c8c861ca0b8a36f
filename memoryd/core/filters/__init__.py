"""Filter trees: their grammar, and matching them against records."""
