"""Pure decisions on records: no input or output, the clock passed in."""
