"""Pairwise scores as papers publish them: labels of pairs compared without inference, by a convention with a name."""
