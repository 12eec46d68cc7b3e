"""Slow engines that share as little as possible with the others: tests compare all engines with them."""
