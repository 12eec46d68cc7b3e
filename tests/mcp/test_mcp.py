"""The tool server: what each tool answers and refuses, and the server driven by the client of its SDK."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import get_type_hints

import pytest
from naive import atom_between, brute_force, random_network
from shared_data import shared
from shares import few

import temporacle as tp
from temporacle.cli import run
from temporacle.declared import parameters_of
from temporacle.mcp import arguments
from temporacle.mcp.server import TOOLS, call
from temporacle.mcp.tools import relation_sentence
from temporacle.relation import ATOM_WORDS, Relation
from temporacle.tasks import task_named

FERRY = [["left", "BEFORE", "docked"], ["docked", "b|m", "unloaded"]]
CIRCLE = [*FERRY, ["unloaded", "BEFORE", "left"]]
DATED = {"statements": [["left", "IS_INCLUDED", "t1"], ["left", "BEFORE", "docked"]], "values": {"t1": "1998-02-09"}}


def answer(tool, /, **given):
    reply = call(tool, given)
    assert not reply.is_error, reply
    return reply.content


def refused(tool, /, **given):
    reply = call(tool, given)
    assert reply.is_error, reply
    assert reply.content["error"]
    assert reply.content["cure"]
    assert "Traceback" not in reply.text
    return reply.text


# --- answers ---------------------------------------------------------------------------------------------------------


def test_a_conflict_is_a_sentence_and_can_be_given_back():
    found = answer("check", statements=CIRCLE)
    assert found["verdict"] == "inconsistent"
    assert "left BEFORE docked; docked b|m unloaded; unloaded BEFORE left" in found["message"]
    assert answer("check", statements=found["conflict"])["conflict"] == found["conflict"]
    for gone in found["conflict"]:
        rest = [each for each in found["conflict"] if each is not gone]
        assert answer("check", statements=rest)["verdict"] == "consistent"


def test_the_example_of_the_page():
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
    _configuration, given, shown = map(json.loads, re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    assert answer("check", **given).items() >= shown.items()


@pytest.mark.parametrize("seed", range(2))
def test_verdicts_relations_and_repairs_are_those_of_brute_force(seed):
    rng = Random(seed)
    names = ["w", "x", "y", "z"]
    for _ in range(40):
        triples = random_network(rng, names, rng.choice(["convex", "ord-horn", "arbitrary"]), 0.8)
        statements = [[source, str(relation), target] for source, relation, target in triples if relation]
        truth = brute_force([each for each in triples if each[1]], names)
        verdict = answer("check", statements=statements)["verdict"]
        assert verdict == ("inconsistent" if truth is None else "consistent")
        follows = answer("what_follows", statements=statements)
        if truth is None:
            assert follows["conflict"]
            gone = [each["id"] for each in answer("repair", statements=statements)["repair"]]
            kept = [each for number, each in enumerate(statements, 1) if f"l{number}" not in gone]
            assert len(kept) < len(statements)
            assert answer("check", statements=kept)["verdict"] == "consistent"
            continue
        for row in follows["relations"]:
            wanted = truth[row["source"], row["target"]]
            assert tuple(row["relation"]) == wanted.atoms
            asked = {"source": row["source"], "relation": "|".join(row["relation"]), "target": row["target"]}
            assert answer("entails", statements=statements, **asked)["verdict"] == "entailed"


def test_entailment_in_words():
    asked = {"source": "left", "relation": "BEFORE", "target": "unloaded"}
    found = answer("entails", statements=FERRY, **asked)
    assert found["verdict"] == "entailed"
    assert found["message"].endswith("This follows from: left BEFORE docked; docked b|m unloaded.")
    assert answer("entails", statements=FERRY, **asked | {"relation": "AFTER"})["verdict"] == "refuted"
    found = answer("entails", statements=FERRY, source="docked", relation="b", target="unloaded")
    assert found["verdict"] == "open"
    assert "docked ends before or when unloaded starts" in found["message"]
    assert answer("entails", statements=CIRCLE, **asked)["verdict"] == "inconsistent"


def test_what_follows_about_some_entities():
    statements = [["a", "BEFORE", "b"], ["b", "BEFORE", "c"], ["c", "BEFORE", "d"]]

    def pairs(**given):
        return [
            row["source"] + row["target"] for row in answer("what_follows", statements=statements, **given)["relations"]
        ]

    assert pairs() == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert pairs(only_new=True) == ["ac", "ad", "bd"]
    assert pairs(entities=["b"]) == ["ab", "bc", "bd"]
    assert pairs(entities=["a", "b", "d"]) == ["ab", "ad", "bd"]
    assert pairs(limit=2) == ["ab", "ac"]
    assert answer("what_follows", statements=statements, limit=2)["total"] == 6
    assert "no statement has an entity 'x'" in refused("what_follows", statements=statements, entities=["x"])


def test_repair_obeys_weights_and_protection():
    heavy = [{"source": "a", "relation": "BEFORE", "target": "b", "weight": 5}, ["b", "BEFORE", "a"]]
    assert [each["id"] for each in answer("repair", statements=heavy)["repair"]] == ["l2"]
    assert [each["id"] for each in answer("repair", statements=heavy, protect=["l2"])["repair"]] == ["l1"]
    found = answer("repair", statements=heavy, protect=["BEFORE"])
    assert found["repair"] is None
    assert len(found["unrepairable"]) == 2
    assert "'nothing'" in refused("repair", statements=heavy, protect=["nothing"])
    assert answer("repair", statements=FERRY)["repair"] == []


@pytest.mark.parametrize("metric", ["awareness", "closure", "core", "reduction"])
def test_scores_are_those_of_the_task(metric):
    rng = Random(metric)
    for _ in range(10):
        names = [f"e{number}" for number in range(6)]
        sides = [
            [
                [one, rng.choice(["BEFORE", "AFTER", "INCLUDES"]), other]
                for one, other in combinations(names, 2)
                if rng.random() < 0.4
            ]
            for _ in range(2)
        ]
        found = answer("score", gold=sides[0], system=sides[1], metric=metric)
        expected = tp.score(*([tuple(each) for each in side] for side in sides), metric=metric).to_dict()
        assert [found[name] for name in ("precision", "recall", "f1")] == [
            expected[name] for name in ("precision", "recall", "f1")
        ]


def test_a_score_names_what_is_wrong_and_missing():
    found = answer("score", gold=FERRY, system=[["left", "happened before", "docked"], ["unloaded", "BEFORE", "left"]])
    assert (found["verdict"], found["precision"]) == ("scored", 0.5)
    assert found["wrong"] == [["unloaded", "BEFORE", "left"]]
    assert found["missing"] == [["docked", "b|m", "unloaded"]]
    assert "Wrong: unloaded BEFORE left. Missing: docked b|m unloaded." in found["message"]
    assert "there is no argument system" in refused("score", gold=FERRY)
    assert "choose awareness" in refused("score", gold=FERRY, system=FERRY, metric="pairs")


@pytest.mark.parametrize(
    ("said", "label"),
    [("precedes", "BEFORE"), ("happened before", "BEFORE"), ("is before", "BEFORE"), ("occurred after", "AFTER"),
     ("follows", "AFTER"), ("during", "DURING"), ("is included in", "IS_INCLUDED"),
     ("at the same time as", "SIMULTANEOUS"), ("took place before", "BEFORE"), ("was equal to", "SIMULTANEOUS")],
)  # fmt: skip
def test_labels_as_models_write_them(said, label):
    given, plain = [["left", said, "docked"]], [["left", label, "docked"]]
    assert (
        answer("what_follows", statements=given)["relations"] == answer("what_follows", statements=plain)["relations"]
    )
    asked = {"statements": plain, "source": "left", "relation": said, "target": "docked"}
    assert answer("entails", **asked)["verdict"] == "entailed"
    pairs = [["left", "docked", {said: 0.9, "VAGUE": 0.1}]]
    assert answer("decode", pairs=pairs)["links"][0]["label"].upper() == label


def test_during_means_what_the_call_says():
    inside = {"statements": [["lunch", "during", "monday"]], "source": "lunch", "target": "monday"}
    assert answer("entails", **inside, relation="=")["verdict"] == "entailed"
    assert answer("entails", **inside, relation="d", during="is_included")["verdict"] == "entailed"
    assert answer("entails", **inside, relation="d", labels="dense")["verdict"] == "entailed"
    assert "choose simultaneous, is_included" in refused("entails", **inside, relation="d", during="inside")


def test_values_count():
    late = [["left", "AFTER", "t2"]]
    values = {"t1": "1998-02-09", "t2": "1998-02-11"}
    found = answer("check", statements=[*DATED["statements"], *late], values=values)
    assert {each["id"] for each in found["conflict"]} == {"l1", "l3", "t1", "t2"}
    assert "t1 = 1998-02-09" in found["message"]
    found = answer("bounds", **DATED, entities=["docked"], why=True)
    assert found["bounds"][0]["start"]["earliest"] == {"time": "1998-02-09T00:00:00", "attained": False}
    assert found["bounds"][0]["sentence"] == (
        "docked starts: after 1998-02-09T00:00 or later; ends: after 1998-02-09T00:00 or later"
    )
    assert answer("entails", **DATED, source="left", relation="BEFORE", target="1998-03")["verdict"] == "entailed"


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("objective", "key"), [("logprob", "log"), pytest.param("prob", "sum", marks=pytest.mark.slow)]
)
def test_all_golden_decodings(objective, key):
    cases = [json.loads(line) for line in (shared("golden", "decode") / "cases.jsonl").read_text("utf-8").splitlines()]
    assert cases
    for case in cases:
        found = answer("decode", **case["input"], objective=objective)
        assert found["verdict"] == case["expected"]["status"]
        if found["verdict"] == "optimal":
            assert found["objective"] == pytest.approx(case["expected"][key]["objective"], abs=1e-6)
            assert [link["label"] for link in found["links"]] in case["expected"][key]["optimal"]


def test_changed_labels_have_reasons():
    found = answer("decode", **TOOLS["decode"].example)
    assert [link["label"] for link in found["links"]] == ["BEFORE", "BEFORE", "AFTER"]
    assert "unloaded BEFORE left becomes AFTER" in found["message"]
    hard = answer("decode", **TOOLS["decode"].example, links=[["unloaded", "BEFORE", "left"]])
    assert hard["links"][2]["label"] == "BEFORE"


STEP = re.compile(r"x (start|end)s (.+) y (start|end)s")
WHEN = {
    "before": lambda a, b: a < b,
    "before or when": lambda a, b: a <= b,
    "when": lambda a, b: a == b,
    "after or when": lambda a, b: a >= b,
    "after": lambda a, b: a > b,
    "not when": lambda a, b: a != b,
}
Y = (2, 5)
X = {atom_between(x, Y): x for x in ((start, end) for start in range(8) for end in range(start + 1, 9))}
WORDS = {f"x {words.replace('the other', 'y')}": atom for atom, words in ATOM_WORDS.items()}


def meaning(sentence):
    """Return the atoms of which a sentence about x and y is true."""
    if sentence == "x and y can have any relation":
        return set(X)
    if sentence.startswith("either "):
        return {WORDS[part] for part in sentence.removeprefix("either ").split(", or ")}
    if "except: " in sentence:
        return set(X) - {WORDS[part] for part in sentence.partition("except: ")[2].split("; ")}
    steps = [STEP.fullmatch(step).groups() for step in sentence.split(", and ")]
    place = {"start": 0, "end": 1}
    return {
        atom for atom, x in X.items() if all(WHEN[when](x[place[mine]], Y[place[own]]) for mine, when, own in steps)
    }


def test_the_sentence_of_every_relation_means_it():
    for mask in range(1, 1 << 13):
        relation = Relation(mask)
        assert meaning(relation_sentence("x", relation, "y")) == set(relation.atoms)


# --- limits and errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "there is no argument statements"),
        ({"statements": FERRY, "path": "x"}, "unknown argument 'path'"),
        ({"statements": [["a", "BEFORE"]]}, "statements, item 1, is a list"),
        ({"statements": [["a", "BEFOR", "b"]]}, "did you mean BEFORE"),
        ({"statements": [["a", "", "b"]]}, "relation is"),
        ({"statements": [["a", "BEFORE", None]]}, "target is missing"),
        ({"statements": [["a", "BEFORE", "b\n"]]}, "control characters"),
        ({"statements": [["a", "BEFORE", "b" * 201]]}, "has 201 characters. give at most 200"),
        ({"statements": [["a", "BEFORE", "\ud800"]]}, "control characters"),
        ({"statements": [["a", "BEFORE", "b"]] * 1001}, "the limit is 1000"),
        ({"statements": [{"source": "a", "relation": ["b"], "label": "AFTER", "target": "b"}]}, "differ in meaning"),
        ({"statements": [{"source": "a", "relation": "b", "target": "b", "weight": 0}]}, "weight is 0"),
        ({"statements": [{"source": "a", "relation": "b", "target": "b", "file": "x"}]}, "unknown key 'file'"),
        ({"statements": [{"id": "l2", "source": "a", "relation": "b", "target": "b"}, *FERRY]}, "two statements"),
        ({"statements": FERRY, "budget": 0}, "time_limit is 0"),
        ({"statements": FERRY, "budget": float("nan")}, "time_limit is nan"),
        ({"statements": FERRY, "budget": -(10**400)}, "time_limit is a very large number"),
        ({"statements": FERRY, "values": {"left": "1998", " left": "1999"}}, "twice"),
        ({"statements": FERRY, "budget": "long"}, "time_limit is 'long'"),
        ({"statements": FERRY, "reading": ["timeml"]}, "labels is a list"),
        ({"statements": FERRY, "values": {"left": "1999-02-30"}}, "not a TIMEX3 value"),
        ({"statements": FERRY, "values": {"left": "2000-W7"}}, "write 2000-W07"),
        ({"statements": FERRY, "calendar": "roman"}, "choose within, exact"),
    ],
)
def test_refusals_name_cause_and_cure(given, message):
    assert message in refused("check", **given)


def test_refusals_of_scores():
    assert "there are no pairs" in refused("decode")
    for score in ("high", float("nan"), float("inf"), True, 1e300):
        assert "score of 'BEFORE'" in refused("decode", pairs=[["a", "b", {"BEFORE": score}]])
    assert "negative" in refused("decode", pairs=[["a", "b", {"BEFORE": -1}]])
    assert "unknown label" in refused("decode", pairs=[["a", "b", {"SOON": 1}]])
    assert "has 51 labels" in refused("decode", pairs=[["a", "b", {str(number): 1 for number in range(51)}]])
    assert "twice" in refused("decode", pairs=[["a", "b", {"BEFORE": 1, "BEFORE ": 2}]])
    assert "there are no values" in refused("bounds", statements=FERRY)
    assert "unknown tool 'read'" in refused("read", path="x")


def test_out_of_time_is_undecided():
    rng = Random(1)
    ends = [rng.sample(range(300), 2) for _ in range(200)]
    statements = [[f"e{x}", rng.choice(["b|bi", "m|d|bi", "b|m|o|fi"]), f"e{y}"] for x, y in ends]
    found = answer("what_follows", statements=statements, time_limit=1e-6)
    assert found["verdict"] == "undecided"
    assert "larger time_limit (at most 60 seconds)" in found["message"]
    asked = {"source": statements[0][0], "relation": "b", "target": statements[0][2]}
    assert answer("entails", statements=statements, **asked, time_limit=1e-6)["verdict"] == "undecided"
    assert arguments.budget_of({"time_limit": 10**400}) == arguments.budget_of({"time_limit": float("inf")}) == 60


def test_nothing_unforeseen_gets_out(monkeypatch):
    def broken(_given):
        raise RuntimeError("secret")

    monkeypatch.setitem(TOOLS, "check", replace(TOOLS["check"], answer=broken))
    assert refused("check", statements=[]).startswith("internal error: RuntimeError")


@pytest.mark.parametrize("name", TOOLS)
def test_schemas_fit_the_examples(name):
    jsonschema = pytest.importorskip("jsonschema")
    tool = TOOLS[name]
    jsonschema.validate(tool.example, tool.input_schema)
    jsonschema.validate(answer(name, **tool.example), tool.output_schema)
    assert len(answer(name, **tool.example)["message"]) > 20


# --- no file is opened -----------------------------------------------------------------------------------------------


def with_paths(path):
    """Yield calls that name a file wherever a call has room for a text."""
    pair = {"source": "a", "target": "b", "scores": {"BEFORE": 1}}
    for tool in TOOLS:
        yield tool, {"reading": path, "statements": FERRY} if tool != "decode" else {"reading": path, "pairs": [pair]}
        for name in TOOLS[tool].arguments:
            yield tool, {**TOOLS[tool].example, name: path}
            yield tool, {**TOOLS[tool].example, name: [path]}
    yield "check", {"statements": [{"path": path}]}
    yield "check", {"statements": [["a", path, "b"]]}
    yield "decode", {"pairs": [{**pair, "scores": path}]}


def test_a_path_is_never_opened(tmp_path):
    reading, document = tmp_path / "mine.toml", tmp_path / "d1.tsv"
    reading.write_text('[labels]\nSOON = "b"\n')
    document.write_text("a\tBEFORE\tb\n")
    opened, watching = [], True

    def watch(event, details):
        if watching and event in {"open", "os.listdir", "os.scandir"} and str(tmp_path) in str(details[0]):
            opened.append((event, details))

    sys.addaudithook(watch)  # hooks cannot be taken away again
    try:
        for path in (str(reading), str(document), str(tmp_path)):
            for tool, given in with_paths(path):
                reply = call(tool, given)
                named = {name for name, value in given.items() if value in (path, [path])}
                if not named <= {"source", "target", "document"}:  # there any text is a name
                    assert reply.is_error, (tool, given)
        assert "choose timeml" in refused("check", statements=FERRY, labels=str(reading))
        names = [[str(document), "BEFORE", str(reading)]]
        assert answer("check", statements=names)["verdict"] == "consistent"
    finally:
        watching = False
    assert not opened


# --- the server ------------------------------------------------------------------------------------------------------

WATCHED = """
import sys
def watch(event, details):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo") or "unwelcome" in str(details[:1]):
        print("SEEN", event, details, file=sys.stderr)
