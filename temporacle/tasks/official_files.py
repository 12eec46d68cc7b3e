"""Find the files that the programs of shared tasks compare. Each program matches names in its own way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.scoring.official.tempeval3.tlinks import LinkFile, link_file, read_links
from temporacle.scoring.options import Align

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.model import Remark
    from temporacle.scoring.official.normalizer import NormalizedDocument

_IGNORED = "DS_Store"
_SUBFOLDER = "IOError: a folder among the gold files"


class LinkPair(NamedTuple):
    """The links of a document on both sides, ready to be scored."""

    name: str
    gold: LinkFile
    system: LinkFile | None  # None: there is no such file
    stops: str | None = None  # the error with which the original ends here


class FilePair(NamedTuple):
    """The contents of a gold file, and of the system's file that answers it if there is one."""

    name: str
    gold: bytes
    system: bytes | None


class AnsweredPair(NamedTuple):
    """The contents of a response file, and of the key file of that name if there is one."""

    name: str
    response: bytes
    key: bytes | None


# --- TempEval-3 ------------------------------------------------------------------------------------------------------


class Questions(NamedTuple):
    """The files to be scored, and what could not be read: whole documents, and links dropped from others."""

    pairs: Sequence[FilePair | LinkPair]
    unread: tuple[tuple[str, str], ...] = ()  # names and reasons
    dropped: tuple[tuple[str | None, Remark], ...] = ()  # links that could not be used, with their files
    notes: tuple[str, ...] = ()


def questions(gold: str, system: str, align: Align) -> Questions:
    """Return every gold file in the order of names, with the system's file for it, or documents of other formats."""
    pairs, remarks = _walked_pairs(gold, system, tolerant=align is Align.TEMPEVAL3)
    if align is not Align.TEMPEVAL3 and not _is_timeml(pairs):
        return _other_formats(gold, system)
    return Questions(pairs, notes=tuple(remarks))


class PreparedLinks(NamedTuple):
    """The links of a pair, and what is to be said about its files."""

    links: LinkPair
    complaints: tuple[str, ...] = ()


def prepared(pair: FilePair | LinkPair, align: Align) -> PreparedLinks:
    """Read the links of a pair. The slow work is done here, because it depends only on the pair."""
    if isinstance(pair, LinkPair):
        return PreparedLinks(pair)
    if align is Align.TEMPEVAL3:
        return _normalised(pair)
    answer = None if pair.system is None else read_links(pair.system)
    return PreparedLinks(LinkPair(pair.name, read_links(pair.gold), answer))


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
    from temporacle.io.source import strip_suffixes

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

    from temporacle.io.source import strip_suffixes

    # Quadratic in the length of names and linear in their number: enough for a hint.
    stems = {strip_suffixes(other): other for other in others[:2000]}
    near = get_close_matches(strip_suffixes(name), stems, n=1, cutoff=0.6)
    return f" (if it is {stems[near[0]]}, rename one of the two)" if near else ""


def _normalised(pair: FilePair) -> PreparedLinks:
    """Return a document aligned and renumbered as in TempEval-3.

    One that cannot be normalised counts as without links.
    """
    from temporacle.scoring.official.normalizer import Stage, normalize_pair

    if pair.system is None:
        return PreparedLinks(
            LinkPair(pair.name, _tags(normalize_pair(pair.gold, pair.gold, name=pair.name).gold), None)
        )
    found = normalize_pair(pair.gold, pair.system, name=pair.name)
    costly = [objection for objection in found.objections if objection.stage is not Stage.NOTE]
    stops = f"an error of the normaliser ({pair.name}: {costly[0]})" if costly else None
    # A system file that cannot be used costs the system its links, not gold.
    key = found.gold or normalize_pair(pair.gold, pair.gold, name=pair.name).gold
    complaints = tuple(f"{pair.name}: {objection}" for objection in found.objections)
    return PreparedLinks(LinkPair(pair.name, _tags(key), _tags(found.system), stops), complaints)


def _tags(document: NormalizedDocument | None) -> LinkFile:
    if document is None:
        return LinkFile()
    found = read_links(document.content)
    return found._replace(places=tuple(place._replace(line=None) for place in found.places))


def _is_timeml(pairs: list[FilePair]) -> bool:
    """Return whether some file has tags, or all files are empty."""
    contents = [content.lstrip() for pair in pairs for content in (pair.gold, pair.system) if content]
    return not any(contents) or any(content.startswith(b"<") or b"<TLINK" in content for content in contents)


def _other_formats(gold: str, system: str) -> Questions:
    """Return the links of documents in other formats than TimeML, under their labels."""
    from temporacle.corpus.pairing import pair_up
    from temporacle.corpus.references import Reference
    from temporacle.io import read_corpus
    from temporacle.model import Document, Unreadable

    folders = os.path.isdir(gold)  # noqa: PTH112
    golds, systems = list(read_corpus(gold)), list(read_corpus(system))
    dropped = [
        (found.path, remark) for found in (*golds, *systems) if isinstance(found, Document) for remark in found.dropped
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
    notes = tuple(remark.message for remark in pairing.warnings)
    return Questions(pairs, tuple(unread), tuple(dropped), notes)


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


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
