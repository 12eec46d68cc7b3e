"""Which system document answers which gold document."""

import random

import pytest

from temporacle.corpus.observer import SILENT
from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import Reference, references
from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options
from temporacle.model import Document, Unreadable


def pair(golds, systems):
    return pair_up([*map(Reference.to, golds)], [*map(Reference.to, systems)])


def ids(pairing):
    return [(pair.gold.read().id, pair.system.read().id) for pair in pairing.pairs]


def documents(*names):
    return [Document(name) for name in names]


def test_names_pair_without_folders_and_suffixes():
    gold = documents("wsj_1", "wsj_2.tml", "x/wsj_3", "wsj_4")
    system = documents("wsj_4.tml.xml", "wsj_3", "wsj_1.TE3input.tml", "wsj_2.xml.xml")
    pairing = pair(gold, system)
    assert ids(pairing) == [
        ("wsj_1", "wsj_1.TE3input.tml"),
        ("wsj_2.tml", "wsj_2.xml.xml"),
        ("x/wsj_3", "wsj_3"),
        ("wsj_4", "wsj_4.tml.xml"),
    ]
    assert pairing.warnings == ()


def test_what_has_no_partner_is_told_with_the_nearest_name_and_never_paired_by_it():
    pairing = pair(documents("a", "kite_sarcozy"), documents("a", "kite_sarkozy", "entirely-different"))
    assert ids(pairing) == [("a", "a")]
    assert [document.name for document in pairing.gold_only] == ["kite_sarcozy"]
    assert [document.name for document in pairing.system_only] == ["kite_sarkozy", "entirely-different"]
    assert [remark.code for remark in pairing.warnings] == ["unpaired-gold", "unpaired-system", "unpaired-system"]
    assert "nearest unpaired name is 'kite_sarkozy'" in pairing.warnings[0].message
    assert "nearest" not in pairing.warnings[2].message


def test_a_name_that_occurs_twice_is_refused_unless_only_one_says_something():
    saying = Document("a", [("x", "b", "y")])
    assert ids(pair([Document("a.tml"), saying], documents("a"))) == [("a", "a")]
    assert ids(pair(documents("a", "a.tml"), documents("a"))) == [("a", "a")]
    with pytest.raises(UsageError, match="2 documents called 'a'"):
        pair([saying, Document("a.tml", [("x", "b", "z")])], documents("a"))


def test_unreadable_documents_keep_their_partner():
    lost = Unreadable("a", "system/a.tml", InputError("cut off"))
    pairing = pair(documents("a"), [lost])
    assert [pair.system.read() for pair in pairing.pairs] == [lost]


def corpus(folder, files):
    folder.mkdir()
    for name, docid in files.items():
        (folder / f"{name}.tml").write_text(f"<TimeML><DOCID> {docid} </DOCID></TimeML>")
    return references(str(folder), Options(), SILENT)


def test_the_stated_id_pairs_what_is_left_over_if_it_is_unique(tmp_path):
    gold = corpus(tmp_path / "gold", {"same": "S", "sarcozy": "K1", "twice_a": "T", "twice_b": "T", "lonely": "L"})
    system = corpus(tmp_path / "system", {"same": "other", "sarkozy": "K1", "twice": "T", "odd": "S"})
    pairing = pair_up(gold, system)
    assert sorted(ids(pairing)) == [("same", "same"), ("sarcozy", "sarkozy")]
    assert [remark.code for remark in pairing.warnings if remark.code.startswith("paired")] == ["paired-by-docid"]
    assert {document.name for document in pairing.gold_only} == {"twice_a", "twice_b", "lonely"}
    assert {document.name for document in pairing.system_only} == {"twice", "odd"}


def test_of_many_without_a_partner_only_the_first_get_a_hint():
    pairing = pair(documents(*(f"kite_{k}" for k in range(300))), documents(*(f"kite-{k}" for k in range(300))))
    assert len(pairing.warnings) == 600
    assert sum("nearest" in remark.message for remark in pairing.warnings) == 40


def drawn(draw, prefix):
    """Draw documents: names that occur again, with links, empty or unreadable."""
    result, saying = [], set()
    for number in range(draw.randint(0, 6)):
        name, path = draw.choice("abcdef"), f"{prefix}{number}"
        kind = draw.choice(["links", "empty", "unreadable"])
        if kind == "links" and name not in saying:
            saying.add(name)
            result.append(Document(name, [("x", "b", "y")], path=path))
        elif kind == "unreadable":
            result.append(Unreadable(name, path, InputError("cut off")))
        else:
            result.append(Document(name, path=path))
    return result


def best_of_each_name(found):
    """The naive twin: of each name, in order, the document with links, else a readable one, else the first."""
    result = {}
    for name in dict.fromkeys(each.id for each in found):
        same = [each for each in found if each.id == name]
        ranked = sorted(same, key=lambda each: 2 if isinstance(each, Unreadable) else 0 if each.links else 1)
        result[name] = ranked[0]
    return result


@pytest.mark.parametrize("seed", range(300))
def test_positions_pair_the_same_documents_as_names_do(seed):
    draw = random.Random(seed)
    golds, systems = drawn(draw, "g"), drawn(draw, "s")
    pairing = pair(golds, systems)
    gold, system = best_of_each_name(golds), best_of_each_name(systems)
    assert [(each.name, each.gold.path, each.system.path) for each in pairing.pairs] == [
        (name, gold[name].path, system[name].path) for name in gold if name in system
    ]
    assert [each.path for each in pairing.gold_only] == [gold[name].path for name in gold if name not in system]
    assert [each.path for each in pairing.system_only] == [system[name].path for name in system if name not in gold]
    in_order = [each for each in golds if gold[each.id] is each]
    assert [(each.name, each.gold and each.gold.path, each.system and each.system.path) for each in pairing.asked] == [
        *((each.id, each.path, system[each.id].path if each.id in system else None) for each in in_order),
        *((name, None, system[name].path) for name in system if name not in gold),
    ]
    assert len(pairing.asked) == len(gold.keys() | system.keys())
    assert pairing.asked[1:] == list(pairing.asked)[1:]
    assert {each.path for each in pairing.unread} == {
        each.path
        for side in (golds, systems)
        for each in side
        if isinstance(each, Unreadable) and sum(other.id == each.id for other in side) > 1
    }
