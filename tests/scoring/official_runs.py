"""Whole runs of the TempEval-3 programs over contents in memory, put together from the pieces that commands use."""

from dataclasses import dataclass

from temporacle.scoring.official.normalizer import Stage, WhichSide, normalize_pair
from temporacle.scoring.official.tempeval3.scores import DEFAULT, DocumentScore, score_file, score_pair, summed
from temporacle.scoring.official.tempeval3.tlinks import odd_texts, read_links


def score_documents(pairs, method=DEFAULT, *, seconds=None):
    """Score the contents of files, (gold, system) for each document, in the order in which a folder lists them.

    A missing system file (None), where the original stops, counts as a file without links. ``seconds`` is the budget
    per document; BudgetExceeded if it does not suffice. An unknown method means the default one, under its own name.
    """
    method = method.strip()
    documents = [
        score_file(read_links(gold), None if system is None else read_links(system), method, seconds=seconds)
        for gold, system in pairs
    ]
    return summed(method, documents)


def score_links(pairs, method=DEFAULT, *, seconds=None):
    """Score lists of links, (gold, system) for each document."""
    method = method.strip()
    documents = []
    for gold, system in pairs:
        score = score_pair(gold, system, method, seconds=seconds)
        documents.append(DocumentScore(score.counts, (), (*odd_texts(gold), *odd_texts(system)), score.stops))
    return summed(method, documents)


@dataclass(frozen=True)
class Normalization:
    """A run: the documents that both folders hold, in gold's order, and the names that only one of them holds."""

    pairs: tuple
    only_in_gold: tuple = ()
    only_in_system: tuple = ()

    def officially_written(self):
        """Return the files that the official program writes for this run before it stops, in order."""
        if self.only_in_gold or self.only_in_system or any(_rejected(pair) for pair in self.pairs):
            return ()
        return tuple(self._until_the_first_failure())

    def _until_the_first_failure(self):
        for pair in self.pairs:
            if any(Stage.ALIGNMENT in pair.stages(side) for side in WhichSide):
                return
            for side in WhichSide:
                if Stage.REWRITING in pair.stages(side):
                    return
                yield pair.name, side


def _rejected(pair):
    return any(Stage.GATE in pair.stages(side) for side in WhichSide)


def normalize_folders(gold, system):
    """Normalise each document of a gold folder with the document of the same name in a system's."""
    return Normalization(
        tuple(normalize_pair(gold[name], system[name], name=name) for name in gold if name in system),
        tuple(name for name in gold if name not in system),
        tuple(name for name in system if name not in gold),
    )
