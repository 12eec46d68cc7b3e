"""Two corpora brought together while they are read: the pairs that a look at everything finds, in the same order."""

import random

import pytest
from runs import line

from temporacle.io import read_corpus, slices
from temporacle.io.pairing import bare_name, pair_up
from temporacle.io.source import Options
from temporacle.model import Document
from temporacle.runner import join as join_module
from temporacle.runner.join import Join
from temporacle.runner.names import named, named_documents


def stream(names, read=None):
    for name in names:
        if read is not None:
            read.append(name)
        yield named(Document(name), bare_name)


def names_of(pairs):
    return [(pair.gold.name, pair.system.name) for pair in pairs]


def read_names(path):
    return named_documents(str(path), Options(), bare_name, lambda _remark: None)


def naive(gold, system):
    """Everything read, then paired."""
    return pair_up(list(read_corpus(str(gold))), list(read_corpus(str(system))), folders=True)


def write(path, random_source, kind):
    """Documents of one side: gaps, another order, a name twice, a line that is no document."""
    names = [f"d{number}" for number in range(30) if random_source.random() < 0.8]
    if random_source.random() < 0.5:
        random_source.shuffle(names)
    if kind == "folder":
        path.mkdir()
        for name in names:
            text = '<TimeML><TEXT><EVENT eid="e1">rose</EVENT></TEXT></TimeML>'
            (path / f"{name}.tml").write_text(text if random_source.random() < 0.9 else "<oops")
        return
    if random_source.random() < 0.5:
        names.append(names[0])
    texts = [line(name, random_source.randrange(4)) for name in names]
    if random_source.random() < 0.5:
        texts.insert(3, "{torn\n")
    path.write_text("".join(texts))


@pytest.mark.parametrize("kinds", [("lines", "lines"), ("folder", "folder"), ("folder", "lines"), ("lines", "folder")])
def test_the_pairs_are_those_of_a_look_at_everything(tmp_path, monkeypatch, kinds):
    monkeypatch.setattr(slices, "SLICE", 400)
    for seed in range(25):
        random_source = random.Random(seed)
        gold, system = tmp_path / f"gold{seed}", tmp_path / f"system{seed}"
        for path, kind in zip((gold, system), kinds, strict=True):
            write(path, random_source, kind)
        expected = naive(gold, system)
        join = Join(read_names(gold), read_names(system))
        found = list(join.pairs())
        assert names_of(found) == [(one.id, other.id) for one, other in expected.pairs]
        for pair, documents in zip(found, expected.pairs, strict=True):
            for side, document in zip(pair, documents, strict=True):
                (opened,) = side.documents()
                assert type(opened) is type(document)
                assert getattr(opened, "links", None) == getattr(document, "links", None)
        for left, alone in zip(join.left, (expected.gold_only, expected.system_only), strict=True):
            assert {one.name for one in left} == {bare_name(document.id) for document in alone}
        assert sorted(remark.message for remark in join.warnings) == sorted(r.message for r in expected.warnings)


@pytest.mark.parametrize("share", [(1.0, 0.7), (0.7, 1.0), (0.8, 0.8)])
def test_corpora_in_the_same_order_wait_for_each_other(share, monkeypatch):
    monkeypatch.setattr(join_module, "WINDOW", 20)
    random_source = random.Random(5)
    every = [f"d{number}" for number in range(5000)]
    place_of = {name: number for number, name in enumerate(every)}
    gold, system = ([name for name in every if random_source.random() < part] for part in share)
    read_gold, read_system = [], []
    join = Join(stream(gold, read_gold), stream(system, read_system))
    found = []
    for pair in join.pairs():
        found.append(pair.name)
        if len(read_gold) < len(gold) and len(read_system) < len(system):
            # Ahead of the pair that comes out are the window, and what fills gaps in it.
            place = place_of[pair.name]
            assert place_of[read_gold[-1]] - place < 200
            assert place_of[read_system[-1]] - place < 200
    both = set(gold) & set(system)
    assert found == [name for name in every if name in both]


def test_beyond_the_window_a_late_partner_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(join_module, "WINDOW", 2)
    names = list("abcdefg")
    join = Join(stream(names), stream([*names[1:], "a"]))
    assert [pair.name for pair in join.pairs()] == ["b", "c", "d", "e", "a", "f", "g"]
    backwards = Join(stream(names), stream(names[::-1]))
    assert sorted(pair.name for pair in backwards.pairs()) == names


def test_a_file_may_hold_other_documents_than_its_name_promises(tmp_path):
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "many.xml").write_text(line("p") + line("q"))  # formats are told by content
        (tmp_path / side / "one.tml").write_text("<TimeML><TEXT>x</TEXT></TimeML>")
    join = Join(read_names(tmp_path / "gold"), read_names(tmp_path / "system"))
    surprise, plain = join.pairs()
    assert (surprise.name, plain.name) == ("many", "one")
    opened = [side.documents() for side in surprise]
    assert not surprise.gold.is_as_promised(opened[0], bare_name)
    assert plain.gold.is_as_promised(plain.gold.documents(), bare_name)
    assert names_of(join.reveal([(surprise, *opened)])) == [("p", "p"), ("q", "q")]
    assert join.left == ([], [])


def test_two_single_documents_are_a_pair_unless_from_folders(tmp_path):
    assert names_of(Join(stream("a"), stream("b"), folders=False).pairs()) == [("a", "a")]
    assert names_of(Join(stream("a"), stream("b"), folders=True).pairs()) == []
    assert names_of(Join(stream("ac"), stream("bc"), folders=False).pairs()) == [("c", "c")]
