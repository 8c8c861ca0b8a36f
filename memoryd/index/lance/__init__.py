"""The LanceDB vector store: tables, search, and the outbox that feeds it."""
