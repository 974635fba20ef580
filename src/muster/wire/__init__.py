"""What goes over the wire: JSON to records and back, and the one list of everything that can be called."""
