"""The REST face: decode, submit or read, encode. It never writes and never judges."""
