"""Forged certificates: mutated ones of every kind, judged by both checkers, and by the oracle if one accepts them.

    samples      certificates of each kind, about small random networks and documents
    branching    bounds by cases, which the solver would not need
    mutations    changes of the content: of single places (``places``) and of what it says (``meanings``)
    spots        where something can be changed
    texts        changes of the JSON text and of bytes
    truth        whether a claim is true, by enumeration or by the oracle, without its proof
    judging      the two checkers side by side

``python -m fuzz.forgeries --cases N --kind K --seed S`` runs it.
"""
