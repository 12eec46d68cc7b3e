"""From what a caller holds to documents, and to pairs of documents."""
