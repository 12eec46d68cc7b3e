"""Implementations under audit that live elsewhere: a Python function in its own process, or any executable."""
