"""A year of a person's use, simulated through the real engine with a clock that is handed in."""
