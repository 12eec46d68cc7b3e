"""The normalisation that precedes scoring in TempEval-3, so that raw system output can be scored.

Gold and system number their events and times each in their own way. The normaliser aligns the two annotations of a
text, gives their entities common ids (gold is renumbered too) and turns every link into one standard direction.

    run          a pair of documents, a run over two folders: ``normalize_pair``, ``normalize_folders``
    document     reading a file; places in the text
    schema       what a file must satisfy to be normalised
    tokens       the tokens by which texts are compared and tags are placed
    alignment    common numbers for events, times and instances
    links        rewriting the TLINK tags
    reports      objections: what the official program would complain about, and what that costs

The relation scorer takes it from here: ``read_links(pair.gold.content)``.
"""

from temporacle.scoring.official.normalizer.links import NormalizedLink
from temporacle.scoring.official.normalizer.run import (
    Normalization,
    NormalizedDocument,
    NormalizedPair,
    Objection,
    Stage,
    WhichSide,
    normalize_folders,
    normalize_pair,
)

__all__ = [
    "Normalization",
    "NormalizedDocument",
    "NormalizedLink",
    "NormalizedPair",
    "Objection",
    "Stage",
    "WhichSide",
    "normalize_folders",
    "normalize_pair",
]
