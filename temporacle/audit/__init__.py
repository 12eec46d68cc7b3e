"""Is another closure right? Judges answers of any implementation, and shrinks what is wrong to a minimal graph.

    findings      what an implementation answers, and what can be wrong with it
    judge         one answer against the exact closure
    evidence      why a finding is right: a model, or links that settle it
    generate      seeded graphs of every family
    metamorphic   questions that must get the same answer: no oracle needed
    shrink        the smallest graph that still shows a fault
    run           all of it over many cases

The implementation under audit is a ``Subject``; how it is reached (another process, a command) is not known here.
"""
