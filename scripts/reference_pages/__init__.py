"""The generated pages of docs/: the API and the settings, as Markdown."""
