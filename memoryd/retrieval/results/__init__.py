"""From ranked rows to hits: fetch, collapse, rerank, explain."""
