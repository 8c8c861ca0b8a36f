"""One service per group of methods: arguments in, use case called, reply out."""
