"""Checks certificates. Trust this folder, and you need not trust the reasoner.

It uses the standard library only and nothing else of the package. A certificate is accepted only if every part of it is
in place and its claim follows from its own links; with the document's file, also only if the file is the one it was
made for. docs/certificates.md describes the form. Read the files in this order; each imports those in brackets:

    kernel         atoms, facts, models, and the form of what all certificates share: times make facts true
    refutations    proofs that facts contradict each other, by cases or by clauses (kernel)
    claims         certificates as a whole; consistent, inconsistent, entailed, refuted, open (all others but __main__)
    closures       reasons against atoms, and the claim closure (kernel, refutations)
    optima         lower bounds, and the claims repair and decode (kernel, refutations)
    scores         the claims score and total (kernel, closures)
    calendar       values of time expressions (kernel)
    __main__       the program: ``python checker CERTIFICATE [DOCUMENT]``, also when the folder was copied elsewhere

The first three are enough to follow how an inconsistent document without dates is checked.
"""

from __future__ import annotations

from .claims import documents_of, in_folder, parse, trusted, verify
from .kernel import DOCUMENT, Rejected, digest

__all__ = ["DOCUMENT", "Rejected", "digest", "documents_of", "in_folder", "parse", "trusted", "verify"]
