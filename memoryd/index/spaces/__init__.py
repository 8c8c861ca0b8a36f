"""Embedding spaces: the serving one, and the migration to another."""
