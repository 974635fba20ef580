"""The lab: simulated machines that run the real agent and installer, faults on demand, and the cluster they become."""
