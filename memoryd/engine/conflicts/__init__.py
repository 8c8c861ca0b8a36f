"""Contradictions between memories: search for them, and the queue that resolves them."""
