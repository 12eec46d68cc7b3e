"""Gathers what a report shows: asks the oracle and the scorers, and hands plain values to ``temporacle.io.report``."""
