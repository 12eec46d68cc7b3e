"""Two annotators of one document made into a third version that is always consistent."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.editing.adjudication import Adjudication
from temporacle.editing.adjudications import LOG, Adjudications, agreement
from temporacle.editing.saving import ChangedOnDiskError
from temporacle.editing.settling import SideRefusedError
from temporacle.editing.versions import by_pair, mean_the_same, meaning, pair_of, statements
from temporacle.errors import ContradictionError, UsageError
from temporacle.model import Document
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "corpus"
CONVEX = ("BEFORE", "AFTER", "IBEFORE", "INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "BEGINS", "b|m", "o|s|d")
LABELS = ("BEFORE", "AFTER", "IBEFORE", "INCLUDES", "SIMULTANEOUS", "b|m", "o|d|=")


def two(first, second, **how):
    return Adjudication(Document("d", first), Document("d", second), **how)


def random_document(rng, entities, links, labels=LABELS):
    names = [f"e{number}" for number in range(entities)]
    triples = [(*rng.sample(names, 2), rng.choice(labels)) for _ in range(links)]
    return Document("d", [(source, label, target) for source, target, label in triples], entity_ids=tuple(names))


def is_consistent(links, base):
    return tp.Session(replace(base, links=tuple(links))).verdict == "consistent"


def test_labels_that_mean_the_same_agree():
    work = two(
        [("a", "BEFORE", "b"), ("b", "m", "c"), ("c", "BEFORE", "d"), ("x", "b|m", "y"), ("x", "b|o", "y")],
        [("b", "AFTER", "a"), ("c", "mi", "b"), ("c", "AFTER", "d"), ("x", "BEFORE", "y")],
    )
    assert [link.said for link in work.agreed] == ["a BEFORE b", "b m c", "x b|m y", "x b|o y"]
    (difference,) = work.differences
    assert (difference.source, difference.target) == ("c", "d")
    assert [link.label for link in (*difference.sides[0], *difference.sides[1])] == ["BEFORE", "AFTER"]


def test_links_that_share_an_id_are_told_apart():
    first = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    first = replace(first, links=tuple(link._replace(id="l1") for link in first.links))
    work = Adjudication(first, Document("d", [("a", "BEFORE", "b"), ("b", "AFTER", "c")]))
    assert [link.said for link in work.agreed] == ["a BEFORE b"]
    assert [(each.source, each.target) for each in work.differences] == [("b", "c")]


def test_a_file_with_one_document_is_read_anew(tmp_path):
    for name in ("anna", "ben"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ferry.tml").write_bytes((EXAMPLES / "ferry.tml").read_bytes())
    work = Adjudications(tmp_path / "anna", tmp_path / "ben")
    assert not work.open("ferry").differences
    changed = tp.apply(EXAMPLES / "ferry.tml", drop=["l1"])
    (tmp_path / "anna" / "ferry.tml").write_bytes(changed)
    assert len(work.open("ferry").differences) == 1


def test_what_follows_is_settled_with_its_reason():
    work = two(
        [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")],
        [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d"), ("a", "AFTER", "d")],
        names=("anna", "ben"),
        who="carla",
    )
    rows = work.to_dict()
    assert (rows["agreed"], rows["names"]) == (2, ["anna", "ben"])
    assert [len(links) for links in rows["contradictions"]] == [0, 4]  # ben contradicts himself
    known, second, third = (work.row(number) for number in range(3))
    assert (known["taken"], known["why"], known["after"]) == (1, "follows", None)
    assert [(link["id"], link["difference"]) for link in known["because"]] == [("l1", None), ("l2", None)]
    assert second["follows"] == [[False, False], [False, True]]  # of ben without his repair
    assert (second["possible"], third["possible"]) == ([True, True], [True, True])
    plan = work.take(1, "ben")
    assert plan.settled == (2,)
    row = work.row(2)
    assert (row["taken"], row["why"], row["after"], row["possible"]) == (1, "only", 1, [True, False])
    assert [link["difference"] for link in row["conflict"][1]] == [0, 1]  # which decisions it contradicts
    with pytest.raises(ContradictionError) as refused:
        work.take(2, "ben")
    assert len(refused.value.conflict) == 3
    assert work.next() is None
    assert [link.said for link in work.document.links] == ["a BEFORE b", "b BEFORE c", "a BEFORE c", "c BEFORE d"]
    assert [(each.difference, each.side, each.after, each.who) for each in work.log] == [
        (0, "anna", None, ""),
        (1, "ben", None, "carla"),
        (2, "anna", 1, ""),
    ]
    json.dumps([work.to_dict(), *map(work.row, range(3)), agreement(work.sides, work.session.document)])
    assert repr(work) == "Adjudication('d', 2 agreed links, 3 differences, 1 taken, 2 settled)"


def test_choices_can_be_changed_and_undone():
    work = two([("a", "BEFORE", "b")], [("a", "AFTER", "b")])
    assert work.taken() == [None]
    work.take(0, 1)
    work.take(0, 2)
    assert [link.said for link in work.document.links] == ["a AFTER b"]
    work.session.undo()
    assert work.taken() == [1]
    work.session.redo()
    assert work.taken() == [2]
    work.take(0, None)
    assert work.taken() == [None]
    work.take(0, "neither")
    assert (work.taken(), work.document.links) == ([0], ())
    work.session.undo()
    assert work.taken() == [None]
    work.session.add("a", "IBEFORE", "b")  # neither of them, but a label of its own
    assert (work.taken(), work.outcomes[0].why) == ([0], "edited")
    work.take(0, 1)
    assert [link.said for link in work.document.links] == ["a BEFORE b"]
    with pytest.raises(UsageError, match="there is no difference 1"):
        work.take(1, 1)
    with pytest.raises(UsageError, match="choose 1 to 2, or 0 for neither"):
        work.take(0, "both")


def test_several_annotators():
    work = Adjudication(
        Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "d")]),
        Document("d", [("b", "AFTER", "a"), ("b", "AFTER", "c"), ("a", "BEFORE", "d")]),
        Document("d", [("a", "BEFORE", "b"), ("b", "SIMULTANEOUS", "c"), ("a", "IBEFORE", "d"), ("a", "BEFORE", "c")]),
    )
    assert [link.said for link in work.agreed] == ["a BEFORE b"]
    assert [(each.source, each.target) for each in work.differences] == [("b", "c"), ("a", "d"), ("a", "c")]
    assert work.next().number == 0  # two of its three answers settle the last one
    assert [each.number for each in map(work.differences.__getitem__, work.open())] == [0, 1, 2]
    plan = work.take(0, 3)
    assert plan.settled == (2,)
    assert work.outcomes[2][:2] == (3, "follows")
    assert set(agreement(work.sides, work.session.document)) == {"kappa", "alpha", "awareness", "with_result"}
    with pytest.raises(UsageError, match="two or more"):
        Adjudication(work.first)


def test_agreed_links_that_contradict_each_other_are_repaired_first():
    ring = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]
    work = two([*ring, ("a", "BEFORE", "d")], [*ring, ("a", "AFTER", "d")])
    assert [link.said for link in work.conflict()] == ["a BEFORE b", "b BEFORE c", "c BEFORE a"]
    assert work.row(0)["possible"] == [False, False]
    assert len(work.row(0)["conflict"][0]) == 3
    with pytest.raises(ContradictionError, match="contradicts itself") as refused:
        work.take(0, 1)
    assert refused.value.conflict == work.conflict()  # the side is not needed for it
    with pytest.raises(ContradictionError):
        _ = work.document
    work.take(0, 0)
    work.take(0, None)
    dropped = work.repair()
    assert len(dropped) == 1
    work.session.edit(remove=[link.id for link in dropped])
    assert work.conflict() == ()
    work.take(0, 2)
    assert len(work.document.links) == 3


def test_all_of_the_first_side_is_the_first_document():
    """Where a side is consistent, taking all of it gives that side back; agreements are said as the first says them."""
    rng = Random(4)
    count = 0
    while count < 60:
        documents = [random_document(rng, 6, rng.randrange(1, 9)) for _ in range(2)]
        if not all(is_consistent(each.links, each) for each in documents):
            continue
        count += 1
        for side, document in enumerate(documents, 1):
            work = Adjudication(*documents)
            while (each := work.next()) is not None:
                work.take(each.number, side)
            found, wanted = by_pair(work.document.links), by_pair(document.links)
            chosen = [each for each in work.differences if work.outcomes[each.number].side == side]
            pairs = {pair_of(*link.entities) for link in work.agreed} | {each.pair for each in chosen}
            assert all(mean_the_same(found.get(pair, ()), wanted.get(pair, ())) for pair in pairs)
            others = [each for each in work.differences if work.outcomes[each.number].side != side]
            assert all(work.outcomes[each.number].why == "follows" for each in others)


# --- against fresh oracles ---


def naive_verdict(links, entities, difference):
    """What is left of a difference, by an oracle that knows nothing of earlier steps; and whether each side can be."""
    oracle = Oracle(Network(_numbered(links), entities))
    known = oracle.strongest(*difference.pair)
    stated = [meaning(side) for side in difference.sides]
    possible = [mask is None or bool(mask & known) for mask in stated]
    following = [
        (len(mask.atoms), place)
        for place, mask in enumerate(stated)
        if mask is not None and len(mask.atoms) < 13 and not known & ~mask
    ]
    if following:
        return (min(following)[1] + 1, "follows"), possible
    left = {(stated[place], bool(links)) for place, links in enumerate(difference.sides) if possible[place]}
    if len(left) > 1:
        return None, possible
    keys = [(mask, bool(links)) for mask, links in zip(stated, difference.sides, strict=True)]
    return ((keys.index(left.pop()) + 1, "only") if left else (0, "none")), possible


class Naive:
    """The rules of the module's first lines, with a fresh oracle for each question."""

    def __init__(self, work, decisions):
        self.work, self.links, self.found = work, list(work.agreed), {}
        later = {number for number, _ in decisions}
        self.settle(later)
        for number, side in decisions:
            self.take(number, side, "decided")
            self.settle(later)

    def take(self, number, side, why):
        self.found[number] = side, why
        self.links += self.work.differences[number].sides[side - 1] if side else ()

    def settle(self, later):
        is_new = True
        while is_new:
            is_new = False
            for each in self.work.differences:
                if each.number in self.found or each.number in later:
                    continue
                settled, _ = naive_verdict(self.links, self.work.base.entity_ids, each)
                if settled is not None:
                    self.take(each.number, *settled)
                    is_new = is_new or settled[1] == "only"

    def settles(self, number):
        """How many other open differences each side's answer settles, summed over the sides."""
        entities, difference = self.work.base.entity_ids, self.work.differences[number]
        total = 0
        for side in difference.sides:
            links = [*self.links, *side]
            if side and is_consistent(_numbered(links), self.work.base):
                for other in self.work.differences:
                    if other.number != number and other.number not in self.found:
                        total += naive_verdict(links, entities, other)[0] is not None
        return total


