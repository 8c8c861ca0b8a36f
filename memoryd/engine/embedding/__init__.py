"""Embedding: the model and the vector index together, batches, re-embedding."""
