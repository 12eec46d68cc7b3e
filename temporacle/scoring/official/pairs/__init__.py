"""Emulate the programs behind pairwise scores, faults included. Written from a description of behaviour."""


class OriginalStopsError(Exception):
    """The original program ends with an exception on this input; the message says why."""
