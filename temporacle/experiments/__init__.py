"""The experiments of the source papers, repeated on generated graphs and on any corpus.

Tannier & Muller (2011), "Evaluating Temporal Graphs built from Texts via Transitive Reduction", section 6;
UzZaman & Allen (2011), "Temporal Evaluation", figures 2 to 8. Each experiment is a function in a file of its own:

    run(settings, progress) -> Outcome

Everything but measured seconds follows from the seed.
"""
