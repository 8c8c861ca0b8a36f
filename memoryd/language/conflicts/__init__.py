"""Rules that tell whether two statements contradict each other."""
