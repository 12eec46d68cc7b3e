"""The best consistent labelling of a document whose pairs have scores."""
