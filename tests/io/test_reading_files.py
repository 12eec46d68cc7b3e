"""Readings as values and as files: what makes two the same, what a file may hold, and how large it may be."""

import pickle
from dataclasses import replace

import pytest

from temporacle.errors import LabelError, UsageError
from temporacle.readings import (
    DURING,
    Reading,
    built_in_reading,
    load_reading,
    reading_of_labels,
    toml_table,
)
from temporacle.relation import EVERYTHING, Relation

BEFORE, AFTER = Relation.of("b"), Relation.of("bi")
MINE = Reading("mine", {"EARLIER": BEFORE, "LATER": AFTER}, False, frozenset({"LATER"}), frozenset({"EARLIER"}))


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


# --- values -----------------------------------------------------------------------------------------------------------


def test_readings_are_the_same_by_name_and_meaning():
    assert replace(MINE) == MINE
    assert hash(replace(MINE)) == hash(MINE)
    assert replace(MINE, labels=dict(reversed(MINE.labels.items()))) == MINE  # the order of labels does not matter
    others = [
        replace(MINE, name="yours"),
        replace(MINE, labels={"EARLIER": BEFORE, "LATER": BEFORE}),
        replace(MINE, atoms=True),
        replace(MINE, unanswered=frozenset()),
    ]
    assert all(other != MINE for other in others)
    assert len({MINE, *others}) == 5
    assert MINE != "mine"


def test_signatures_have_a_digest_of_readings_that_are_not_built_in():
    assert load_reading("timeml").signed == "timeml"
    assert MINE.signed == f"mine@{MINE.digest}"
    assert len(replace(MINE).digest) == 8
    assert repr(MINE) == f"LabelSet('mine@{MINE.digest}', during='simultaneous')"


def test_a_reading_comes_back_whole_from_another_process():
    chosen = replace(MINE, during="is_included", origin="mine.toml")
    back = pickle.loads(pickle.dumps(chosen))
    assert back == chosen
    assert (back.unanswered, back.foreign, back.during, back.origin) == (
        chosen.unanswered, chosen.foreign, "is_included", "mine.toml",
    )  # fmt: skip


@pytest.mark.parametrize("during", DURING)
@pytest.mark.parametrize("atoms", [False, True])
def test_a_built_in_reading_is_sent_by_its_name(during, atoms):
    reading = load_reading("timeml", during)
    reading = reading.with_atoms() if atoms else reading
    back = pickle.loads(pickle.dumps(reading))
    assert back == reading
    assert (back.atoms, back.during) == (atoms, during)
    assert back is pickle.loads(pickle.dumps(reading))


def test_no_file_is_opened_for_a_reading_that_was_sent(written):
    with pytest.raises(UsageError, match="is not a built-in label set"):
        built_in_reading(written("[labels]\nX = 'b'"), "simultaneous", atoms=False)


def test_a_reading_with_atoms_forgets_what_it_could_not_read():
    strict = Reading("strict", {"EARLIER": BEFORE})
    assert strict.relation("EARLIER") is strict.relation("EARLIER")
    loose = strict.with_atoms()
    assert loose.relation("mi") == Relation.of("mi")
    assert loose.with_atoms() is loose
    with pytest.raises(LabelError):
        strict.relation("mi")


def test_labels_are_joined():
    assert MINE.relation("EARLIER|later") == BEFORE | AFTER
    with pytest.raises(LabelError, match=r"unknown label 'EARLIER\|soon'"):
        MINE.relation("EARLIER|soon")
    with pytest.raises(LabelError, match="the relation is empty") as refused:
        MINE.relation(" ")
    assert "write one of EARLIER, LATER" in str(refused.value)


def test_the_first_label_of_a_relation_is_written():
    reading = Reading("two", {"SOONER": BEFORE, "EARLIER": BEFORE})
    assert reading.label_for(BEFORE) == "SOONER"
    assert reading.label_for(Relation("b|m")) == "b|m"


def test_the_vocabulary_has_atoms_only_where_they_are_understood():
    assert MINE.vocabulary() == "EARLIER, LATER"
    assert MINE.with_atoms().vocabulary().startswith("EARLIER, LATER, b, ")


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("EARLIR", "EARLIER"),
        ("LATERRRR", "LATER"),
        ("LATXX", None),  # too different
        ("MEARLIER", None),  # labels that begin alike are compared
        ("EARLIERISHER", None),  # too long
        ("EXXXXXX", None),
        ("E", None),
    ],
)
def test_the_label_that_was_meant(label, meant):
    with pytest.raises(LabelError) as refused:
        MINE.relation(label)
    hint = "" if meant is None else f"did you mean {meant}? "
    assert f"; {hint}label set 'mine' has EARLIER, LATER" in str(refused.value)


def test_names_of_allen_are_proposed_where_atoms_are_understood():
    for reading, is_proposed in ((MINE, False), (MINE.with_atoms(), True)):
        with pytest.raises(LabelError) as refused:
            reading.relation("OVERLAPED_BY")
        assert ("did you mean OVERLAPPED_BY?" in str(refused.value)) is is_proposed


