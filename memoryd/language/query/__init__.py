"""Rules that analyse a query: intent, focus, recency, commands and search terms."""
