"""Ratios measured inside one run: ``python -m bench [NAME...] [--check]``. No timing is ever asserted in tests."""
