"""Files a cluster installs from, rendered from its records."""
