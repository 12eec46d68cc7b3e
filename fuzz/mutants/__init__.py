"""Mutation testing: change one thing in a module, and see whether a test fails.

A *mutant* is the module with one change, such as ``<`` made ``<=``. A mutant that no test notices *survives*. It shows
a gap in the tests, or code that has no effect.

- ``operators``: the changes that are tried
- ``hunt``: runs the tests against each mutant
- ``python -m fuzz.mutants``: the command
"""
