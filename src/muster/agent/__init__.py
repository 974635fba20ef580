"""The agent: registers its machine, asks what to do, does it, and says how that went."""
