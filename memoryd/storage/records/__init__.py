"""Tables of memories, turns and sessions, their versions and deletions."""
