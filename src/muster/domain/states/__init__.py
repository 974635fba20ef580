"""The two state machines: what the states mean and every row between them."""
