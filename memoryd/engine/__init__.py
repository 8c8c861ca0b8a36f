"""Use cases: what one call does to the store, across tables and indexes."""
