"""Figures as they are shown: near the value, and whole only where the value is."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from temporacle.frames import digits, signed_digits

FRACTIONS = st.fractions(min_value=-100, max_value=100, max_denominator=10**9)


@given(FRACTIONS, st.integers(min_value=1, max_value=6))
def test_a_fraction_is_shown_near_its_value_and_never_as_a_whole_number_that_it_is_not(value, places):
    shown = Fraction(digits(value, places))
    assert abs(shown - value) <= Fraction(1, 2 * 10**places)
    assert (shown.denominator == 1) == (value.denominator == 1)


@given(FRACTIONS)
def test_a_float_is_shown_as_the_fraction_it_comes_from(value):
    if value.denominator == 1 or abs(value - round(value)) > Fraction(1, 10**6):
        assert abs(Fraction(digits(float(value))) - Fraction(digits(value))) <= Fraction(1, 10**4)
        assert (Fraction(digits(float(value))).denominator == 1) == (value.denominator == 1)


@given(FRACTIONS)
def test_a_difference_has_a_sign(value):
    assert signed_digits(value)[0] in "+-"
    assert Fraction(signed_digits(value)) == Fraction(digits(value))