def test_a_long_label_is_compared_by_its_beginning():
    name = "A" * 40
    with pytest.raises(LabelError, match="did you mean"):
        Reading("long", {name: BEFORE}).relation(name + "B" * 10)
    with pytest.raises(LabelError) as refused:
        Reading("long", {name + "AAAA": BEFORE}).relation(name + "B" * 10)
    assert "did you mean" not in str(refused.value)


def test_a_message_offers_the_readings_for_people():
    with pytest.raises(UsageError) as refused:
        load_reading("magic")
    assert "tools, allen or a .toml file" in str(refused.value)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_without_a_name_is_called_by_its_path(written):
    path = written("[labels]\nX = 'b|m'\nY = '*'")
    reading = load_reading(path)
    assert (reading.name, reading.origin, reading.atoms) == (path, path, False)
    assert dict(reading.labels) == {"X": Relation("b|m"), "Y": EVERYTHING}


def test_a_reading_inherits_what_it_does_not_say(written):
    written("atoms = true\nunanswered = ['TODO']\nforeign = ['W']\n[labels]\nTODO = '*'\nX = 'b'\nW = 'm'", "base.toml")
    reading = load_reading(written("extends = 'base.toml'\nunanswered = ['HM']\n[labels]\nX = 'bi'\nHM = '*'"))
    assert reading.atoms
    assert reading.unanswered == {"TODO", "HM"}
    assert reading.foreign == {"W"}
    assert list(reading.labels.items()) == [
        ("X", AFTER), ("HM", EVERYTHING), ("TODO", EVERYTHING), ("W", Relation.of("m")),
    ]  # fmt: skip
    assert not load_reading(written("extends = 'base.toml'\natoms = false")).atoms


def test_labels_of_during_hold_only_for_that_choice(written):
    path = written("[labels]\nDURING = '='\n[during.is_included]\nDURING = 'd'\nWITHIN = 'd'")
    assert load_reading(path, "is_included").relation("DURING") == Relation.of("d")
    assert load_reading(path, "is_included").during == "is_included"
    assert load_reading(path).relation("DURING") == Relation.of("=")
    with pytest.raises(LabelError):
        load_reading(path).relation("WITHIN")
    with pytest.raises(UsageError, match="during='never'"):
        load_reading(path, "never")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[during]\nis_included = 3", "must be a table named"),
        ("foreign = [1]", "foreign must be a list of labels"),
        ("atoms = 1", "atoms must be a bool"),
        ("name = 3", "name must be a str"),
        ("[labels]\nX = ''", "not a set of atoms"),
        ("[labels]\nX = 'b|q'", "not a set of atoms"),
        ("[labels]\nX = ['b']", "not a set of atoms"),
        ("extends = 'none.toml'", "cannot open the reading"),
    ],
)
def test_what_a_file_may_not_hold(written, text, complaint):
    with pytest.raises(UsageError, match=complaint):
        load_reading(written(text))


@pytest.mark.parametrize(("size", "is_read"), [(1 << 18, True), ((1 << 18) + 1, False)])
def test_a_file_has_a_largest_size(written, size, is_read):
    line = "#" + "x" * 1000 + "\n"
    text = "a = 1\n" + line * (size // len(line))
    path = written(text + "#" * (size - len(text)))
    if is_read:
        assert toml_table(path, "mine.toml", "reading") == {"a": 1}
    else:
        with pytest.raises(UsageError, match=r"mine.toml is too large for a reading: more than 262144 characters"):
            toml_table(path, "mine.toml", "reading")


@pytest.mark.parametrize(("size", "is_read"), [(2000, True), (2001, False)])
def test_a_line_has_a_largest_size(written, size, is_read):
    path = written("a = 1\n#" + "x" * (size - 1) + "\n")
    if is_read:
        assert toml_table(path, "mine.toml", "reading") == {"a": 1}
    else:
        with pytest.raises(UsageError, match="line of more than 2000 characters"):
            toml_table(path, "mine.toml", "reading")


@pytest.mark.parametrize(("length", "is_read"), [(21, True), (22, False)])
def test_a_chain_of_readings_has_a_largest_length(written, length, is_read):
    for number in range(length - 1):
        written(f"extends = 'r{number + 1}.toml'", f"r{number}.toml")
    written("[labels]\nX = 'b'", f"r{length - 1}.toml")
    first = written("extends = 'r1.toml'", "r0.toml")
    if is_read:
        assert load_reading(first).relation("X") == BEFORE
    else:
        with pytest.raises(UsageError, match="extends more than 20 others in a chain"):
            load_reading(first)


@pytest.mark.parametrize(("text", "reason"), [("a = " + "[" * 1900, "nested too deeply"), ("a = [", "at end of")])
def test_what_is_not_toml_is_refused_with_the_reason(written, text, reason):
    with pytest.raises(UsageError, match=f"mine.toml is not a valid TOML reading: .*{reason}"):
        toml_table(written(text), "mine.toml", "reading")


def test_labels_inside_another_file():
    reading = reading_of_labels("scores", "scores.jsonl", {"sooner": "b|m", "any": "*"})
    assert reading.name == "scores"
    assert dict(reading.labels) == {"SOONER": Relation("b|m"), "ANY": EVERYTHING}
    with pytest.raises(UsageError, match=r"scores.jsonl: 'a-b' and 'a_b' are one label"):
        reading_of_labels("scores", "scores.jsonl", {"a-b": "b", "a_b": "b"})
