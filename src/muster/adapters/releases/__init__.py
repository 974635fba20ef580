"""Releases: what can be installed, and the files that are made of a cluster to install it."""
