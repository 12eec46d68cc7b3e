"""The page of a document: what it shows, gathered and written."""
