"""The SQLite database: connections, transactions, files and their repair."""
