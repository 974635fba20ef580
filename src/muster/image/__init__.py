"""Live images: what is where in one, and what is to be read for one that was made someone's own."""
