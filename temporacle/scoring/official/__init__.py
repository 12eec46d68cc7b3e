"""The digits of published scorers, including their faults. Opt-in, and apart from the exact metrics.

    registry        ``Program``, and the list of all programs
    tempeval3/      the TempEval-3 relation scorer; ``normalizer/`` prepares raw files for it
    timelines       the SemEval-2015 task 4 timeline scorer
    tempeval1       the TempEval-1 (SemEval-2007 task 15) link scorer
    i2b2/, anafora, chemotimelines   the clinical tasks
    qa_tempeval     questions about the order of events
    pairs/          the programs behind pairwise scores, one for each convention

Everything works on bytes, because the programs did. ``docs/official.md`` describes what is reproduced and what is not.
"""
