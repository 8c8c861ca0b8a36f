"""Ranking: features, the trained weights, calibration and the relevance threshold."""
