"""One service per class of declared methods: its public attributes are the handlers."""
