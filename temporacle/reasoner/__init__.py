"""Exact reasoning over links between intervals. Takes values, returns values.

Five engines, each with one task:

    points         the endpoint graph: sort, condense, close, grow, reduce. Exact for convex and pointisable links
    disjunctions   a CDCL solver on the chordal completion of the entities, with one encoding for search, cores and
                   proofs. Decides what the graph leaves open, and finds optimal repairs of many disjunctions
    clock          the weighted graph of dates and lengths. The solver picks among disjunctions, in the same encoding
    optimise       the cheapest choice that meets all conflicts, for repair and decode: branch and bound, cores, CP-SAT
    reference      engines that share no reasoning with the others: CP-SAT from the table of the atoms, and enumeration.
                   ``engine=`` and ``crosscheck`` ask them

Who asks whom; imports point down, as import-linter checks:

    check          one document for ``check``            editor      a session: what an editor of links asks
    linkgraph      a graph that grows link by link, for scores
    clock/         the same questions with values: check, oracle, limits, table, conflicts (and the repair), proofs;
                   below them problem (facts with edges), quick (one sort), picks (the solver), weights (the graph)
    inquiry        what a check asks about links         oracle      questions about one document, in Python
    reference/     engines (by name), cpsat, enumeration, models (answers from models), lanes (parts of exact alone)
    proofs/        certificate (and by cases), clausal (clauses with hints), cheapest with least_cost, closure
    decode/        the consistent labelling of highest score: ranked, conflicts, decode
    conflicts/     conflicts (where they are searched), repair, canonical (the list that is shown), all_conflicts,
                   reasons (why something follows), explanation
    judged         the judged value: graph, verdict and model, each found once, and what others found
    published/     algorithms as they were published, to be compared with: propagation, path_consistency, timegraph,
                   ord_horn. No answer rests on them
    disjunctions/  residual (what is left open), cases (models and proofs), search, cores, encoding, completion,
                   sat
    optimise/      choices (hitting sets), core_guided, solver (CP-SAT)
    points/        sorting, graph, hulls, cycles, paths, growing, times, minimal_graph; large, large_reduction and
                   searched_rows for documents that are not closed
    network        links with numbered entities          algebra     relations as masks

What a question meets first, and the constants that choose:

    sorting        all links convex and no explanation asked for: one topological sort, no graph
    graph          all links convex or pointisable; closed up to 1,000 entities (``judged._MOST_ROWS``), beyond that
                   pairs are searched for (``points.large``)
    cases          up to 12 disjunctions left by the graph, within 200 branchings (``residual``)
    cdcl           more of them, up to 2 million triangles (``search.MOST_TRIANGLES``)
    splitting      more than 20,000 entities with disjunctions: no table of all pairs (``judged._MOST_CLOSED``)
    quick          convex links and values of one clock: one sort (``clock.quick``); else weights
    repair         convex: conflicts and hitting sets; more than 12 disjunctions: core-guided search
                   (``conflicts._MANY_DISJUNCTIONS``)
    hitting sets   branch and bound, CP-SAT after 2,000 steps (``optimise.choices``)
    proofs         cases up to 32 branchings (500 with few disjunctions), then clauses (``certificate``)
"""
