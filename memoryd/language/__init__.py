"""Knowledge of Chinese and English: folding, times, triples, conflicts and query rules."""
