"""Finds the values of a page: asks the oracle about documents, and the scorers about systems."""