def walked(rng, steps, **sizes):
    """Take, change, open and undo at random, and compare everything with the naive twin. Return what was met."""
    met = Counter()
    while met["steps"] < steps:
        sides = [random_document(rng, sizes["entities"], sizes["links"], CONVEX) for _ in range(rng.choice((2, 2, 3)))]
        work = Adjudication(*sides)
        if not work.differences or work.conflict():
            continue
        past, decisions = [], []
        for _ in range(rng.randrange(3, 12)):
            met["steps"] += 1
            number = rng.randrange(len(work.differences))
            side = rng.choice((None, *range(len(sides) + 1), *range(1, len(sides) + 1)))
            if rng.random() < 0.15 and past:
                work.session.undo()
                decisions = past.pop()
                met["undone"] += 1
            else:
                kept = [each for each in decisions if each[0] != number]
                wanted = kept if side is None else [*kept, (number, side)]
                try:
                    work.take(number, side)
                except SideRefusedError as error:
                    refused = error.conflict
                else:
                    refused = None
                if refused is not None:
                    met["refused"] += 1
                    assert not is_consistent(_numbered(refused), work.base)
                    continue
                past.append(decisions)
                decisions = wanted
            twin = Naive(work, decisions)
            found = {number: each[:2] for number, each in work.outcomes.items()}
            reopened = {number} if side is None else set()
            if reopened and number not in found and number in twin.found:
                met["open on purpose"] += 1
                break  # it stays open now; the twin would settle it
            assert found == twin.found
            met["settled"] += sum(why != "decided" for _, why in found.values())
            assert is_consistent(work.document.links, work.base)
            assert statements(work.document.links) == statements(twin.links)
            opened = work.open("informative")
            weights = [twin.settles(each) for each in opened]
            assert weights == sorted(weights, reverse=True)
            met["weighed"] += sum(weights)
            for number_shown in rng.sample(range(len(work.differences)), min(2, len(work.differences))):
                check_row(work, number_shown)
    return met


