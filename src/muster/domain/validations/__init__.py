"""The checks of hosts and clusters, one module for each category; `catalogue` lists them all."""
