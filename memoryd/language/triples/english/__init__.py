"""The clause rules of English."""
