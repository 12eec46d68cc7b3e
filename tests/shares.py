"""How much of a long comparison ``make test`` runs."""

import pytest


def few(values, always=1):
    """The first of these values, and the others with the mark that leaves them to ``make test-all``."""
    return [
        value
        if number < always
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]
