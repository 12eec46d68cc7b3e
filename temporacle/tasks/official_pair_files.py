"""The files that programs for pairwise scores read: links of any format, graphs of language models, MAVEN-ERE.

Labels go by their names: every file is read with the labels of the conventions, whatever its format. Nothing is left
out: a file, a document or a link that cannot be read is an error.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import Reference
from temporacle.errors import UsageError
from temporacle.io import Options, read_corpus
from temporacle.io.source import strip_suffixes
from temporacle.model import Document, Unreadable
from temporacle.scoring.official.pairs import OriginalStopsError
from temporacle.scoring.official.pairs.sets import MavenDocument, maven_document
from temporacle.scoring.pairs.labels import MATRES, TBDENSE, LabelSet, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


# --- links ------------------------------------------------------------------------------------------------------------


class PairedDocuments(NamedTuple):
    """Every gold document with its answer, and answers without a question."""

    pairs: list[tuple[Document, Document]]  # an answer that is missing has no links
    gold_only: list[str]
    system_only: list[Document]
    notes: tuple[str, ...] = ()

    def every(self) -> Iterator[Document]:
        yield from (side for pair in self.pairs for side in pair)
        yield from self.system_only


def documents(gold: str, system: str) -> PairedDocuments:
    """Return the documents of two files or folders. Raise UsageError if one cannot be read."""
    keys, answers = _read(gold), _read(system)
    by_name = not all(_is_named_by_file(path, side) for path, side in ((gold, keys), (system, answers)))
    found = pair_up([*map(Reference.to, keys)], [*map(Reference.to, answers)], by_name=by_name)
    if keys and answers and not found.pairs:
        raise UsageError(
            "no system document has the same name as a gold document."
            f" Gold: {_some(keys)}. System: {_some(answers)}. Rename the files, or give the right ones"
        )
    asked = [(pair.gold, pair.system) for pair in found.pairs]
    pairs = [(_opened(key), _opened(answer)) for key, answer in asked if key is not None and answer is not None]
    alone = [_opened(each) for each in found.gold_only]
    pairs += [(key, Document(key.id)) for key in alone]
    notes = tuple(remark.message for remark in found.warnings)
    return PairedDocuments(pairs, [key.id for key in alone], [_opened(each) for each in found.system_only], notes)


def _read(path: str) -> list[Document]:
    read = []
    for found in read_corpus(path, Options(reading=vocabulary())):
        if isinstance(found, Unreadable):
            raise UsageError(f"unreadable: {found.error}")
        read.append(found)
    return read


def _is_named_by_file(path: str, read: Sequence[Document]) -> bool:
    """Return whether a file holds one document without a name of its own. Two such files are a pair."""
    name = strip_suffixes(os.path.basename(path))  # noqa: PTH119 - a path is kept as typed
    return os.path.isfile(path) and [each.id for each in read] == [name]  # noqa: PTH113


def _opened(reference: Reference) -> Document:
    found = reference.read()
    if isinstance(found, Unreadable):
        raise UsageError(f"unreadable: {found.error}")
    return found


def _some(found: Sequence[Document]) -> str:
    return ", ".join(each.id for each in found[:4]) + (", ..." if len(found) > 4 else "")


# --- graphs of language models ----------------------------------------------------------------------------------------


class GraphFiles(NamedTuple):
    """Gold's pairs by file, and the texts of each run by name."""

    gold: dict[str, list[tuple[str, str, str]]]  # file -> first, second, relation as written
    runs: list[dict[str, str]]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.gold)

    def label_set(self) -> LabelSet:
        """Return six labels if gold has INCLUDES or IS_INCLUDED, otherwise four."""
        used = {relation.upper() for pairs in self.gold.values() for _, _, relation in pairs}
        return TBDENSE if used & (set(TBDENSE.labels) - set(MATRES.labels)) else MATRES

    def gold_table(self, labels: LabelSet) -> dict[tuple[str, str, str], str]:
        """Return gold by directed pair, with the last label.

        Raise OriginalStopsError for a label that the program does not know.
        """
        table = {}
        for name, pairs in self.gold.items():
            for first, second, relation in pairs:
                if relation.upper() not in labels.labels:
                    raise OriginalStopsError(f"gold has the relation {relation!r}")
                table[name, first, second] = relation.upper()
        return table


def holds_graphs(gold: str) -> bool:
    """Return whether gold is a folder of JSON files, as the program of ``global-zero-shot`` reads it."""
    return os.path.isdir(gold) and any(name.endswith(".json") for name in os.listdir(gold))  # noqa: PTH112, PTH208


def graph_files(gold: str, systems: Sequence[str]) -> GraphFiles:
    """Read them. UsageError where a file has not the form that the program expects."""
    pairs: dict[str, list[tuple[str, str, str]]] = {}
    for name in sorted(os.listdir(gold)):  # noqa: PTH208
        if name.endswith(".json"):
            path = os.path.join(gold, name)  # noqa: PTH118
            try:
                found = _json(path)["allPairs"]
                pairs[name] = [(str(p["_firstId"]), str(p["_secondId"]), str(p["_relation"])) for p in found]
            except (KeyError, TypeError) as error:
                form = '{"allPairs": [{"_firstId", "_secondId", "_relation"}, ...]}'
                raise UsageError(f"{path}: gold of global-zero-shot has the form {form}") from error
    return GraphFiles(pairs, [_texts(path) for path in systems])


def _texts(path: str) -> dict[str, str]:
    try:
        return {name: _text(answer["target"]) for name, answer in _json(path).items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise UsageError(
            f'{path}: a run of global-zero-shot has the form {{"file.json": {{"target": text}}}}'
        ) from error


def _text(target: object) -> str:
    if not isinstance(target, str):
        raise TypeError
    return target


def _json(path: str) -> Any:
    try:
        return json.loads(_content(path))
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}") from error


def _content(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8") from error


# --- MAVEN-ERE --------------------------------------------------------------------------------------------------------


def maven_documents(gold: str, system: str) -> list[MavenDocument]:
    """Return the documents of ``test.jsonl`` with their answers in ``test_prediction.jsonl``.

    The last line of an id counts.
    """
    keys, answers = _by_id(gold), _by_id(system)
    found = []
    for name, (line, key) in keys.items():
        answer_line, answer = answers.get(name, (0, None))
        for path, number, value in ((gold, line, key), (system, answer_line, answer)):
            if value is not None and not isinstance(value.get("temporal_relations", {}), dict):
                raise UsageError(f"{path}:{number}: temporal_relations must be an object from labels to lists of pairs")
        try:
            found.append(maven_document(key, answer))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{gold}:{line}: document {name!r} has not the form of MAVEN-ERE ({error!r})") from error
    return found


def _by_id(path: str) -> dict[str, tuple[int, Mapping[str, Any]]]:
    found: dict[str, tuple[int, Mapping[str, Any]]] = {}
    for number, line in enumerate(_content(path).splitlines(), 1):
        if line.strip():
            try:
                value = json.loads(line)
                found[str(value["id"])] = (number, value)
            except ValueError as error:
                raise UsageError(f"{path}:{number}: not JSON: {error}") from error
            except (KeyError, TypeError) as error:
                raise UsageError(f"{path}:{number}: a document of MAVEN-ERE is an object with an id") from error
    return found
