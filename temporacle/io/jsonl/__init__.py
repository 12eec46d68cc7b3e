"""JSON Lines: read, written and edited."""
