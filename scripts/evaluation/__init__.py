"""Retrieval evaluation: data sets, metrics, the run against a daemon, the report."""