sys.addaudithook(watch)
from temporacle.cli import main
main(["serve", "mcp"])
"""


@pytest.mark.parametrize("mode", few(["auto", "legacy"]))
def test_the_client_of_the_sdk(mode, tmp_path):
    sdk = pytest.importorskip("mcp", reason="needs the extra: pip install -e '.[mcp]'")
    path = tmp_path / "unwelcome.toml"
    path.write_text('[labels]\nSOON = "b"\n')

    async def session(errors):
        server = sdk.StdioServerParameters(command=sys.executable, args=["-c", WATCHED])
        async with sdk.Client(sdk.stdio_client(server, errlog=errors), mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == list(TOOLS)
            assert all(tool.description and tool.input_schema["properties"] for tool in tools)
            for tool in tools:
                reply = await client.call_tool(tool.name, tool.input_schema["examples"][0])
                assert not reply.is_error
                assert reply.structured_content["message"]
                assert json.loads(reply.content[0].text) == reply.structured_content
            found = await client.call_tool("check", {"statements": CIRCLE})
            assert found.structured_content["verdict"] == "inconsistent"
            for given in ({"statements": FERRY, "reading": str(path)}, {"statements": str(path)}, {"statements": 7}):
                found = await client.call_tool("check", given)
                assert found.is_error
                assert found.structured_content["cure"]
                assert "Traceback" not in found.content[0].text
            assert (await client.call_tool("read", {"path": str(path)})).is_error
            several = [client.call_tool("check", {"statements": each}) for each in (FERRY, CIRCLE, FERRY)]
            verdicts = [each.structured_content["verdict"] for each in await asyncio.gather(*several)]
            assert verdicts == ["consistent", "inconsistent", "consistent"]

    with (tmp_path / "errors").open("w+") as errors:
        asyncio.run(session(errors))
        errors.seek(0)
        assert errors.read() == ""


def test_standard_output_is_for_the_protocol():
    pytest.importorskip("mcp", reason="needs the extra: pip install -e '.[mcp]'")
    done = subprocess.run(
        [sys.executable, "-m", "temporacle", "serve", "mcp"],
        input="not json\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    for line in done.stdout.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_a_signal_ends_the_server():
    pytest.importorskip("mcp", reason="needs the extra: pip install -e '.[mcp]'")
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    command = [sys.executable, "-m", "temporacle", "serve", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        server.stdin.write(json.dumps(hello) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "temporacle"
        server.terminate()
        try:
            assert server.wait(30) == -signal.SIGTERM
        finally:
            server.kill()


def request(method, params, identity=None):
    sent = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(sent if identity is None else {**sent, "id": identity}) + "\n"


def test_cancelled_calls_delay_nothing():
    """Twenty calls that would take a minute each are cancelled, and the next call is answered."""
    pytest.importorskip("mcp", reason="needs the extra: pip install -e '.[mcp]'")
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    chosen, names = Random(5), [f"e{number}" for number in range(70)]
    pairs = [(one, other) for one, other in combinations(names, 2) if chosen.random() < 0.14]
    hard = [[one, "|".join(chosen.sample(sorted(ATOM_WORDS), 6)), other] for one, other in pairs]
    command = [sys.executable, "-m", "temporacle", "serve", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            server.stdin.write(request("initialize", about, 1) + request("notifications/initialized", {}))
            for number in range(20):
                asked = {"name": "what_follows", "arguments": {"statements": hard, "time_limit": 60}}
                server.stdin.write(request("tools/call", asked, 100 + number))
            for number in range(20):
                server.stdin.write(request("notifications/cancelled", {"requestId": 100 + number}))
            server.stdin.write(request("tools/call", {"name": "check", "arguments": {"statements": FERRY}}, 2))
            server.stdin.flush()
            while (reply := json.loads(server.stdout.readline()))["id"] != 2:
                pass
            assert reply["result"]["structuredContent"]["verdict"] == "consistent"
            server.stdin.close()
            assert server.wait(30) == 0
        finally:
            server.kill()


def test_lines_that_are_no_requests_are_answered():
    pytest.importorskip("mcp", reason="needs the extra: pip install -e '.[mcp]'")
    half = {"name": "check", "arguments": {"statements": [["\ud83d", "b", "x"]]}}
    lines = (
        (request("tools/call", half, 3), 3, "half a character"),
        ("not JSON\n", None, "not JSON"),
        ("[" * 100_000 + "\n", None, "not JSON"),
        ("[1, 2]\n", None, "not a request"),
        ('{"jsonrpc": "1.0", "id": 8, "method": "tools/list"}\n', 8, "not a request"),
        ('{"jsonrpc": "2.0", "id": "\\ud83d", "method": "tools/list"}\n', None, "half a character"),
    )
    command = [sys.executable, "-m", "temporacle", "serve", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            for line, identity, cause in lines:
                server.stdin.write("\n" + line)
                server.stdin.flush()
                reply = json.loads(server.stdout.readline())
                assert reply["id"] == identity
                assert cause in reply["error"]["message"]
        finally:
            server.kill()


def test_without_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert run(["serve", "mcp"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "pip install 'temporacle[mcp]'" in output.err


@pytest.mark.parametrize(
    ("tool", "task", "names"),
    [
        ("check", "check", ("labels", "during", "calendar", "time_limit")),
        ("repair", "check", ("labels", "during", "calendar", "time_limit", "protect")),
        ("entails", "entails", ("labels", "during", "calendar", "time_limit")),
        ("what_follows", "closure", ("labels", "during", "calendar", "time_limit")),
        ("decode", "decode", ("labels", "during", "objective", "margins", "time_limit")),
        ("bounds", "bounds", ("labels", "during", "calendar", "time_limit", "entities", "why")),
        ("score", "score", ("labels", "during", "time_limit")),
    ],
)
def test_schemas_are_those_of_the_tasks_with_the_limits_of_a_call(tool, task, names):
    known = parameters_of(task_named(task))
    for name in names:
        has, said = TOOLS[tool].arguments[name], known[name].schema()
        assert has["type"] == said["type"]
        assert name == "time_limit" or has["description"] == said["description"]
        assert set(has.get("enum", ())) <= set(said["enum"]) if "enum" in said else True


WHOLE = {  # an item with every declared key
    "statements": {"id": "s1", "source": "a", "relation": ["b"], "label": "BEFORE", "target": "b", "weight": 2},
    "pairs": {"id": "p1", "source": "a", "target": "b", "scores": {"BEFORE": 0.9, "AFTER": None}},
}


@pytest.mark.parametrize(
    ("tool", "argument", "declaration"),
    [
        ("check", "statements", arguments.Statement),
        ("score", "gold", arguments.Statement),
        ("decode", "links", arguments.Statement),
        ("decode", "pairs", arguments.Pair),
    ],
)
def test_schemas_of_statements_and_pairs_are_those_of_their_declarations(tool, argument, declaration):
    hints = get_type_hints(declaration, include_extras=True)
    schema = TOOLS[tool].arguments[argument]
    triple, whole = schema["items"]["anyOf"]
    assert (triple["minItems"], triple["maxItems"]) == (3, 3)
    assert schema["maxItems"] == arguments.MOST_STATEMENTS
    assert list(whole["properties"]) == list(hints)
    assert whole["required"] == [name for name in hints if "NotRequired" not in str(hints[name])]
    for name, kind in hints.items():
        assert whole["properties"][name] == arguments.schema_of(kind)


def test_a_schema_is_made_from_a_declaration():
    assert arguments.schema_of(arguments.Pair) == {
        "type": "object",
        "properties": {
            "id": {"type": ["string", "integer"], "maxLength": 200},
            "source": {"type": ["string", "integer"], "maxLength": 200},
            "target": {"type": ["string", "integer"], "maxLength": 200},
            "scores": {
                "type": "object",
                "additionalProperties": {"type": ["number", "null"]},
                "minProperties": 1,
                "maxProperties": 50,
            },
        },
        "required": ["source", "target", "scores"],
    }


@pytest.mark.parametrize(("argument", "tool"), [("statements", "check"), ("pairs", "decode")])
def test_a_call_takes_every_declared_key_and_needs_those_that_the_schema_requires(argument, tool):
    whole = WHOLE[argument]
    declared = TOOLS[tool].arguments[argument]["items"]["anyOf"][1]
    assert whole.keys() == declared["properties"].keys()
    assert not call(tool, {argument: [whole]}).is_error
    assert "unknown key" in call(tool, {argument: [whole | {"colour": "red"}]}).text
    for name in declared["required"]:
        assert call(tool, {argument: [{key: each for key, each in whole.items() if key != name}]}).is_error
    for name in whole.keys() - set(declared["required"]):
        assert not call(tool, {argument: [{key: each for key, each in whole.items() if key != name}]}).is_error
