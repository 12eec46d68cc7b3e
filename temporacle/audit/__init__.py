"""Is another closure right? Judges the answers of any implementation, and shrinks what is wrong to a minimal graph.

    graphs          what is asked: links of source, relation, target
    answers         what an implementation can answer
    generate        seeded graphs of every family
    subjects/       how foreign code is asked: a function, a program
    claims          what files claim about documents; claim_files, claim_labels: how that is read
    judge           one answer against the exact closure
    faults          what can be wrong with an answer
    evidence        why a fault is one: a model, or links that settle it
    findings        faults with their evidence, and the one count of them
    variants        questions that must get the same answer: no oracle needed
    shrink          the smallest graph that still shows a fault
    live            all of it over many cases, for a live implementation
    documents       all of it for the claims about one document
    engines         our own engines as subjects
    pasted_tests    a finding as a test to paste

``tasks.audit`` and ``tasks.audit.crosscheck`` are what users call.
"""
