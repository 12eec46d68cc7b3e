"""The endpoint graph: convex links, decided by sorting, closing and growing one graph of points."""
