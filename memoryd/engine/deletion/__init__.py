"""Deletion: memories and turns, forget by meaning, purge, physical removal."""
