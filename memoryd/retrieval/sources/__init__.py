"""The sources of candidates: keywords, vectors, the graph, the past."""
