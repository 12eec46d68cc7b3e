"""Exact reasoning over links between intervals. Takes values, returns values."""
