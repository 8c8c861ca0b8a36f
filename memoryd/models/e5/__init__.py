"""multilingual-e5-small, the bundled model, and its engines."""
