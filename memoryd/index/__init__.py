"""Indexes derived from the SQLite tables: keywords and vectors."""
