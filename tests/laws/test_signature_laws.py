"""Equal signatures mean equal counts: for every option and reading, on documents where it matters.

Every way of reading and scoring is tried on every sample, from Python and on the command line. Two runs on one sample
with one signature must have the same counts. For each option some sample must show different counts: otherwise nothing
would be tested.
"""

import json
from enum import StrEnum
from itertools import pairwise, product

import pytest
from shares import few

import temporacle as tp
from temporacle.cli import run
from temporacle.corpus.inputs import READING_OPTIONS
from temporacle.errors import UsageError
from temporacle.scoring.metric import METRICS, metric_named

TIMEML = """<TimeML><TEXT><EVENT eid="e1">rose</EVENT> <EVENT eid="e2">fell</EVENT></TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/>
<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei2"/>
<TLINK lid="l2" relType="{}" eventInstanceID="ei1" relatedToEventInstance="ei9"/></TimeML>"""
ANAFORA = """<data><annotations>
<entity><id>1@e@v@gold</id><span>0,1</span><type>DOCTIME</type></entity>
<entity><id>2@e@v@gold</id><span>2,3</span><type>EVENT</type><properties><DocTimeRel>{}</DocTimeRel></properties></entity>
<entity><id>3@e@v@gold</id><span>4,5</span><type>EVENT</type><properties><DocTimeRel>AFTER</DocTimeRel></properties></entity>
<relation><id>4@r@v@gold</id><type>TLINK</type><properties><Source>2@e@v@gold</Source><Type>BEFORE</Type>
<Target>3@e@v@gold</Target></properties></relation></annotations></data>"""
# Two readings of one name: only their content tells them apart.
ONE_READING = 'name = "mine"\nextends = "links"\n[labels]\nNEXT = "b"\n'
OTHER_READING = 'name = "mine"\nextends = "links"\n[labels]\nNEXT = "b|m"\n'


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Pairs of files, gold and system, and the values of options that are tried on them."""
    top = tmp_path_factory.mktemp("signatures")

    def write(name, content):
        path = top / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    label_sets = [write("one.toml", ONE_READING), write("other.toml", OTHER_READING)]
    cyclic = "a\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\ta\nc\tBEFORE\td\na\tVAGUE\td\nb\tb|m\td\n"
    plain = "a\tBEFORE\tb\na\tBEFORE\tc\nb\tb|m|o\td\na\tVAGUE\td\n"
    return [
        (write("g/graph.tsv", cyclic), write("s/graph.tsv", plain), {}),
        (write("g/two.jsonl", _two(cyclic, plain)), write("s/two.jsonl", _two(plain, plain)), {}),
        (write("g/during.tsv", "a\tDURING\tb\n"), write("s/during.tsv", "a\tIS_INCLUDED\tb\n"), {}),
        (write("g/loose.tml", TIMEML.format("BEFORE")), write("s/loose.tml", TIMEML.format("AFTER")), {}),
        (
            write("g/v.Temporal-Relation.gold.completed.xml", ANAFORA.format("BEFORE")),
            write("s/v.Temporal-Relation.gold.completed.xml", ANAFORA.format("OVERLAP")),
            {},
        ),
        (
            write("g/own.tsv", "a\tNEXT\tb\nb\tNEXT\tc\n"),
            write("s/own.tsv", "a\tb\tb\nb\tNEXT\tc\n"),
            {"labels": label_sets},
        ),
        (
            write("g/latin.tsv", "caf\xe9\tBEFORE\tb\nb\tBEFORE\tc\n".encode("latin-1")),
            write("s/latin.tsv", "café\tBEFORE\tb\nb\tBEFORE\tc\n"),
            {"encoding": ["latin-1", "utf-8", "cp1251"]},
        ),
        (
            write("g/table.csv", "source,relation,target,second\na,BEFORE,b,x\nb,BEFORE,c,c\n"),
            write("s/table.csv", "source,relation,target,second\na,BEFORE,b,y\nb,BEFORE,c,c\n"),
            {"columns": ["target=second"]},
        ),
        (
            write("g/named.tsv", "a\tBEFORE\tb\nb\tBEFORE\tc\n"),
            write("s/named.tsv", "x\tBEFORE\tb\nb\tBEFORE\ty\n"),
            {"id_map": [write("one.csv", "id,gold_id\nx,a\n"), write("two.csv", "id,gold_id\nx,a\ny,c\n")]},
        ),
        (write("g/partly.tsv", "a\tOVERLAP\tb\n"), write("s/partly.tsv", "a\tBEFORE-OR-OVERLAP\tb\n"), {}),
        (write("g/order.tsv", "e1\te2\tb\ne2\te3\ta\n"), write("s/order.tsv", "e1\te2\tb\ne2\te3\tb\n"), {}),
        (write("g/pier.txt", "Pier\n1\t2001\t9-1-a\n2\t2002\t9-1-b\n"), write("s/pier.txt", TIMELINE), {}),
        (write("g/next.ann", BRAT + "R2\tCOEX Arg1:T2 Arg2:T3\n"), write("s/next.ann", BRAT), {}),
        (write("g/spans.jsonl", _spans("e", 4)), write("s/spans.jsonl", _spans("f", 4, first="e0")), {}),
        (write("g/dates.jsonl", _dated(DATED)), write("s/dates.jsonl", _dated([*DATED, *FOLLOWS])), {}),
        (
            write("g/labels.tsv", "a\tBEFORE\tb\na\tVAGUE\tc\nb\tAFTER\tc\nb\tEQUAL\td\nd\tBEFORE\ta\n"),
            write("s/labels.tsv", "a\tBEFORE\tb\na\tBEFORE\tc\nc\tBEFORE\tb\nb\tVAGUE\td\na\tBEFORE\te\n"),
            {},
        ),
    ]


DATES = {
    "t0": "1998-02-06", "t1": "1998-02-06", "t2": "1998-02-08", "t4": "1998-02-07", "t6": "1998-SU", "t7": "1998-11",
    "t8": "1998-02-06T10:00Z", "t9": "1998-02-06T23",
}  # fmt: skip
DATED = ["e1 d t1", "e2 d t2", "e3 = t1", "e4 = t4", "e5 = t0", "e6 d t6", "e7 d t7", "e8 d t8", "e9 d t9"]
# By dates; by whole days; by a whole day of creation; in the north; in a known zone.
FOLLOWS = ["e1 b e2", "e3 m e4", "e5 m e4", "e6 b e7", "e8 b e9"]


def _dated(statements):
    times = [{"id": name, "kind": "dct" if name == "t0" else "time", "value": value} for name, value in DATES.items()]
    events = [{"id": f"e{number}", "kind": "event"} for number in range(1, 10)]
    links = [dict(zip(("source", "relation", "target"), each.split(), strict=True)) for each in statements]
    return json.dumps({"document": "d", "entities": [*times, *events], "links": links}) + "\n"


BRAT = "T1\tevent 0 1\ta\nT2\tevent 2 3\tb\nT3\tevent 4 5\tc\nR1\tAFTER Arg1:T1 Arg2:T2\n"
TIMELINE = "Pier\n1\t2001\t9-1-a\n2\t2003\t9-1-b\n"


def _two(first, second):
    rows = []
    for name, text in (("one", first), ("two", second)):
        links = [
            dict(zip(("source", "relation", "target"), line.split("\t"), strict=True)) for line in text.splitlines()
        ]
        rows.append(json.dumps({"document": name, "links": links}) + "\n")
    return "".join(rows)


def _spans(letter, count, first=None):
    names = [first or f"{letter}0", *(f"{letter}{k}" for k in range(1, count))]
    entities = [{"id": name, "kind": "event", "start": 2 * k, "end": 2 * k + 1} for k, name in enumerate(names)]
    links = [{"source": a, "relation": "b", "target": b} for a, b in pairwise(names)]
    return json.dumps({"document": "d", "text": "a b c d ", "entities": entities, "links": links}) + "\n"


# What is tried for each option about reading. A new option must be given values here.
READING_VALUES = {
    "format": [None, "dense", "tsv"],
    "labels": [None, "timeml", "timeml-loose", "allen", "tempeval"],
    "during": ["simultaneous", "is_included"],
    "encoding": [None],
    "keep_unknown": [False, True],
    "doctimerel": [False, True],
    "mapping": [None, "timeset"],
    "columns": [None],
    "on_error": ["raise"],
    "config": [None],
}
TEXT_VALUES = {"zone": ["", "+01:00"]}  # of options that take a text
COMMON_VALUES = {"id_map": [None], "average": ["micro", "macro"], "align": ["ids", "spans"], "empty": [0, 1]}


def metric_values(name):
    """All values of all options of a metric."""
    return {
        each.name: [False, True]
        if isinstance(each.default, bool)
        else TEXT_VALUES.get(each.name) or [member.value for member in type(each.default)]
        for each in metric_named(name).options.declared()
    }


def variations(values):
    """The default, each other value alone, and all pairs of other values."""
    names = list(values)
    others = [(name, value) for name in names for value in values[name][1:]]
    yield {}
    yield from (dict([other]) for other in others)
    yield from ({a: x, b: y} for (a, x), (b, y) in product(others, others) if names.index(a) < names.index(b))


def outcome(gold, system, options):
    """The signature and all that is counted; None where the combination is refused."""
    try:
        found = tp.score(gold, system, **options)
    except UsageError:
        return None
    return found.signature, (repr(found.counts), found.precision, found.recall, found.f1)


def test_every_option_about_reading_is_tried():
    assert set(READING_VALUES) == {"labels" if name == "reading" else name for name in READING_OPTIONS}


@pytest.mark.parametrize("metric", few(METRICS, long=["reduction", "core"]))
def test_equal_signatures_mean_equal_counts(metric, samples):
    values = {**READING_VALUES, **COMMON_VALUES, **metric_values(metric)}
    matters = set()
    for gold, system, more in samples:
        tried = {**values, **{name: [None, *extra] for name, extra in more.items()}}
        seen, by_policy = {}, {}
        default = outcome(gold, system, {"metric": metric})
        for options in variations(tried):
            found = outcome(gold, system, {"metric": metric, **options})
            if found is None:
                continue
            line, counts = found
            assert seen.setdefault(line, counts) == counts, (options, line)
            if len(options) == 1 and default is not None and counts != default[1]:
                matters |= options.keys()
            if len(options) == 1 and "calendar" in options:
                by_policy[options["calendar"]] = counts
            if len(options) == 2 and by_policy.get(options.get("calendar"), counts) != counts:
                matters |= options.keys() - {"calendar"}
    if metric == "awareness":  # the samples are made for it; others do not look at everything
        assert matters >= {"format", "labels", "during", "keep_unknown", "doctimerel", "contradictions", "vague"}
        assert matters >= {"average", "align", "columns", "calendar", "hemisphere", "zone", "mapping", "id_map"}
    if metric == "timeline":
        assert "ordering_only" in matters
    if metric == "pairs":
        assert matters >= {"convention", "missing"}
    if metric in {"closure", "tempeval1"}:
        assert "relaxed" in matters


def test_two_label_sets_of_one_name_are_told_apart(samples):
    gold, system, more = next(sample for sample in samples if "labels" in sample[2])
    one, other = (outcome(gold, system, {"labels": labels}) for labels in more["labels"])
    assert one[1] != other[1]
    assert one[0] != other[0]
    assert "labels:mine@" in one[0]


def test_documents_say_how_they_were_read_wherever_they_are_scored(samples):
    """Documents read in Python with other options than the score is asked for."""
    gold, system, _ = next(sample for sample in samples if "during" in sample[0])
    lines = {}
    for during in ("simultaneous", "is_included"):
        sides = [tp.read(path, during=during) for path in (gold, system)]
        found = tp.score(*sides)
        lines[found.signature] = found.f1
        assert f"during:{during}" in found.signature
    assert len(set(lines.values())) == 2


@pytest.mark.parametrize("metric", few(METRICS))
def test_the_command_line_says_the_same(metric, samples, capsys):
    """Each option alone: signature and counts as in Python, or refused in both."""
    values = {**READING_VALUES, **COMMON_VALUES, **metric_values(metric)}
    for gold, system, more in samples[:4]:
        tried = {**values, **{name: [None, *extra] for name, extra in more.items()}}
        for options in [{}, *({name: value} for name, each in tried.items() for value in each[1:])]:
            flags = [part for name, value in options.items() for part in _flag(name, value)]
            code = run(["score", gold, system, "--metric", metric, *flags, "--output", "json"])
            printed = capsys.readouterr().out.splitlines()
            expected = outcome(gold, system, {"metric": metric, **options})
            if expected is None:
                assert code == 2
                continue
            total = json.loads(printed[-1])
            assert total["signature"] == expected[0]
            assert total["f1_exact"] == str(expected[1][3])


def _flag(name, value):
    flag = "--" + name.replace("_", "-")
    return [flag] if value is True else [flag, str(value.value if isinstance(value, StrEnum) else value)]
