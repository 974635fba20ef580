"""The installer: takes one machine from the running discovery image to its own disk."""
