"""Decisions about knowledge points: what one is, how versions follow each other, sampling, merging."""
