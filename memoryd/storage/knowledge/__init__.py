"""Knowledge points in versions: one interface, kept in files or in the database."""
