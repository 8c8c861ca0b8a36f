"""Memories: written, read, versioned, archived and used."""
