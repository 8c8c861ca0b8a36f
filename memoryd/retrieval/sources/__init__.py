"""The sources of candidates: keywords, literal matches, time, vectors, the graph, former versions."""