def check_row(work, number):
    row, difference = work.row(number), work.differences[number]
    for side, links in enumerate(difference.sides):
        if row["possible"][side] is False:
            names = {link["id"] for link in row["conflict"][side]}
            conflict = [link for link in work.session.document.links if link.id in names]
            assert len(conflict) == len(names)
            assert not is_consistent(_numbered((*conflict, *links)), work.base)
    if row["why"] == "follows":
        names = {link["id"] for link in row["because"]}
        because = [link for link in work.session.document.links if link.id in names]
        verdict, _ = naive_verdict(because, work.base.entity_ids, difference)
        assert verdict == (row["taken"], "follows")


def test_everything_is_as_with_fresh_oracles():
    met = walked(Random(6), 250, entities=5, links=7)
    assert min(met["settled"], met["refused"], met["undone"], met["weighed"]) > 20


@pytest.mark.slow
def test_many_steps_are_as_with_fresh_oracles():
    met = walked(Random(11), 3000, entities=6, links=9)
    assert min(met["settled"], met["refused"], met["undone"], met["weighed"]) > 200


def test_disjunctions_are_settled_only_where_that_is_certain():
    """Hulls may miss what follows. What they settle is right, and whatever is taken is consistent."""
    rng = Random(8)
    settled = 0
    for _ in range(60):
        work = Adjudication(random_document(rng, 5, 7), random_document(rng, 5, 7))
        if work.conflict():
            continue
        while (each := work.next()) is not None:
            row = work.row(each.number)
            twin = naive_verdict(work.document.links, work.base.entity_ids, each)[1]
            assert row["possible"] == twin
            plan = work.take(each.number, 1 if row["possible"][0] else 0)
            settled += len(plan.settled)
            assert is_consistent(work.document.links, work.base)
    assert settled > 20


