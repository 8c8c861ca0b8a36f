"""Triples: stored, extracted from texts by rules, walked, imported and exported."""
