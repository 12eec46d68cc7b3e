"""The digits of published scorers, including their faults. Opt-in, and apart from the exact metrics.

    awareness     the TempEval-3 relation scorer: ``score_documents``, ``score_links``
    timelines     the SemEval-2015 task 4 timeline scorer: ``score_timelines``
    tempeval1     the TempEval-1 (SemEval-2007 task 15) link scorer: ``score_folder``, ``score_file``
    differences   where the TempEval-3 scorer and an exact reasoner disagree, and why

Everything works on bytes, because the programs did. ``docs/official.md`` describes what is reproduced and what is not.
"""
