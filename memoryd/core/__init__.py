"""Pure decisions on records: no I/O, the clock is passed in."""
