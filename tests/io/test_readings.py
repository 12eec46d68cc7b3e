"""Readings are data, and a user's own file is as good as ours."""

import pytest

from temporacle.errors import LabelError, UsageError
from temporacle.readings import BUILT_IN, canonical, load_reading
from temporacle.relation import EVERYTHING, Relation

NINE = Relation.of("o", "oi", "s", "si", "d", "di", "f", "fi", "=")


@pytest.mark.parametrize(
    ("reading", "label", "relation"),
    [
        ("timeml", "BEFORE", "b"),
        ("timeml", "IAFTER", "mi"),
        ("timeml", "BEGUN_BY", "si"),
        ("timeml", "DURING", "="),
        ("timeml", "identity", "="),
        ("timeml-loose", "BEFORE", "b|m"),
        ("timeml-loose", "INCLUDES", "di|si|fi|="),
        ("timeml-loose", "IBEFORE", "m"),
        ("tempeval", "AFTER", "mi|bi"),
        ("dense", "ii", "d"),
        ("dense", "s", "="),
        ("matres", "EQUAL", "s|=|si"),
        ("thyme", "CONTAINS", "di"),
        ("thyme", "BEGINS-ON", "mi|oi|s|si|=|d|f"),
        ("allen", "during", "d"),
        ("allen", "Overlapped-By", "oi"),
        ("allen", "<", "b"),
        ("links", "BEFORE|MEETS", "b|m"),
        ("links", "SIMULTANEOUS|d", "=|d"),
        ("links", "OVERLAPS", "o"),
    ],
)
def test_labels_of_the_built_in_readings(reading, label, relation):
    assert load_reading(reading).relation(label) == Relation.of(*relation.split("|"))


def test_tempeval_labels_are_three_disjoint_relations_and_their_unions():
    reading = load_reading("tempeval")
    before, overlap, after = (reading.relation(label) for label in ("BEFORE", "OVERLAP", "AFTER"))
    assert overlap == NINE
    assert before | overlap | after == EVERYTHING
    assert not before & overlap
    assert not overlap & after
    assert reading.relation("BEFORE-OR-OVERLAP") == before | overlap
    assert reading.relation("OVERLAP_OR_AFTER") == overlap | after
    assert reading.relation("VAGUE") == EVERYTHING
    assert "VAGUE" not in reading.unanswered
    assert "NONE" in reading.unanswered


def test_thyme_begun_on_and_ended_on_are_the_converses():
    reading = load_reading("thyme")
    assert reading.relation("BEGUN_ON") == reading.relation("BEGINS-ON").converse()
    assert reading.relation("ENDED_ON") == reading.relation("ENDS-ON").converse()


def test_during_is_a_switch_for_readings_that_have_it():
    assert load_reading("timeml", "is_included").relation("DURING") == Relation.of("d")
    assert load_reading("timeml", "is_included").relation("DURING_INV") == Relation.of("di")
    assert load_reading("links", "is_included").relation("DURING") == Relation.of("d")
    assert load_reading("allen", "is_included").relation("during") == Relation.of("d")
    with pytest.raises(UsageError, match="during='sometimes': choose simultaneous"):
        load_reading("timeml", "sometimes")


def test_a_timeml_file_may_hold_tempeval_labels_but_before_stays_strict():
    reading = load_reading("timeml")
    assert reading.relation("OVERLAP") == NINE
    assert reading.relation("NONE") == EVERYTHING
    assert reading.relation("BEFORE") == Relation.of("b")


@pytest.mark.parametrize("label", ["", "  ", "FOO", "BEFORE|", "|b", "b|FOO"])
def test_what_cannot_be_read_is_refused_with_the_known_labels(label):
    with pytest.raises(LabelError) as refusal:
        load_reading("links").relation(label)
    assert "BEFORE" in str(refusal.value)


def test_atoms_are_not_labels_of_readings_that_do_not_want_them():
    with pytest.raises(LabelError):
        load_reading("timeml").relation("mi")
    assert load_reading("timeml").with_atoms().relation("mi") == Relation.of("mi")
    assert load_reading("dense").with_atoms().relation("s") == Relation.of("=")  # the reading's label wins


