"""Whether scores are counted right: the claims ``score``, of one document by temporal awareness, and ``total``.

Each side's links are walked in their order, as the metric says: duplicates are skipped, links that allow every atom are
vague, links that follow from those kept before are redundant, links that contradict them are set aside, and all others
are kept. Kept, set-aside and (with the option) vague links are counted. A counted link is verified if the other side
states it or its kept links entail it. Every one of these decisions has its proof.

A model may be *partial*: it names entities so that each kept link has both its ends among them, or neither. The witness
of all kept links gives times to the rest.

A total has precision, recall and F1 of many documents, from the certificates of their scores, which stand in the same
folder. Each is found by its name, recognised by its digest, and checked. Micro: counts add up, then divide. Macro:
figures of documents are averaged.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .closures import GROUNDS, Grounds, check_grounds_form, check_reasons_form, turned
from .kernel import (
    ATOM_OF,
    EVERY,
    as_list,
    check_document_form,
    check_fields,
    check_links_form,
    check_model,
    check_model_form,
    is_digest,
    is_int,
    is_list,
    link_of,
    order,
    require,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# --- score -----------------------------------------------------------------------------------------------------------

OPTIONS = {"align": ("ids", "spans"), "contradictions": ("set-aside", "refuse"), "vague": ("ignore", "count")}
SIDES = ("gold", "system")
FIGURES = ("precision", "recall", "f1")
SCORE = {"metric", "options", "gold", "system", "counts", *FIGURES}
SIDE = {"document", "readings", "links", "names", "walk", "witness", "models", "verified"} | GROUNDS
COUNTS = (
    "precision_matched", "system_total", "recall_matched", "gold_total", "system_set_aside", "gold_set_aside",
    "system_vague_left_out", "gold_vague_left_out",
)  # fmt: skip
_PROOFS = {"walk": ("redundant", "set-aside"), "verified": ("entailed",)}  # entries with reasons
_PLAIN = {"walk": ("vague",), "verified": ("vague", "unknown")}  # entries with nothing
_SEPARATORS = str.maketrans("-/ ", "___")


def check_score_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_method_form(certificate)
    check_figures_form(certificate)
    for name in SIDES:
        _check_side_form(certificate[name], certificate, name)
    for name, other in (SIDES, SIDES[::-1]):
        for place, entry in enumerate(as_list(certificate[name]["verified"], f"{name}: verified")):
            _check_entry_form(entry, "verified", certificate[other], f"{name}: counted link {place}")


def check_method_form(certificate: dict[str, Any]) -> None:
    """Check that the metric and all its options are known."""
    require(certificate["metric"] == "awareness", "an unknown metric")
    check_fields(certificate["options"], {*OPTIONS, "empty"}, "options")
    for name, known in OPTIONS.items():
        require(certificate["options"][name] in known, f"options: an unknown value of {name}")
    empty = certificate["options"]["empty"]
    require(is_int(empty) and empty in (0, 1), "options: empty is 0 or 1")


def check_figures_form(certificate: dict[str, Any]) -> None:
    """Check that counts are whole numbers and the figures are texts."""
    check_fields(certificate["counts"], set(COUNTS), "counts")
    require(all(is_int(count) and count >= 0 for count in certificate["counts"].values()), "counts: not whole numbers")
    require(all(isinstance(certificate[name], str) for name in FIGURES), "precision, recall and f1 are texts")


def _check_side_form(side: Any, certificate: dict[str, Any], name: str) -> None:
    check_fields(side, SIDE, name)
    check_document_form(side["document"], f"{name}: document")
    check_links_form(side)
    renamed = as_list(side["names"], f"{name}: names")
    good = all(is_list(each, 2) and isinstance(each[0], str) and isinstance(each[1], str) for each in renamed)
    require(good and len({each[0] for each in renamed}) == len(renamed), f"{name}: bad names")
    links = len(side["links"])
    check_grounds_form(side, links)
    check_model_form(side["witness"], f"{name}: witness", certificate)
    for model in as_list(side["models"], f"{name}: models"):
        check_model_form(model, f"{name}: a model", certificate)
    require(len(as_list(side["walk"], f"{name}: walk")) == links, f"{name}: not one step for each link")
    for place, entry in enumerate(side["walk"]):
        _check_entry_form(entry, "walk", side, f"{name}: link {place}")


def _check_entry_form(entry: Any, kind: str, side: dict[str, Any], name: str) -> None:
    """Check one decision. ``side`` is the one whose links it rests on."""
    require(is_list(entry) and bool(entry), f"{name}: a bad entry")
    if entry[0] in _PLAIN[kind]:
        require(len(entry) == 1, f"{name}: a bad entry")
        return
    require(len(entry) == 2, f"{name}: a bad entry")
    value = entry[1]
    if entry[0] in _PROOFS[kind]:
        check_reasons_form(value, side, len(side["links"]), name)
    elif entry[0] == ("duplicate" if kind == "walk" else "stated"):
        require(is_int(value) and 0 <= value < len(side["links"]), f"{name}: names a link that is not there")
    else:
        require(entry[0] == ("kept" if kind == "walk" else "open"), f"{name}: an unknown entry")
        good = (value is None and kind == "walk") or (is_int(value) and 0 <= value < len(side["models"]))
        require(good, f"{name}: names a model that is not there")


def check_score(certificate: dict[str, Any]) -> None:
    """Check both walks, then every counted link by the other side, then the counts and figures."""
    counts_vague = certificate["options"]["vague"] == "count"
    gold, system = (_Side(certificate[name], name, counts_vague=counts_vague) for name in SIDES)
    if certificate["options"]["contradictions"] == "refuse":
        require(not gold.set_aside and not system.set_aside, "a document that contradicts itself has no score")
    counts = {
        "precision_matched": gold.matched(system),
        "system_total": len(system.counted),
        "recall_matched": system.matched(gold),
        "gold_total": len(gold.counted),
        "system_set_aside": system.set_aside,
        "gold_set_aside": gold.set_aside,
        "system_vague_left_out": 0 if counts_vague else system.vague,
        "gold_vague_left_out": 0 if counts_vague else gold.vague,
    }
    for name, count in counts.items():
        require(certificate["counts"][name] == count, f"{name} is {count}, not {certificate['counts'][name]}")
    check_figures(certificate, figures_of(counts, certificate["options"]["empty"]))


def figures_of(counts: dict[str, int], empty: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return precision, recall and F1. 0/0 is the value of ``empty``; F1 is 0 if both are 0."""
    parts = ("precision_matched", "system_total"), ("recall_matched", "gold_total")
    precision, recall = (
        Fraction(counts[part], counts[whole]) if counts[whole] else Fraction(empty) for part, whole in parts
    )
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


