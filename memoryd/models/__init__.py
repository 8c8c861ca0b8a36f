"""Embedding models and rerankers, and the threads that run them."""
