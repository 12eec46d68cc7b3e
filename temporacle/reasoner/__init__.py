"""Exact reasoning over links between intervals. Takes values, returns values.

Five engines, each with one task:

    points         the endpoint graph: sort, condense, close, grow, reduce. Exact for convex and pointisable links
    disjunctions   a CDCL solver on the chordal completion of the entities, with one encoding for search, cores and
                   proofs. Decides what the graph leaves open, and finds optimal repairs of many disjunctions
    clock          the weighted graph of dates and lengths. Its choices among disjunctions are made case by case
    optimise       the cheapest choice that meets all conflicts, for repair and decode: search, cores, CP-SAT
    reference      engines that share no reasoning with the others: CP-SAT from the table of the atoms, and enumeration.
                   ``engine=`` and ``crosscheck`` ask them

Who asks whom; imports point down, as import-linter checks:

    check, editor, linkgraph   one document for ``check``; a session; a graph that grows link by link for scores
    clock                      the same questions with values of time expressions
    inquiry, oracle            questions about one document, in its own order of links, and in Python
    reference                  other engines behind the same interface
    proofs                     certificates: cases, clauses with hints, bounds, closures
    decode                     the consistent labelling of highest score
    conflicts                  conflicts, repairs, reasons and explanations of a judged value
    judged                     the judged value: graph, verdict and model, each found once, and what others found
    published                  algorithms as they were published, to be compared with: propagation, path consistency,
                               Timegraph, ORD-Horn. No answer rests on them
    disjunctions               residual (what is left open), pointproblem, search, cores, optimum
    optimise                   choices (hitting sets), core_guided, solver (CP-SAT)
    points                     graph, closure, cycles, paths, growing, reduction, sorting, searches, large
    network, algebra           links with numbered entities; relations as masks

What a question meets first, and the constants that choose:

    sorting                    all links convex and no explanation asked for: one topological sort, no graph
    graph                      all links convex or pointisable; closed up to 1,000 entities (``judged``), beyond that
                               pairs are searched for (``points.searches``, ``points.large``)
    cases                      up to 12 disjunctions left by the graph, within 400 cases (``pointproblem``)
    cdcl                       more of them, up to 2 million triangles (``search.MOST_TRIANGLES``)
    splitting                  more than 20,000 entities (``judged._MOST_CLOSED``): no table of all pairs
    repair                     convex: conflicts and hitting sets; more than 12 disjunctions: core-guided search
                               (``conflicts._MANY_DISJUNCTIONS``)
    hitting sets               own search, CP-SAT after 2,000 steps (``optimise.choices``)
    proofs                     cases up to 32 branchings (500 with few disjunctions), then clauses (``certificate``)
"""
