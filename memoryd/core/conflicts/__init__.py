"""Whether two statements about one user exclude each other, by rules."""
