"""Storage of knowledge points: one interface, in files or in the database."""
