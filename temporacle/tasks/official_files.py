"""Find and read the files that the programs of shared tasks compare. Each program matches names in its own way.

``_READERS`` has one function for each layout: it takes the paths (or values in memory) of gold and of the systems, and
the options of the program, and returns what the program's ``run`` takes.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.corpus.inputs import documents, paths_of
from temporacle.errors import BudgetExceeded, InputError, UsageError
from temporacle.io import Options, read_corpus, read_source
from temporacle.io.source import Source, strip_suffixes
from temporacle.model import Document, Remark, Unreadable, skipped_words
from temporacle.printing import first_of
from temporacle.readings import canonical
from temporacle.scoring.metric import Align
from temporacle.scoring.official.registry import Layout, Stop
from temporacle.scoring.official.tempeval3 import FilePair, LinkPair, LinkQuestions
from temporacle.scoring.official.tempeval3.tlinks import link_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from temporacle.corpus.inputs import Inputs
    from temporacle.scoring.official.anafora import AnaforaAnnotation, AnaforaDocuments
    from temporacle.scoring.official.chemotimelines import ChemotimelinesChoices, Entry, PatientFiles
    from temporacle.scoring.official.i2b2 import NoteFiles
    from temporacle.scoring.official.pairs import GraphFiles, PairedDocuments, PairFiles
    from temporacle.scoring.official.pairs.matrices import MavenDocument
    from temporacle.scoring.official.qa_tempeval import AnsweredQuestions
    from temporacle.scoring.official.registry import ProgramRequest
    from temporacle.scoring.official.tempeval1 import AnsweredPair

_IGNORED = "DS_Store"
_SUBFOLDER = "IOError: a folder among the gold files"


# --- TempEval-3 ------------------------------------------------------------------------------------------------------


def questions(gold: str, system: str, align: Align, request: ProgramRequest | None = None) -> LinkQuestions:
    """Return every gold file in the order of names, with the system's file for it, or documents of other formats."""
    pairs, remarks = _walked_pairs(gold, system, tolerant=align is Align.TEMPEVAL3)
    if align is not Align.TEMPEVAL3 and not _is_timeml(pairs):
        return _other_formats(gold, system)
    if request is not None:
        for side, every in (("gold", [pair.gold for pair in pairs]), ("system", [pair.system for pair in pairs])):
            request.unused[side] = _unused(every)
            if said := skipped_words(request.unused[side]):
                request.notes.append(f"links of {side}{said[1:]}; the program reads them in its own way")
    return LinkQuestions(pairs, notes=tuple(remarks))


def _unused(contents: Iterable[bytes | None]) -> dict[str, int]:
    """Return how many links of some files cannot be used, by code; files that are no XML count as one each."""
    found: Counter[str] = Counter()
    for content in filter(None, contents):
        for document in read_source(Source("d", content, Options(format="timeml"), name="d")):
            found.update({"unreadable": 1} if isinstance(document, Unreadable) else document.skipped_links)
    return dict(sorted(found.items()))


def _walked_pairs(gold: str, system: str, *, tolerant: bool) -> tuple[list[FilePair], list[str]]:
    """Return every file of the gold folder and its subfolders, or two files, whatever their names; and remarks on
    names.

    ``tolerant``: a file without answer is answered by one whose name differs only in the suffixes that tools add.
    """
    if not _two_folders(gold, system):
        return [FilePair(os.path.basename(gold), _content(gold), _content(system))], []  # noqa: PTH119
    names, answers = _files_below(gold), _files_below(system)
    if not names:
        raise UsageError(f"{gold}: no files")
    partners, remarks = _partners(names, answers, tolerant=tolerant)
    return [
        FilePair(name, _content(_join(gold, name)), _content(_join(system, partners[name])) if partners[name] else None)
        for name in names
    ], remarks


