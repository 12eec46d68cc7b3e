"""Forgeries, one for each thing the checker looks at: without that look, a false or shapeless claim would pass."""

import hashlib
import json

import pytest
from naive import TRAP

from temporacle.checker import Rejected, digest, verify
from temporacle.model import Link
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.relation import Relation

ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "d"}
LARGEST = 10**18  # the latest time that is accepted
CHAIN = [("a", "b", "b"), ("b", "b", "c")]
RING = [*CHAIN, ("c", "b", "a")]
GENUINE = {
    "consistent": (CHAIN, None),
    "ring": (RING, None),
    "cases": (TRAP, None),
    "entailed": (CHAIN, ("a", "b", "c")),
    "refuted": (CHAIN, ("a", "m", "c")),
    "open": ([("a", "b|m", "b"), ("c", "=", "c")], ("a", "m", "b")),
    "pair": ([("a", "b|m", "b")], ("a", "m", "b")),
}


def genuine(name):
    links, query = GENUINE[name]
    return to_json(Oracle(links).certificate(query), ABOUT)


def put(*path, value):
    """A change of one place."""

    def change(certificate):
        *way, last = path
        for key in way:
            certificate = certificate[key]
        certificate[last] = value

    return change


@pytest.mark.parametrize("name", GENUINE)
def test_what_is_genuine_holds(name):
    certificate = genuine(name)
    assert verify(json.dumps(certificate)) == certificate


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        # what is claimed
        ("entailed", put("witness", "a", value=[50, 51]), "witness: .* does not hold"),
        ("entailed", put("query", "relation", value=["m"]), "does not hold"),
        ("entailed", put("proof", value=[{"cycle": [["a.start", "<", "a.end", None]]}]), "is not continued"),
        ("entailed", put("query", "target", value="zz"), "not in the document"),
        ("entailed", put("query", "source", value="zz"), "not in the document"),
        ("refuted", put("witness", "a", value=[50, 51]), "witness: .* does not hold"),
        ("refuted", put("proof", value=[{"cycle": []}]), "not strict"),
        ("open", put("witness", "a", value=[50, 51]), "witness: .* does not hold"),
        ("open", put("countermodel", "a", value=[50, 51]), "countermodel: .* does not hold"),
        ("open", lambda c: c["countermodel"].update(c["witness"]), "countermodel: .* does not hold"),
        ("open", lambda c: c["countermodel"].pop("c"), "countermodel: no times"),
        ("consistent", put("witness", "b", value=[3, 3]), "does not start before it ends"),
        # form: the frame
        ("consistent", put("format", value="certificate"), "not a certificate of this program"),
        ("consistent", put("version", value=1.0), "version"),
        ("consistent", lambda c: c["readings"].append(c["readings"][0]), "given twice"),
        *(("consistent", put("readings", 0, 0, value=label), "label, atoms") for label in (1, None, ["b"])),
        ("consistent", put("readings", 0, value=["b"]), "label, atoms"),
        ("consistent", put("document", "id", value=None), "id is a text"),
        ("consistent", put("document", "path", value=7), "path is a text or null"),
        ("consistent", put("document", "sha256", value="f" * 63), "not a digest"),
        ("consistent", put("document", "sha256", value="F" * 64), "not a digest"),
        ("consistent", put("document", "sha256", value="f" * 64 + "\n"), "not a digest"),
        # form: links and models
        *(("consistent", put("links", 0, "line", value=line), "not a line number") for line in (0, -1, True, "1", 1.0)),
        *(("consistent", put("links", 0, part, value=1), "are texts") for part in ("id", "source", "label", "target")),
        *(("open", put("query", end, value=1), "are texts") for end in ("source", "target")),
        ("open", put("query", "relation", value=["m", "b"]), "atoms in their order"),
        ("open", put("query", "relation", value=["m", "m"]), "atoms in their order"),
        ("open", put("query", "relation", value=["before"]), "atoms in their order"),
        ("open", put("query", "relation", value=[["m"]]), "atoms in their order"),
        ("open", put("query", "relation", value="m"), "not a list"),
        *(
            ("consistent", put("witness", "a", value=times), "bad times")
            for times in ([-LARGEST - 1, 1], [0, LARGEST + 1], [0, 1.5], [False, 1], [0, 1, 2], [0], "01", None)
        ),
        ("consistent", put("witness", value=[[0, 1]]), "not an object"),
        # form: conflicts and proofs
        ("ring", put("conflict", value=[0, 1, 2, 2]), "not a list of different links"),
        ("ring", put("conflict", value=[0, 1, True]), "not a list of different links"),
        ("ring", put("conflict", value=[0, 1, 3]), "not a list of different links"),
        ("ring", put("conflict", value=[0, 1, "query"]), "not a list of different links"),
        ("ring", put("conflict", value=[0, 1, [2]]), "not a list of different links"),
        ("ring", put("needed", 0, value=None), "needed 0: not an object"),
        ("ring", put("needed", 1, "a", value=[0, None]), "needed 1: bad times"),
        ("ring", put("needed", value=[]), "differ in length"),
        ("ring", put("proof", value=[]), "empty"),
        ("ring", put("proof", 0, "cycle", 0, 1, value="="), "bad edge"),
        ("ring", put("proof", 0, "cycle", 0, 3, value=True), "bad edge"),
        *(("ring", put("proof", 0, "cycle", 0, part, value=7), "bad edge") for part in range(3)),
        ("ring", put("proof", 0, "cycle", 0, 0, value="a"), "follow|is not based on a link|continued"),
        ("cases", put("proof", 0, "split", value=[0]), "splits no link"),
        ("cases", put("proof", 0, "split", value=False), "splits no link"),
        ("cases", put("proof", 0, "split", value=9), "not in the conflict"),
        ("cases", put("proof", 0, "split", value="query"), "not in the conflict"),
        ("cases", put("proof", 0, "cases", 0, value=[["m"]]), "bad case"),
        ("cases", put("proof", 0, "cases", 0, 1, value=True), "bad case"),
        ("cases", put("proof", 0, "cases", 0, 0, value=["before"]), "atoms in their order"),
    ],
)
def test_forgeries_are_rejected(name, change, reason):
    certificate = genuine(name)
    change(certificate)
    with pytest.raises(Rejected, match=reason):
        verify(json.dumps(certificate))


