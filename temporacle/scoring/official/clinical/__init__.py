"""The scorers of clinical shared tasks, as the original programs print.

    i2b2            i2b2 2012: events, times and links, four ways to compare links
    anafora         anaforatools, used by Clinical TempEval
    chemotimelines  the timelines of chemotherapy treatments, 2024 and 2025

Each takes the contents of files and returns a ``Printout``: the text, and how the original ends.
"""