def check_figures(certificate: dict[str, Any], figures: tuple[Fraction, ...]) -> None:
    """Check that precision, recall and F1 are these fractions, in lowest terms."""
    for name, value in zip(FIGURES, figures, strict=True):
        text = written(value)
        require(certificate[name] == text, f"{name} is {text}, not {certificate[name]}")


def written(number: Fraction) -> str:
    """Return a fraction as a text. The mean of many scores can have more digits than Python writes of an integer."""
    whole = str(Decimal(number.numerator))
    return whole if number.denominator == 1 else f"{whole}/{Decimal(number.denominator)}"


class _Side:
    """The links of one side under common names, walked."""

    def __init__(self, side: dict[str, Any], name: str, *, counts_vague: bool) -> None:
        self.side, self.name = side, name
        names = dict(side["names"])
        own = {link[end] for link in side["links"] for end in ("source", "target")}
        common = {entity: names.get(entity, entity) for entity in own}
        require(len(set(common.values())) == len(own), f"{name}: two entities get the same name")
        read = [link_of(link) for link in side["links"]]
        self.links = [(common[source], relation, common[target]) for source, relation, target in read]
        self.known = set(common.values())
        self.counted: list[int] = []
        self.set_aside = self.vague = 0
        self.kept = [place for place, entry in enumerate(side["walk"]) if entry[0] == "kept"]
        check_model(side["witness"], [self.links[place] for place in self.kept], f"{name}: witness")
        self.grounds = Grounds(side, {place: self.links[place] for place in self.kept}, len(self.links))
        self._walk(counts_vague=counts_vague)

    def _walk(self, *, counts_vague: bool) -> None:
        seen: dict[Any, int] = {}
        mentioned: set[str] = set()
        for place, (entry, link) in enumerate(zip(self.side["walk"], self.links, strict=True)):
            name, (source, relation, target) = f"{self.name}: link {place}", link
            first = seen.setdefault((link, _label(self.side["links"][place]["label"])), place)
            if first < place:
                require(entry == ["duplicate", first], f"{name} repeats link {first}")
            elif relation == EVERY:
                require(entry == ["vague"], f"{name} allows every atom")
                self.vague += 1
                self.counted += [place] * counts_vague
            elif source == target and source not in mentioned and "=" in relation:
                require(entry == ["kept", None], f"{name} is the first mention of an entity, as itself")
                self.counted.append(place)
            elif entry[0] == "kept":
                news = "without a model, only the first mention of an entity as itself is kept"
                require(entry[1] is not None, f"{name}: {news}")
                self.check_against(entry[1], self.kept[: bisect_left(self.kept, place)], link, name)
                self.counted.append(place)
            else:
                require(entry[0] in ("redundant", "set-aside"), f"{name} is neither a duplicate nor vague")
                excluded, last = self.grounds.excluded(source, target, entry[1], name)
                is_redundant = entry[0] == "redundant"
                impossible = EVERY - relation if is_redundant else relation
                require(impossible <= excluded, f"{name}: the reasons do not show that it is {entry[0]}")
                require(last < place, f"{name}: a reason rests on a later link")
                if not is_redundant:
                    self.counted.append(place)
                    self.set_aside += 1
            mentioned |= {source, target}

    def check_against(self, number: int, kept: list[int], link: Any, name: str) -> None:
        """Check that kept links hold in a model, perhaps a partial one, and that a link does not."""
        model = self.side["models"][number]
        inside = []
        for place in kept:
            source, _, target = self.links[place]
            require((source in model) == (target in model), f"{name}: model {number} divides link {place}")
            if source in model:
                inside.append(self.links[place])
        source, relation, target = link
        check_model(model, [*inside, (source, EVERY, target)], f"{name}: model {number}")
        holds = ATOM_OF[order(model[source], model[target])] in relation
        require(not holds, f"{name} holds in model {number}")

    def matched(self, other: _Side) -> int:
        """Return how many counted links of the other side this side verifies."""
        stated = {link for one in self.links for link in (one, turned(one))}
        entries = other.side["verified"]
        require(len(entries) == len(other.counted), f"{other.name}: not one entry for each counted link")
        count = 0
        for place, entry in zip(other.counted, entries, strict=True):
            link, name = other.links[place], f"{other.name}: counted link {place}"
            source, relation, target = link
            match entry[0]:
                case "stated":
                    one = self.links[entry[1]]
                    require(link in (one, turned(one)), f"{name}: link {entry[1]} does not state it")
                    count += 1
                case "entailed":
                    require({source, target} <= self.known, f"{name}: an entity is not known")
                    require(relation != EVERY, f"{name}: a vague link is not entailed")
                    excluded, _ = self.grounds.excluded(source, target, entry[1], name)
                    require(EVERY - relation <= excluded, f"{name}: the reasons do not show that it follows")
                    count += 1
                case _:
                    require(link not in stated, f"{name}: the other side states it")
                    if entry[0] == "unknown":
                        require(not {source, target} <= self.known, f"{name}: both entities are known")
                    elif entry[0] == "vague":
                        require(relation == EVERY, f"{name} is not vague")
                    else:
                        self.check_against(entry[1], self.kept, link, name)
        return count


