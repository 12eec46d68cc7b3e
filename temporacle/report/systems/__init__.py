"""The page that compares systems: what it shows, gathered and written."""
