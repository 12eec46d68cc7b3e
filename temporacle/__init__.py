"""Temporacle: an exact temporal reasoner for annotated text."""

__version__ = "0.1.0"
