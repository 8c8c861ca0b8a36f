"""Background work: the indexer thread and the durable jobs."""
