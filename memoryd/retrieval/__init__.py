"""Search: plan, sources, ranking and results."""
