"""Network settings as nmstate describes them: from a tree of values to records, their problems, and keyfiles."""
