"""Helpers shared by the tests: daemons and processes, stores, sample data, fake servers."""