def _numbered(links):
    return [link._replace(id=str(number)) for number, link in enumerate(links)]


def test_what_follows_is_what_an_oracle_says():
    rng = Random(9)
    answers, mended = set(), 0
    for _ in range(40):
        documents = [random_document(rng, 5, 6) for _ in range(2)]
        work = Adjudication(*documents)
        for each in work.differences:
            for side, links in enumerate(each.sides):
                found = work.follows(each.number, side + 1)[1 - side]
                answers.add(found)
                dropped = tp.Oracle(documents[1 - side]).repair().dropped
                mended += bool(dropped)
                rest = tuple(link for link in documents[1 - side].links if link not in dropped)
                oracle = tp.Oracle(replace(documents[1 - side], links=rest))
                verdicts = {oracle.entails(link.source, link.relation, link.target) for link in links}
                assert found is (bool(links) and verdicts == {tp.Verdict.ENTAILED})
    assert answers == {True, False}
    assert mended > 20


# --- entities, labels, sentences ---

BRAT = "T1\tEVENT 4 8\tleft\nT2\tEVENT 24 30\tdocked\nT3\tTIME 34 38\tnoon\n"
OTHER = "T7\tTIME 34 38\tnoon\nT8\tEVENT 24 30\tdocked\nT1\tEVENT 4 8\tleft\nT9\tEVENT 0 3\tShe\n"
TEXT = "She left. Then the ship docked at noon."