def test_a_users_reading_extends_a_built_in_one(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nextends = "timeml"\nunanswered = ["TODO"]\n'
        '[labels]\nEARLIER = "b|m"\nBEFORE = "b|m"\nTODO = "*"\n[during.is_included]\nDURING = "d|s|f"\n'
    )
    reading = load_reading(str(path))
    assert reading.name == "mine"
    assert reading.relation("earlier") == reading.relation("BEFORE") == Relation.of("b", "m")
    assert reading.relation("AFTER") == Relation.of("bi")
    assert "TODO" in reading.unanswered
    assert load_reading(str(path), "is_included").relation("DURING") == Relation.of("d", "s", "f")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("labels = 3", "labels must be"),
        ("[labels]\nX = 'q'", "not a set of atoms"),
        ("[labels]\nX = 4", "not a set of atoms"),
        ("nonsense = 1", "unknown key"),
        ("extends = 'nowhere'", "labels='nowhere': choose timeml"),
        ("[during.never]\nX = 'b'", "must be a table named"),
        ("unanswered = [1]", "list of labels"),
        ("this is not toml", "not a valid TOML"),
        ("[labels]\n'A-B' = 'b'\na_b = 'bi'", "'A-B' and 'a_b' are one label"),
        ("[during.is_included]\n'A/B' = 'b'\nA_B = 'bi'", "are one label"),
        ("[labels]\n'A|B' = 'b'", "cannot be a label"),
        ("[labels]\n' ' = 'b'", "cannot be a label"),
        ("unanswered = ['TODOO']\n[labels]\nTODO = '*'", "TODOO, which is not a label"),
        ("name = 'timeml'\n[labels]\nBEFORE = 'b|m'", "name of another reading"),
    ],
)
def test_a_broken_reading_is_refused_by_name_and_reason(tmp_path, text, complaint):
    path = tmp_path / "broken.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint) as refusal:
        load_reading(str(path))
    assert "broken.toml" in str(refusal.value) or "nowhere" in str(refusal.value)


def test_a_reading_extends_a_file_beside_it_wherever_it_is_used(tmp_path, monkeypatch):
    (tmp_path / "readings").mkdir()
    (tmp_path / "readings" / "base.toml").write_text("[labels]\nEARLIER = 'b'\n")
    path = tmp_path / "readings" / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbfextends = 'base.toml'\n[labels]\nLATER = 'bi'\n")  # as some editors save it
    monkeypatch.chdir(tmp_path)
    assert load_reading("readings/mine.toml").relation("EARLIER") == Relation.of("b")
    assert load_reading(str(path)).relation("LATER") == Relation.of("bi")


def test_a_reading_may_not_extend_itself(tmp_path):
    path = tmp_path / "loop.toml"
    path.write_text(f'extends = "{path}"\n')
    with pytest.raises(UsageError, match="extends itself"):
        load_reading(str(path))


def test_a_missing_or_binary_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot open"):
        load_reading(str(tmp_path / "none.toml"))
    path = tmp_path / "bytes.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not a valid TOML"):
        load_reading(str(path))


def test_every_built_in_reading_loads():
    assert {load_reading(name).name for name in BUILT_IN} == set(BUILT_IN)
    assert canonical("Before/Overlap") == "BEFORE_OVERLAP"


@pytest.mark.parametrize("name", ["timeml", "tempeval", "dense", "thyme"])
def test_a_loose_reading_only_adds_touching_borders(name):
    strict, loose = load_reading(name), load_reading(f"{name}-loose")
    assert strict.labels.keys() == loose.labels.keys()
    touching = {"b": "b|m", "bi": "mi|bi", "di": "fi|di|=|si", "d": "s|=|d|f"}
    for label, meaning in strict.labels.items():
        widened = Relation(touching.get(str(meaning), str(meaning)))
        # TempEval's BEFORE allows touching borders already.
        assert loose.labels[label] in {meaning, widened}, label
    assert any(loose.labels[label] != meaning for label, meaning in strict.labels.items())


def test_labels_of_other_schemes_are_understood_and_not_proposed(tmp_path):
    timeml = load_reading("timeml")
    assert timeml.relation("OVERLAP")
    assert "OVERLAP" in timeml.foreign
    assert not timeml.foreign & {"INCLUDES", "ENDED_BY", "SIMULTANEOUS"}  # TempEval borrows them, TimeML owns them
    own = tmp_path / "own.toml"
    own.write_text('extends = "timeml"\nforeign = ["SOONER"]\n[labels]\nSOONER = "b"\nOVERLAP = "o"\n')
    assert load_reading(str(own)).foreign == timeml.foreign - {"OVERLAP"} | {"SOONER"}
    own.write_text('foreign = ["SOONER"]\n[labels]\nLATER = "bi"\n')
    with pytest.raises(UsageError, match="SOONER"):
        load_reading(str(own))


@pytest.mark.parametrize("name", ["dense", "dense-loose"])
def test_labels_of_dense_may_be_spelled_out(name):
    reading = load_reading(name)
    spelled = {"b": "BEFORE", "a": "after", "i": "INCLUDES", "ii": "is_included", "s": "SIMULTANEOUS", "v": "vague"}
    assert all(reading.relation(short) == reading.relation(long) for short, long in spelled.items())
