"""Tables of triples, the entities they join and the evidence they rest on."""
