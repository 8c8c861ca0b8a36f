"""Conversations: turns and sessions, written and read."""
