"""The vector index: vectors in memory, their snapshot, token vectors and reconciliation."""
