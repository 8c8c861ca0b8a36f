"""Fading: effective importance, decay passes, and the reviews they ask for."""