def _label(label: str) -> str:
    """Return the label by which duplicates are recognised. DURING counts as SIMULTANEOUS."""
    name = label.strip().upper()
    name = name.translate(_SEPARATORS) if any(map(str.isalnum, name)) else name
    return "SIMULTANEOUS" if name in ("DURING", "DURING_INV") else name


# --- total -----------------------------------------------------------------------------------------------------------

TOTAL = {"metric", "options", "average", "documents", "skipped", "counts", *FIGURES}


def check_total_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_method_form(certificate)
    check_figures_form(certificate)
    require(certificate["average"] in ("micro", "macro"), "an unknown average")
    entries = as_list(certificate["documents"], "documents")
    for entry in entries:
        require(is_list(entry, 3) and all(isinstance(part, str) for part in entry), "documents: a bad entry")
        good = entry[1] not in ("", ".", "..") and not re.search(r"[/\\\0]", entry[1])
        require(good, f"documents: {entry[1]!r} is not the name of a file in the same folder")
        require(is_digest(entry[2]), "documents: not a digest")
    require(bool(entries), "a total of no documents")
    for place in (0, 1):
        require(len({entry[place] for entry in entries}) == len(entries), "documents: one is listed twice")
    for entry in as_list(certificate["skipped"], "skipped"):
        require(is_list(entry, 2) and all(isinstance(part, str) for part in entry), "skipped: a bad entry")


def check_total(certificate: dict[str, Any], score_in: Callable[[str, str], Mapping[str, Any]]) -> None:
    """Check the sums. ``score_in``: from the name and digest of a file to the certificate in it, which was accepted."""
    counts = dict.fromkeys(COUNTS, 0)
    sums = [Fraction(0)] * len(FIGURES)
    for document, name, sha256 in certificate["documents"]:
        score = score_in(name, sha256)
        require(score["claim"] == "score", f"{name} is not the certificate of a score")
        require(score["gold"]["document"]["id"] == document, f"{name} is not about {document!r}")
        same = all(score[field] == certificate[field] for field in ("metric", "options"))
        require(same, f"{name} has another metric, or other options")
        for each in COUNTS:
            counts[each] += score["counts"][each]
        sums = [total + Fraction(score[figure]) for total, figure in zip(sums, FIGURES, strict=True)]
    for name, count in counts.items():
        require(certificate["counts"][name] == count, f"{name} is {count}, not {certificate['counts'][name]}")
    means = [total / len(certificate["documents"]) for total in sums]
    micro = figures_of(counts, certificate["options"]["empty"])
    check_figures(certificate, micro if certificate["average"] == "micro" else tuple(means))
