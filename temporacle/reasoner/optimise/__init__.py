"""The cheapest choice that meets known conflicts: for repairs and for decoding."""
