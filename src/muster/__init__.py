"""muster turns a room of bare machines into an OpenShift cluster."""

__version__ = "0.1.0"
