"""The keyword index: SQLite FTS5, BM25 and the forward index of terms."""
