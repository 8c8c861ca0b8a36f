"""Which two statements of a user contradict each other, by rules."""
