"""The clause rules of Chinese."""
