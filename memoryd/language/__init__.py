"""Rules about Chinese and English text: folding, numbers, times, triples, conflicts and queries."""
