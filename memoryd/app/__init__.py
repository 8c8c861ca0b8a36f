"""The composition root: settings, logging, and the construction of every part."""
