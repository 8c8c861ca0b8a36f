"""The life of a memory: importance, decay, boosts, reviews and active days."""