def test_a_key_that_is_given_twice_is_rejected():
    """Readers differ about which of the two counts."""
    text = json.dumps(genuine("consistent"))
    with pytest.raises(Rejected, match="given twice"):
        verify(text.replace('"claim":', '"claim": "consistent", "claim":'))


def test_the_outermost_values_are_accepted():
    certificate = genuine("consistent")
    certificate["witness"].update(a=[-LARGEST, 1 - LARGEST], c=[LARGEST - 1, LARGEST])
    certificate["links"][0]["line"] = 1
    certificate["document"]["sha256"] = "0123456789abcdef" * 4
    assert verify(json.dumps(certificate))


def forged_proof(cases, *steps):
    """Two links that contradict each other only in part of their cases: a|b is consistent, a proof must not succeed."""
    links = [("a", "b|m|o", "b"), ("b", "b", "a")]
    certificate = to_json(Oracle(links).certificate(), ABOUT)
    cycle = [
        ["a.start", "<", "a.end", None],
        ["a.end", "<=", "b.start", 0],
        ["b.start", "<", "b.end", None],
        ["b.end", "<", "a.start", 1],
    ]
    certificate |= {"needed": None, "conflict": [0, 1]}
    certificate["proof"] = [{"split": 0, "cases": cases}, *({"cycle": cycle} for _ in range(*steps))]
    return json.dumps(certificate)


def test_every_case_needs_a_step_of_its_own():
    """The step shows b|m to be impossible, and nothing about o: it must not serve for both."""
    good = [["a.start", "<=", "b.end", 0], ["b.end", "<", "a.start", 1]]
    text = forged_proof([[["b", "m"], 1], [["o"], 2]], 1)
    certificate = json.loads(text)
    certificate["proof"].append({"cycle": good})
    assert verify(json.dumps(certificate))["claim"] == "inconsistent"
    for cases, steps in (
        ([[["o"], 1], [["b", "m"], 1]], 1),  # one step for both; what it is given last, it refutes
        ([[["b", "m"], 1], [["o"], 2]], 1),  # a step that does not exist
        ([[["b", "m"], 1], [["o"], 0]], 1),  # the split itself
        ([[["b", "m"], 1]], 1),  # no word about o
        ([[["b", "m"], 1], [["o"], 2]], 2),  # a step that does not fit its case
    ):
        with pytest.raises(Rejected):
            verify(forged_proof(cases, steps))


def test_an_entity_without_links_can_be_asked_about():
    network = Network([Link("1", "a", Relation.of("b"), "b")], ("z",))
    certificate = to_json(Oracle(network).certificate(("a", "b", "z")), ABOUT)
    assert certificate["claim"] == "open"
    assert verify(json.dumps(certificate))


def test_a_folder_is_known_by_its_files_and_their_names(tmp_path):
    """As docs/certificates.md defines it: the digest of the sorted lines "digest  name"."""
    names = ["b", "a", "z/c", "m/n/o", "a.b", "B"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"content of {name}")
    (tmp_path / "empty").mkdir()
    lines = sorted(f"{hashlib.sha256(f'content of {name}'.encode()).hexdigest()}  {name}\n" for name in names)
    assert digest(str(tmp_path)) == hashlib.sha256("".join(lines).encode()).hexdigest()
