"""The contents of a page, as plain values."""
