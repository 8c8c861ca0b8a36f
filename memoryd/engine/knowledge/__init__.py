"""Knowledge points of a user: stored in versions, indexed, merged and shared."""
