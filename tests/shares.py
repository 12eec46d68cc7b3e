"""Which share of a random comparison each run takes."""

import pytest


def few(values, always=1, long=()):
    """The first of these values, and the others with the mark that leaves them to ``make test-all``.

    Those in ``long`` take a minute of processor time or more, and continuous integration leaves them out.
    """
    return [
        value
        if number < always
        else pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[pytest.mark.slow, *([pytest.mark.long] if value in long else [])],
        )
        for number, value in enumerate(values)
    ]
