"""Tables of the life of memories: boosts, active days, decay passes, reviews, conflicts."""