@pytest.fixture
def annotators(tmp_path):
    """Two annotators in brat, each with ids of their own."""
    for name, marks, links in (
        ("anna", BRAT, "R1\tBEFORE Arg1:T1 Arg2:T2\nR2\tIS_INCLUDED Arg1:T2 Arg2:T3\n"),
        ("ben", OTHER, "R1\tAFTER Arg1:T8 Arg2:T1\nR2\tBEFORE Arg1:T8 Arg2:T7\nR3\tBEFORE Arg1:T9 Arg2:T1\n"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ship.ann").write_text(marks + links)
        (folder / "ship.txt").write_text(TEXT)
    return tmp_path


def test_entities_are_matched_by_their_places_where_ids_differ(annotators):
    work = Adjudications(annotators / "anna", annotators / "ben")
    assert (work.names, work.sides) == (("ship",), ("anna", "ben"))
    ship = work.open("ship")
    assert [link.id for link in ship.agreed] == ["R1"]
    (row,) = ship.to_dict()["differences"]
    assert (row["source"], row["target"]) == ("T2", "T3")
    assert [link["label"] for link in (*row["sides"][0], *row["sides"][1])] == ["IS_INCLUDED", "BEFORE"]
    assert row["sides"][0][0]["source_text"] == "docked"
    assert ship.row(0)["sentence"] == "Then the ship [docked] at [noon]."
    (left_out,) = ship.left_out
    assert left_out.why == "the first document has no entity at the place of 'T9'"


def test_a_result_is_the_first_file_with_other_links(annotators):
    work = Adjudications(annotators / "anna", annotators / "ben")
    ship = work.open("ship")
    ship.take(0, 2)
    saved = work.save(ship)
    assert saved.path == str(annotators / "adjudicated" / "ship.ann")
    assert Path(saved.path).read_text() == BRAT + "R1\tBEFORE Arg1:T1 Arg2:T2\nR2\tBEFORE Arg1:T2 Arg2:T3\n"
    assert (annotators / "adjudicated" / "ship.txt").read_text() == TEXT
    ship.take(0, "neither")
    work.save(ship)  # a second time
    assert Path(saved.path).read_text() == BRAT + "R1\tBEFORE Arg1:T1 Arg2:T2\n"
    assert [path.name for path in sorted((annotators / "adjudicated").iterdir())] == [
        "ship.ann",
        f"ship.ann{LOG}",
        "ship.txt",
    ]


def test_several_documents_of_a_file_are_saved_one_after_the_other(tmp_path):
    for name, label in (("one", "BEFORE"), ("two", "AFTER")):
        rows = [f"{document}\ta\t{label}\tb\n{document}\tb\tBEFORE\tc\n" for document in "de"]
        (tmp_path / f"{name}.tsv").write_text("".join(rows))
    (tmp_path / "two.tsv").write_text((tmp_path / "two.tsv").read_text() + "e\tc\tBEFORE\tnew\n")
    out = tmp_path / "out"
    for name in "ed":  # as two runs of a program
        work = Adjudications(tmp_path / "one.tsv", tmp_path / "two.tsv", out=out)
        document = work.open(name)
        for each in document.differences:
            document.take(each.number, 2)
        work.save(document)
    assert (out / "one.tsv").read_text().splitlines() == [
        *("d\ta\tAFTER\tb", "d\tb\tBEFORE\tc", "e\ta\tAFTER\tb", "e\tb\tBEFORE\tc", "e\tc\tBEFORE\tnew"),
    ]


def test_labels_are_those_of_the_first_document(tmp_path):
    (tmp_path / "d.jsonl").write_text(
        '{"document": "council", "links": [{"source": "ei1", "relation": "bi", "target": "ei2"}]}'
    )
    work = Adjudication(tp.read(EXAMPLES / "council.tml"), tp.read(tmp_path / "d.jsonl"))
    difference = next(each for each in work.differences if each.sides[1])
    assert [link.label for link in difference.sides[1]] == ["AFTER"]
    odd = Document("council", [("ei1", "b|bi", "ei2"), ("ei1", "b", "ei1"), ("ei1", "b", "nobody")])
    work = Adjudication(tp.read(EXAMPLES / "council.tml"), odd, align="ids")
    assert [each.why for each in work.left_out] == [
        "label set timeml has no label for b|bi",
        "it links an entity to itself",
        "the first document has no entity at the place of 'nobody'",
    ]
    assert len(work.to_dict()["left_out"]) == 3


def test_other_formats_are_exported(tmp_path):
    for name, label in (("one", "b"), ("two", "a")):
        (tmp_path / f"{name}.txt").write_text(f"d\te1\te2\t{label}\nd\te2\te3\tb\n")
    work = Adjudications(tmp_path / "one.txt", tmp_path / "two.txt", format="dense")
    document = work.open("d")
    document.take(0, 2)
    saved = work.save(document)
    assert saved.path == str(tmp_path / "adjudicated" / "d.jsonl")
    assert sorted(link.said for link in tp.read(saved.path).links) == ["e1 a e2", "e2 b e3"]


def test_a_first_side_that_changed_meanwhile_is_not_mixed_with_the_result(annotators):
    work = Adjudications(annotators / "anna", annotators / "ben")
    ship = work.open("ship")
    path = annotators / "anna" / "ship.ann"
    path.write_text(path.read_text().replace("R1\tBEFORE", "R1\tAFTER"))
    with pytest.raises(ChangedOnDiskError, match="was changed since it was compared"):
        work.save(ship)


def test_results_do_not_replace_what_is_read(annotators):
    with pytest.raises(UsageError, match="holds the files that are read"):
        Adjudications(annotators / "anna", annotators / "ben", out=annotators / "ben")
    with pytest.raises(UsageError, match=r"no document has the same name on both sides; first: 'ship'"):
        Adjudications(annotators / "anna", EXAMPLES)


def annotators_of_caevo(tmp_path):
    """Two annotators of the same texts, in a format that is exported."""
    for path in sorted(shared("corpora", "caevo-annotators", "individual").iterdir()):
        name, _, annotator = path.name.rpartition(".")
        if annotator in {"cassidy", "mcdowell"}:
            (tmp_path / annotator).mkdir(exist_ok=True)
            (tmp_path / annotator / f"{name}.tab").write_bytes(path.read_bytes())
    return tmp_path / "cassidy", tmp_path / "mcdowell"


def gold_and_system(_tmp_path):
    """Gold and a system that names entities in its own way, in a format that is changed in place."""
    return shared("corpora", "te3-platinum"), shared("corpora", "te3-systems", "TIPSemB")


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize("sides", [annotators_of_caevo, gold_and_system])
def test_two_corpora_are_adjudicated_to_the_end(tmp_path, sides):
    """Whatever is taken at random, every saved version is consistent and has the links that were taken."""
    rng = Random(7)
    work = Adjudications(*sides(tmp_path), out=tmp_path / "out")
    differences = agreed = questions = 0
    for name in work.names[:12]:
        document = work.open(name)
        if len(document.differences) > 150:
            continue
        if document.conflict():
            document.session.edit(remove=[link.id for link in document.repair()])
        chosen = {}
        while (each := document.next(rng.choice(("informative", "text")))) is not None:
            side = rng.choice((1, 2))
            chosen[each.number] = side if document.row(each.number)["possible"][side - 1] else 0
            document.take(each.number, chosen[each.number])
        assert None not in document.taken()
        assert all(document.outcomes[number][:2] == (side, "decided") for number, side in chosen.items())
        questions += len(chosen)
        saved = work.save(document)
        log = [json.loads(line) for line in Path(saved.path + LOG).read_text().splitlines()]
        assert [line["why"] for line in log].count("decided") == len(chosen)
        assert len(log) == len(document.differences)
        found = [each for each in tp.read_corpus(saved.path) if each.id == document.first.id]
        assert statements(found[0].links) == statements(document.document.links)
        assert tp.check(found[0])[0].verdict.value == "consistent"
        differences += len(document.differences)
        agreed += len(document.agreed)
    assert differences > questions > 20
    assert agreed > 10
