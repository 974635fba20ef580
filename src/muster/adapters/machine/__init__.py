"""Machines: what agents and installers stand on. The simulated one fulfils `ports.Machine` from a description."""
