"""The grammar of English time expressions."""
