"""Is another closure right? Judges the answers of any implementation, and shrinks what is wrong to a minimal graph.

    answers         graphs as they are asked, what an implementation can answer, and what can be wrong with it
    generate        seeded graphs of every family, and questions that must get the same answer: no oracle needed
    subjects/       how foreign code is asked: a function, a program
    claims          what files claim about documents
    judge           one answer against the exact closure; why a fault is one: a model, or links that settle it
    findings        faults with their evidence, their counts, and the results of audits
    live            all of it over many cases, for a live implementation; the smallest graph that still shows a fault
    engines         our own engines as subjects
    official        links about which the TempEval-3 scorer and an exact reasoner disagree, and why
    pasted_tests    a finding as a test to paste

``tasks.audit`` has what users call.
"""