def _partners(names: list[str], answers: list[str], *, tolerant: bool) -> tuple[dict[str, str], list[str]]:
    """Return the system file for each name, empty if there is none, and remarks on files that remain unpaired."""
    remarks: list[str] = []
    known = set(answers)
    partners = {name: name if name in known else "" for name in names}
    free = sorted(known - set(names))
    if tolerant:
        bare = _unambiguous((strip_suffixes(answer), answer) for answer in free)
        lonely = _unambiguous((strip_suffixes(name), name) for name in names if not partners[name])
        for stem, name in lonely.items():
            if stem in bare:
                partners[name] = bare[stem]
                remarks.append(f"{name} is paired with {bare[stem]}: the names differ only in their suffixes")
    taken = set(partners.values())
    free = [answer for answer in free if answer not in taken]
    unanswered = [name for name in names if not partners[name]]
    remarks += [
        f"{name}: no system file; scored like a system file without links{_hint(name, free)}" for name in unanswered
    ]
    remarks += [f"{answer}: no gold file; it is not scored{_hint(answer, unanswered)}" for answer in free]
    return partners, remarks


def _unambiguous(keyed: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for key, name in keyed:
        found.setdefault(key, []).append(name)
    return {key: each[0] for key, each in found.items() if len(each) == 1}


def _hint(name: str, others: list[str]) -> str:
    """Return a hint with the most similar name that is left over. Suffixes that all files share are ignored."""
    from difflib import get_close_matches

    # Quadratic in the length of names and linear in their number: enough for a hint.
    stems = {strip_suffixes(other): other for other in others[:2000]}
    near = get_close_matches(strip_suffixes(name), stems, n=1, cutoff=0.6)
    return f" (if it is {stems[near[0]]}, rename one of the two)" if near else ""


def _is_timeml(pairs: list[FilePair]) -> bool:
    """Return whether some file has tags, or all files are empty."""
    contents = [content.lstrip() for pair in pairs for content in (pair.gold, pair.system) if content]
    return not any(contents) or any(content.startswith(b"<") or b"<TLINK" in content for content in contents)


def _other_formats(gold: str, system: str) -> LinkQuestions:
    """Return the links of documents in other formats than TimeML, under their labels."""
    from temporacle.corpus.pairing import pair_up
    from temporacle.corpus.references import Reference

    folders = os.path.isdir(gold)  # noqa: PTH112
    golds, systems = list(read_corpus(gold)), list(read_corpus(system))
    dropped = [
        (side, found.path, remark)
        for side, every in (("gold", golds), ("system", systems))
        for found in every
        if isinstance(found, Document)
        for remark in found.dropped
    ]
    pairing = pair_up([*map(Reference.to, golds)], [*map(Reference.to, systems)], by_name=folders)
    opened = [(pair.gold.read(), pair.system.read()) for pair in pairing.pairs if pair.gold and pair.system]
    if not any(isinstance(key, Document) and isinstance(answer, Document) for key, answer in opened):
        raise UsageError("no system document has the same name as a gold document: are these the right files?")
    pairs: list[LinkPair] = []
    unread: list[tuple[str, str]] = []
    for key, answer in (*opened, *((each.read(), None) for each in pairing.gold_only)):
        if isinstance(key, Unreadable):
            unread.append((key.id, f"gold unreadable: {key.error}"))
        elif isinstance(answer, Unreadable):
            unread.append((key.id, f"system unreadable: {answer.error}"))
        else:
            pairs.append(LinkPair(key.id, link_file(key.links), None if answer is None else link_file(answer.links)))
    return LinkQuestions(pairs, tuple(unread), tuple(dropped), warnings=tuple(pairing.warnings))


# --- timelines and TempEval-1 ----------------------------------------------------------------------------------------


def listed_pairs(gold: str, system: str) -> tuple[list[FilePair], str | None]:
    """Return the timelines: every file of the gold folder itself, including hidden ones; and the error of the original,
    if any.
    """
    if not _two_folders(gold, system):
        return [FilePair(os.path.basename(gold), _content(gold), _content(system))], None  # noqa: PTH119
    entries = sorted(os.listdir(gold))  # noqa: PTH208
    names = [name for name in entries if os.path.isfile(_join(gold, name))]  # noqa: PTH113
    if not names:
        raise UsageError(f"{gold}: no files")
    answers = {name: _join(system, name) for name in names}
    pairs = [
        FilePair(name, _content(_join(gold, name)), _content(answer) if os.path.isfile(answer) else None)  # noqa: PTH113
        for name, answer in answers.items()
    ]
    return pairs, None if len(names) == len(entries) else _SUBFOLDER


def answered_pairs(key: str, response: str) -> list[AnsweredPair]:
    """Return the TempEval-1 files: every entry of the response folder except hidden ones.

    A subfolder is a file without links.
    """
    from temporacle.scoring.official.tempeval1 import AnsweredPair

    if not _two_folders(key, response):
        return [AnsweredPair(os.path.basename(response), _content(response), _content(key))]  # noqa: PTH119
    pairs = []
    for name in sorted(os.listdir(response)):  # noqa: PTH208
        if not name.startswith("."):
            answer, truth = _join(response, name), _join(key, name)
            there = os.path.exists(truth)  # noqa: PTH110
            pairs.append(AnsweredPair(name, _file_or_nothing(answer), _file_or_nothing(truth) if there else None))
    return pairs


def _file_or_nothing(path: str) -> bytes:
    return b"" if os.path.isdir(path) else _content(path)  # noqa: PTH112


# --- the file system: names are kept as typed, because the programs print them ---------------------------------------


def _two_folders(gold: str, system: str) -> bool:
    if os.path.isdir(gold) != os.path.isdir(system):  # noqa: PTH112
        raise UsageError("official scores need two files or two folders")
    return os.path.isdir(gold)  # noqa: PTH112


def _files_below(top: str) -> list[str]:
    return sorted(
        os.path.relpath(os.path.join(folder, name), top)  # noqa: PTH118
        for folder, _, files in os.walk(top)
        for name in files
        if _IGNORED not in name
    )


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118


def _content(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error


# --- pairwise scores: links of any format, graphs of language models, MAVEN-ERE ---------------------------------------
#
# Labels go by their names: every file is read with the labels of the conventions, whatever its format. Nothing is left
# out: a file, a document or a link that cannot be read is an error.


def paired_documents(gold: Inputs, system: Inputs, request: ProgramRequest) -> PairedDocuments:
    """Return the documents of two sources. Raise UsageError if one cannot be read."""
    from temporacle.corpus.pairing import pair_up
    from temporacle.corpus.references import Reference
    from temporacle.scoring.official.pairs import PairedDocuments

    sides = zip((gold, system), request.readings, strict=True)
    keys, answers = ([_readable(each) for each in documents(*side)] for side in sides)
    for name, side in (("gold", keys), ("system", answers)):
        skipped = Counter(request.unused.get(name, {}))  # of earlier runs
        request.unused[name] = dict(skipped + Counter(remark.code for each in side for remark in each.dropped))
    by_name = not all(_is_named_by_file(side, read) for side, read in ((gold, keys), (system, answers)))
    found = pair_up([*map(Reference.to, keys)], [*map(Reference.to, answers)], by_name=by_name)
    if keys and answers and not found.pairs:
        raise UsageError(
            "no system document has the same name as a gold document."
            f" Gold: {_some(keys)}. System: {_some(answers)}. Rename the files, or give the right ones"
        )
    asked = [(pair.gold, pair.system) for pair in found.pairs]
    pairs = [
        (_readable(key.read()), _readable(answer.read()))
        for key, answer in asked
        if key is not None and answer is not None
    ]
    alone = [_readable(each.read()) for each in found.gold_only]
    pairs += [(key, Document(key.id)) for key in alone]
    unasked = [_readable(each.read()) for each in found.system_only]
    return PairedDocuments(pairs, [key.id for key in alone], unasked, tuple(found.warnings))


def _readable(found: Document | Unreadable) -> Document:
    if isinstance(found, Unreadable):
        raise UsageError(f"unreadable: {found.error}")
    return found


def _is_named_by_file(source: Inputs, read: Sequence[Document]) -> bool:
    """Return whether a file or a table holds one document without a name of its own. Two such sources are a pair."""
    paths = paths_of(source)
    if paths is None:
        return len(read) == 1
    name = strip_suffixes(os.path.basename(paths[0]))  # noqa: PTH119 - a path is kept as typed
    return len(paths) == 1 and os.path.isfile(paths[0]) and [each.id for each in read] == [name]  # noqa: PTH113


def _some(found: Sequence[Document]) -> str:
    return first_of((each.id for each in found), 4)


def _holds_graphs(source: Inputs) -> bool:
    """Return whether gold is a folder of JSON files, as the program of ``global-zero-shot`` reads it."""
    paths = paths_of(source)
    if paths is None or len(paths) != 1:
        return False
    gold = paths[0]
    return os.path.isdir(gold) and any(name.endswith(".json") for name in os.listdir(gold))  # noqa: PTH112, PTH208


def graph_files(gold: str, systems: Sequence[str]) -> GraphFiles:
    """Read them. UsageError where a file has not the form that the program expects."""
    from temporacle.scoring.official.pairs import GraphFiles

    pairs: dict[str, list[tuple[str, str, str]]] = {}
    for name in sorted(os.listdir(gold)):  # noqa: PTH208
        if name.endswith(".json"):
            path = os.path.join(gold, name)  # noqa: PTH118
            try:
                found = _json(path, _content(path))["allPairs"]
                pairs[name] = [(str(p["_firstId"]), str(p["_secondId"]), str(p["_relation"])) for p in found]
            except (KeyError, TypeError) as error:
                form = '{"allPairs": [{"_firstId", "_secondId", "_relation"}, ...]}'
                raise UsageError(f"{path}: gold of global-zero-shot has the form {form}") from error
    return GraphFiles(pairs, [_texts(path) for path in systems])


def _texts(path: str) -> dict[str, str]:
    try:
        return {name: _text(answer["target"]) for name, answer in _json(path, _content(path)).items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise UsageError(
            f'{path}: a run of global-zero-shot has the form {{"file.json": {{"target": text}}}}'
        ) from error


def _text(target: object) -> str:
    if not isinstance(target, str):
        raise TypeError
    return target


def _json(path: str, text: bytes, line: int | None = None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}{'' if line is None else f':{line}'}: not JSON: {error}") from None


def maven_documents(gold: str, system: str) -> list[MavenDocument]:
    """Return the documents of ``test.jsonl`` with their answers in ``test_prediction.jsonl``.

    The last line of an id counts.
    """
    from temporacle.scoring.official.pairs.matrices import maven_document

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
            value = _json(path, line, number)
            try:
                found[str(value["id"])] = (number, value)
            except (KeyError, TypeError) as error:
                raise UsageError(f"{path}:{number}: a document of MAVEN-ERE is an object with an id") from error
    return found


# --- clinical programs and questions ----------------------------------------------------------------------------------


def notes_of(gold: str, system: str) -> NoteFiles:
    """Return the notes of two files or folders in the order of names, or why they cannot be compared."""
    from temporacle.scoring.official.i2b2 import MISMATCH, NEITHER, NoteFiles

    _require_paths(gold, system)
    kinds = [os.path.isdir(side) for side in (gold, system)]  # noqa: PTH112
    if kinds[0] != kinds[1]:
        return NoteFiles((), problem="a file and a folder", printed=NEITHER)
    if not kinds[0]:
        return NoteFiles([FilePair(Path(gold).name, _content(gold), _content(system))])
    names, others = (sorted(each.name for each in Path(side).iterdir()) for side in (gold, system))
    if len(names) != len(others):
        return NoteFiles((), problem="the two folders hold different numbers of files", printed=MISMATCH)
    pairs = [
        FilePair(name, _content(Path(gold, name)), _content(Path(system, name)) if name in others else None)
        for name in names
    ]
    return NoteFiles(pairs, folder=True)


def anafora_documents(gold: str, system: str, notes: list[str]) -> AnaforaDocuments:
    """Return the documents: each folder without subfolders that holds XML, and the file that answers it."""
    from temporacle.scoring.official.anafora import AnaforaDocuments, AnaforaPair

    _require_paths(gold, system)
    pairs: list[AnaforaPair] = []
    answered: list[bool] = []
    for folder, subfolders, files in sorted(os.walk(gold)):
        found = sorted(name for name in files if name.endswith(".xml"))
        if subfolders or not found:
            continue
        name = Path(folder).name or Path(folder).resolve().name
        answers = Path(system, Path(folder).relative_to(gold))
        given = [
            path
            for path in (sorted(answers.iterdir()) if answers.is_dir() else ())
            if fnmatchcase(path.name, f"{_literal(name)}*.xml") and not path.name.startswith(".")
        ]
        for side, several in (("reference", found), ("prediction", given)):
            if len(several) > 1:
                notes.append(f"{name}: {len(several)} {side} files; the first is taken")
        answered.append(bool(given))
        reference = _annotations(Path(folder, found[0]))
        pairs.append(AnaforaPair(name, reference, _annotations(given[0]) if given else ()))
    return AnaforaDocuments(pairs, answered)


def _literal(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _annotations(path: Path) -> Sequence[AnaforaAnnotation] | Stop:
    """Return the annotations of a file, or the error with which the program ends on it."""
    from temporacle.io.anafora import anafora_records
    from temporacle.scoring.official.anafora import resolved

    try:
        return resolved(anafora_records(Source(str(path))))
    except InputError as error:
        return Stop("ValueError", str(error))
    except Stop as stop:
        return Stop(stop.name, f"{path}: {stop.reason}")


def patient_files(gold: str, system: str, choices: ChemotimelinesChoices) -> PatientFiles:
    """Return the timelines of two files, and the lists of ids."""
    from hashlib import sha256

    from temporacle.scoring.official.chemotimelines import PatientFiles, TimelineTask

    _require_paths(gold, system)
    if not choices.ids:
        raise UsageError("chemotimelines needs ids: a file with the ids of all patients, one per line")
    choices.day()
    lists = {"ids": choices.ids, "gold-ids": choices.gold_ids}
    task = TimelineTask(
        _timelines_in(gold),
        _timelines_in(system),
        _lines(choices.ids),
        _lines(choices.gold_ids) if choices.gold_ids else None,
    )
    # A signature has what a file says, not where it is.
    digests = {name: sha256(_content(path)).hexdigest()[:8] for name, path in lists.items() if path}
    return PatientFiles(task, digests)


def _timelines_in(path: str) -> Mapping[str, Sequence[Entry]]:
    """Return the timelines of a JSON file by patient. Raise InputError for anything else."""
    try:
        found = json.loads(_content(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"bad JSON: {error}", path=path) from None
    if not isinstance(found, dict):
        raise InputError("must be an object of patients", path=path, cure='write {"patient1": [[drug, label, date]]}')
    return {
        patient: [_entry(path, patient, each) for each in _list(path, patient, entries)]
        for patient, entries in found.items()
    }


def _list(path: str, patient: str, entries: object) -> list[object]:
    if not isinstance(entries, list):
        raise InputError(f"the timeline of {patient} is not a list", path=path)
    return entries


def _entry(path: str, patient: str, entry: object) -> Entry:
    if not isinstance(entry, list) or len(entry) != 3 or not all(isinstance(part, str) for part in entry):
        raise InputError(f"an entry of {patient} is not [drug, label, date]: {entry!r:.80}", path=path)
    return entry[0], entry[1], entry[2]


def _lines(path: str) -> list[str]:
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file of ids; give a file with one id per line")
    text = _content(path).decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").split("\n") if text else []


def answered_questions(gold: str, system: str, request: ProgramRequest) -> AnsweredQuestions:
    """Return the questions of gold, and what the system's documents answer, exactly."""
    from temporacle.corpus.options import Going
    from temporacle.scoring.official.qa_tempeval import LINK_LABELS, AnsweredQuestions, GivenAnswer
    from temporacle.tasks.ask import SET_ASIDE, ask_lines, questions_in

    def report(said: Remark | Unreadable | Document) -> None:
        if not isinstance(said, Document):
            request.notes.append(said.message if isinstance(said, Remark) else str(said.error))

    def with_known_labels(document: Document | Unreadable) -> Document | Unreadable:
        """Return the document without links whose labels the program does not know."""
        if isinstance(document, Unreadable):
            return document
        links = tuple(link for link in document.links if canonical(link.label) in LINK_LABELS)
        if left := len(document.links) - len(links):
            request.notes.append(
                f"{document.id}: {left} links have labels that the program does not know; they are left out"
            )
        return replace(document, links=links)

    _require_paths(gold, system)
    lines = questions_in(gold)
    known = [with_known_labels(each) for each in documents(system, report=report)]
    for document in known:
        report(document)
    exact = ask_lines(known, lines, Going(Options(), request.budget), contradictions=SET_ASIDE)
    for each in exact:
        if each.answer == "undecided":
            raise BudgetExceeded(each.reason)
    answers = [GivenAnswer(each.question, each.answer, each.unlinked, each.to_dict()) for each in exact]
    return AnsweredQuestions(lines, answers, exact.score)


def _require_paths(*paths: str) -> None:
    for path in paths:
        if not os.path.exists(path):  # noqa: PTH110 - names are kept as typed
            raise UsageError(f"{path}: no such file or folder")


# --- one function for each layout -------------------------------------------------------------------------------------


def contents(layout: Layout, gold: Inputs, systems: Sequence[Inputs], choices: Any, request: ProgramRequest) -> Any:
    """Return what a program takes: the contents of its files. Values in memory are taken where it reads rows."""
    if layout is Layout.ROWS or (layout is Layout.GRAPHS and not _holds_graphs(gold)):
        from temporacle.scoring.official.pairs import PairFiles

        return PairFiles([paired_documents(gold, system, request) for system in systems])
    key, *answers = (_path(each) for each in (gold, *systems))
    return _READERS[layout](key, answers, choices, request)


def _path(source: Inputs) -> str:
    paths = paths_of(source)
    if paths is None or len(paths) != 1:
        raise UsageError("this program reads files of its own: give a path for gold, and one for the system")
    return fspath(paths[0])


def _graphs(gold: str, systems: Sequence[str], choices: Any, request: ProgramRequest) -> PairFiles:  # noqa: ARG001
    from temporacle.scoring.official.pairs import PairFiles

    return PairFiles(graphs=graph_files(gold, systems))


def _maven(gold: str, systems: Sequence[str], choices: Any, request: ProgramRequest) -> PairFiles:  # noqa: ARG001
    from temporacle.scoring.official.pairs import PairFiles

    return PairFiles(maven=maven_documents(gold, systems[0]))


_READERS: dict[Layout, Callable[[str, Sequence[str], Any, ProgramRequest], Any]] = {
    Layout.WALKED: lambda gold, systems, choices, request: questions(gold, systems[0], choices.align, request),
    Layout.TIMELINES: lambda gold, systems, _, __: listed_pairs(gold, systems[0]),
    Layout.RESPONSES: lambda gold, systems, _, __: (answered_pairs(gold, systems[0]), os.path.isdir(gold)),  # noqa: PTH112
    Layout.GRAPHS: _graphs,
    Layout.MAVEN: _maven,
    Layout.NOTES: lambda gold, systems, _, __: notes_of(gold, systems[0]),
    Layout.ANAFORA: lambda gold, systems, _, request: anafora_documents(gold, systems[0], request.notes),
    Layout.PATIENTS: lambda gold, systems, choices, _: patient_files(gold, systems[0], choices),
    Layout.PATHS: lambda gold, systems, _, __: (gold, systems[0]),
    Layout.QUESTIONS: lambda gold, systems, _, request: answered_questions(gold, systems[0], request),
}
