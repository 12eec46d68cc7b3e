"""Links and values of time expressions together: exact reasoning about dates, lengths and zones.

    weights     difference constraints as a graph: negative cycles, a model, shortest distances
    problem     the links and values of a document as facts with edges
    choices     disjunctions: choose atoms, look for a cycle, learn from it
    constants   documents whose values are all dates: their borders become points of the endpoint graph
    conflicts   which facts contradict each other, as few as possible
    repair      the fewest facts to drop
    table       what follows for pairs of entities
    bounds      the earliest and latest time of every start and end
    proofs      certificates
    oracle      all questions about one document

A constraint ``right - left <= seconds`` is an edge from left to right. Seconds and strictness are one whole number,
``seconds * unit - strict``, where the *unit* is larger than the number of points: on a cycle without repetition the
strict edges never add up to a second, so numbers compare as pairs (seconds, strict edges) do.
"""
