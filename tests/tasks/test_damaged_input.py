"""Kinds of damaged files x entry points: each refuses the file, or shows how many links it could not use."""

import pytest

import temporacle as tp

GOOD = "id,source,relation,target\nl1,a,BEFORE,b\n"
TML = """<?xml version="1.0"?><TimeML><DOCID>d</DOCID><TEXT><EVENT eid="e1" class="OCCURRENCE">left</EVENT>
<EVENT eid="e2" class="OCCURRENCE">docked</EVENT></TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/>
<TLINK lid="l1" eventInstanceID="ei1" relatedToEventInstance="ei2" relType="BEFORE"/>{}</TimeML>"""
ANN = "T1\tEVENT 0 4\tleft\nT2\tEVENT 5 11\tdocked\nR1\tBEFORE Arg1:T1 Arg2:T2\n"
JSONL = '{"document": "d", "links": [{"source": "a", "relation": "BEFORE", "target": "b"}, %s]}\n'

KINDS = {
    "typo.csv": GOOD + "l2,b,BEFOR,c\n",
    "empty-label.csv": GOOD + "l2,b,,c\n",
    "nan.csv": GOOD + "l2,b,nan,c\n",
    "other-label-set.csv": GOOD + "l2,b,CONTINUES,c\n",
    "no-source.csv": GOOD + "l2,,BEFORE,c\n",
    "no-target.csv": GOOD + "l2,b,BEFORE,\n",
    "swapped-columns.csv": GOOD + "l2,BEFORE,x,c\n",
    "number-as-label.csv": GOOD + "l2,b,3,c\n",
    "half-known.csv": GOOD + "l2,b,BEFORE|SOON,c\n",
    "all-unknown.csv": "id,source,relation,target\nl1,a,SOON,b\n",
    "short-row.tsv": "source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFORE\n",
    "typo.tsv": "source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFOR\tc\n",
    "empty.csv": "",
    "no-columns.csv": "x,y\n1,2\n",
    "typo.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei2" relatedToEventInstance="ei1" relType="AFTR"/>'),
    "no-label.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei2" relatedToEventInstance="ei1"/>'),
    "dangling.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei9" relatedToEventInstance="ei1" relType="AFTER"/>'),
    "no-end.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei2" relType="AFTER"/>'),
    "two-ends.tml": TML.format(
        '<TLINK lid="l2" eventInstanceID="ei2" timeID="t1" relatedToEventInstance="ei1" relType="AFTER"/>'
    ),
    "cut-off.tml": TML.format("")[:-20],
    "unknown-type.ann": ANN + "R2\tPRECEDES Arg1:T2 Arg2:T1\n",
    "dangling.ann": ANN + "R2\tAFTER Arg1:T2 Arg2:T9\n",
    "no-argument.ann": ANN + "R2\tAFTER Arg1:T2\n",
    "typo.jsonl": JSONL % '{"source": "b", "relation": "BEFOR", "target": "c"}',
    "no-source.jsonl": JSONL % '{"relation": "BEFORE", "target": "c"}',
    "null-label.jsonl": JSONL % '{"source": "b", "relation": null, "target": "c"}',
    "boolean-id.jsonl": JSONL % '{"source": true, "relation": "BEFORE", "target": "c"}',
    "torn.jsonl": '{"document": "d", "links": [',
}


def questions(path):
    first, second = [*tp.read(path).entity_ids, "a", "b"][:2]
    return tp.ask(path, [f"IS {first} BEFORE {second}"])


ENTRANCES = {
    "check": tp.check,
    "one check": lambda path: tp.check(path)[0],
    "Oracle": tp.Oracle,
    "Session": tp.Session,
    "closure": lambda path: tp.closure(path)[0],
    "reduce": lambda path: tp.reduce(path)[0],
    "bounds": lambda path: tp.bounds(path, calendar=True)[0],
    "ask": questions,
    "read": tp.read,
}


def is_shown(result):
    """Whether the number of skipped links, or that nothing could be read, is visible in words and in JSON."""
    words = repr(result)
    if "unreadable" in words.replace("0 unreadable", "") or "unreadable" in str(getattr(result, "verdict", "")):
        return True
    counts = getattr(result, "skipped_links", None)
    data = str(result.to_dict()) if hasattr(result, "to_dict") else None
    in_data = data is None or "skipped_links': {'" in data
    return "skipped: " in words and (counts is None or bool(counts)) and in_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("damaged")
    for name, text in KINDS.items():
        (here / name).write_text(text)
    for path in here.glob("*.ann"):
        path.with_suffix(".txt").write_text("left docked")
    return here


def test_there_are_enough_kinds():
    assert len(KINDS) >= 25


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_could_not_be_used_is_part_of_the_answer(kind, entrance, folder):
    try:
        result = ENTRANCES[entrance](str(folder / kind))
    except tp.TemporacleError:
        return  # a refusal
    assert is_shown(result), result
