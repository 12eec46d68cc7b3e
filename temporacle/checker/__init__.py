"""Checks certificates. Trust this folder, and you need not trust the reasoner.

It uses the standard library only and nothing else of the package. A certificate is accepted only if every part of it is
in place and its claim follows from its own links by the steps below; with the document's file, also only if the file is
the one it was made for. docs/certificates.md describes the form.

What it knows about time is one table (``atoms``): an example of each of Allen's thirteen atoms. Any two pairs of proper
intervals between which the same atom holds have their endpoints in the same order, so one example of each is enough.

    model      integer times; every link is true of them (``models``)
    cycle      x <= ... < ... <= x, where each step holds in all atoms that its link still allows, or is start < end of
               one entity: impossible (``cases``)
    split      cases that together cover all atoms a link still allows; in each, the link allows only the case's atoms,
               and the step named refutes it (``cases``)
    clause     "this endpoint is not later than that one, or ...": true in every atom of one link, or of any intervals,
               since its negation is a cycle (``clauses``)
    lemma      a clause whose negation leads to a contradiction by unit propagation alone: whenever all literals of a
               clause but one are false, that one is true. The empty lemma refutes everything (``propagation``)
    stream     a proof with clauses and lemmas may be in a file beside the certificate, which is read line by line
    seconds    with values of time expressions, edges are right - left <= seconds: they form a circle and add up to less
               than 0, or to 0 with a strict one among them (``seconds``). ``values`` works out what a value says

``certificate.CLAIMS`` lists the claims; each is one file in ``claims/``. The folder also runs by itself, copied
anywhere: ``python checker CERTIFICATE [DOCUMENT]``.
"""

from __future__ import annotations

from .certificate import documents_of, in_folder, parse, trusted, verify
from .files import digest
from .form import DOCUMENT, Rejected

__all__ = ["DOCUMENT", "Rejected", "digest", "documents_of", "in_folder", "parse", "trusted", "verify"]
