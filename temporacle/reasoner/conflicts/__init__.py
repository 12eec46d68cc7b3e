"""Minimal conflicts, optimal repairs, and the links from which a relation follows."""
