"""The composition root: reads the settings and the environment, and builds everything."""
