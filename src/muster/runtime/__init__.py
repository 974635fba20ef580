"""What keeps the service going: the one door for change, the clockwork behind it, and the wiring."""
