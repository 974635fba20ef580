"""Meaning and consequence: pure functions over frozen records.

Nothing here waits, logs, reads a clock or a database. `decide` is the way in.
"""
