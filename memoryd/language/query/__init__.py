"""Rules that read a query: intent, focus, recency, commands and search terms."""
