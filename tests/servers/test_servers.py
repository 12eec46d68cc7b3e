"""The servers of annotation tools, asked as the tools ask them."""

import json
import re
import threading
from contextlib import contextmanager
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, HTTPServer
from random import Random

import pytest

starlette = pytest.importorskip("starlette", reason="servers need the extra: pip install -e '.[serve]'")
from starlette.testclient import TestClient  # noqa: E402

import temporacle as tp  # noqa: E402
from temporacle.errors import UsageError  # noqa: E402
from temporacle.io.source import Options  # noqa: E402
from temporacle.servers import inception, label_studio  # noqa: E402
from temporacle.servers.door import Door, require_token  # noqa: E402

CONFIG = """<View><Labels name="l" toName="t"><Label value="EVENT"/></Labels><Text name="t" value="$text"/>
<Relations><Relation value="BEFORE"/><Relation value="AFTER"/><Relation value="VAGUE"/></Relations></View>"""
WORDS = ("left", "docked", "slept", "woke")


def client(app, token=None):
    return TestClient(Door(app, token, "127.0.0.1", 9090), base_url="http://127.0.0.1:9090")


def region(number, **more):
    word = WORDS[number % len(WORDS)]
    value = {"start": number * 10, "end": number * 10 + len(word), "text": word, "labels": ["EVENT"]}
    return {"id": f"r{number}", "from_name": "l", "to_name": "t", "type": "labels", "value": value, **more}


def relation(source, label, target, direction="right"):
    return {
        "type": "relation", "from_id": f"r{source}", "to_id": f"r{target}", "direction": direction, "labels": [label],
    }  # fmt: skip


CHAIN = [region(0), region(1), region(2), relation(0, "BEFORE", 1), relation(1, "BEFORE", 2)]
RING = [*CHAIN, relation(0, "AFTER", 2)]


# --- the door ---------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[label_studio, inception], ids=["label-studio", "inception"])
def app(request):
    return request.param.application(Options(), seconds=5)


def test_a_token_is_needed_if_there_is_one(app):
    asked = client(app, "secret")
    assert asked.get("/health").status_code == 401
    assert asked.get("/health", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert asked.get("/health?token=secre").status_code == 401
    assert asked.get("/health", headers={"Authorization": "Bearer secret"}).json()["status"] == "UP"
    assert asked.get("/health?token=secret").status_code == 200
    assert asked.get("/health", auth=("anyone", "secret")).status_code == 200
    for user, password in (("secret", ""), ("secret", "wrong"), ("", "secret:")):
        assert asked.get("/health", auth=(user, password)).status_code == 401
    assert asked.get("/health", headers={"Authorization": "Basic secret"}).status_code == 401
    assert asked.get("/health", headers={"Authorization": "Basic \u00e9".encode("latin-1")}).status_code == 401
    assert asked.get("/health?token=secret", headers={"Host": "ls.example"}).status_code == 200


def test_without_a_token_only_the_bound_address_is_answered(app):
    asked = client(app)
    assert asked.get("/health").status_code == 200
    assert asked.get("/health", headers={"Host": "localhost:9090"}).status_code == 200
    assert asked.get("/health", headers={"Host": "evil.example"}).status_code == 403
    assert "access-control-allow-origin" not in asked.get("/health", headers={"Origin": "http://evil.example"}).headers


def test_other_machines_need_a_token():
    require_token("127.0.0.1", None)
    require_token("0.0.0.0", "secret")
    with pytest.raises(UsageError, match="token"):
        require_token("0.0.0.0", None)


def test_bodies_are_limited_and_must_be_json(app):
    asked = client(app)
    path = "/setup" if "/setup" in [route.path for route in app.routes] else "/entailed/train"
    assert asked.post(path, content="{}", headers={"content-type": "text/plain"}).status_code == 415
    large = {"content-type": "application/json", "content-length": str(Door.largest_body + 1)}
    assert asked.post(path, content="{}", headers=large).status_code == 413

    def pieces():
        for _ in range(Door.largest_body // (1 << 20) + 1):
            yield b" " * (1 << 20)

    assert asked.post(path, content=pieces(), headers={"content-type": "application/json"}).status_code == 413


def test_no_body_and_no_token_is_logged(app, capfd):
    asked = client(app, "secret-token")
    for path in ("/setup", "/predict", "/webhook", "/entailed/predict"):
        body = {"access_token": "secret-body", "document": {"xmi": "secret-body"}, "tasks": [{"x": "secret-body"}]}
        asked.post(f"{path}?token=secret-token", json=body)
        asked.post(path, json=body)
    out, err = capfd.readouterr()
    assert not out
    assert "secret" not in err
    assert all(re.fullmatch(r"POST /[\w/]+ \d{3} \d+ ms", line) for line in err.splitlines())
    assert len(err.splitlines()) == 8


# --- Label Studio -----------------------------------------------------------------------------------------------------


@pytest.fixture
def studio():
    return client(label_studio.application(Options(), seconds=5))


def predicted(studio, results, config=CONFIG, **more):
    body = {"tasks": [{"id": 1, "data": {"text": "x"}, "annotations": [{"id": 1, "result": results}]}], **more}
    (found,) = studio.post("/predict", json={**body, "label_config": config, "project": "3.17"}).json()["results"]
    assert found["score"] == 1.0
    assert found["model_version"] == label_studio.VERSION
    relations = [each for each in found["result"] if each["type"] == "relation"]
    return [(each["from_id"], *each["labels"], each["to_id"]) for each in relations]


def test_links_that_follow_are_suggested(studio):
    assert studio.post("/setup", json={"project": "3.17", "schema": CONFIG}).json() == {
        "model_version": f"temporacle-{tp.__version__}"
    }
    assert predicted(studio, CHAIN) == [("r0", "BEFORE", "r2")]
    assert predicted(studio, CHAIN, config=None) == [("r0", "BEFORE", "r2")]  # as announced
    only_after = CONFIG.replace('<Relation value="BEFORE"/>', "")
    assert predicted(studio, CHAIN, config=only_after) == [("r2", "AFTER", "r0")]
    twice = CONFIG.replace('value="VAGUE"', 'value="BEFORE|IBEFORE"')
    assert predicted(studio, CHAIN, config=twice) == []  # two labels follow: which one is meant is not known
    assert predicted(studio, RING) == []
    assert predicted(studio, CHAIN[:4]) == []


def test_the_screen_counts_before_what_is_stored(studio):
    context = {"params": {"context": {"result": CHAIN}}}
    assert predicted(studio, CHAIN[:4], **context) == [("r0", "BEFORE", "r2")]


def test_at_most_fifty_are_suggested_the_nearest_first(studio):
    results = [region(k) for k in range(40)] + [relation(k, "BEFORE", k + 1) for k in range(39)]
    found = predicted(studio, results)
    assert len(found) == 50
    distances = [int(target[1:]) - int(source[1:]) for source, _, target in found]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    "body",
    [None, [], 7, {}, {"tasks": 3}, {"tasks": [3]}, {"tasks": [{"annotations": [{"result": [{"type": "relation"}]}]}]}],
)
def test_what_cannot_be_used_gets_an_empty_answer(studio, body):
    headers = {"content-type": "application/json"}
    answer = studio.post("/predict", content=json.dumps(body), headers=headers)
    assert answer.status_code == 200
    assert all(each["result"] == [] for each in answer.json()["results"])
    assert studio.post("/webhook", content=json.dumps(body), headers=headers).status_code == 202


def saved(studio, results, *, name=7, at="2026-01-01T00:00:01Z", action="ANNOTATION_UPDATED"):
    annotation = {"id": name, "result": results, "task": 5, "updated_at": at}
    assert studio.post("/webhook", json={"action": action, "annotation": annotation, "project": {"id": 3}}).is_success
    return {each["annotation"]: each for each in studio.get("/verdicts").json()["verdicts"]}


def test_verdicts_on_saved_annotations(studio):
    row = saved(studio, RING, action="ANNOTATION_CREATED")[7]
    assert (row["verdict"], row["task"], row["project"], row["links"]) == ("inconsistent", 5, 3, 3)
    assert row["conflicts"] == ["left BEFORE docked, docked BEFORE slept, left AFTER slept"]
    assert saved(studio, CHAIN, at="2026-01-01T00:00:02Z")[7]["verdict"] == "consistent"
    assert saved(studio, RING)[7]["verdict"] == "consistent"  # an older event that came late
    assert saved(studio, CHAIN[:3], name=8)[8]["verdict"] == "consistent"
    several = [{"id": 9, "result": RING, "task": 6}, {"id": 10, "result": CHAIN, "task": 7}]
    assert studio.post("/webhook", json={"action": "ANNOTATIONS_CREATED", "annotation": several}).is_success
    assert [(each["task"], each["verdict"]) for each in studio.get("/verdicts").json()["verdicts"][:2]] == [
        (7, "consistent"), (6, "inconsistent")
    ]  # fmt: skip
    gone = [{"id": name} for name in (7, 9, 10)]
    body = {"action": "ANNOTATIONS_DELETED", "annotations": gone}
    assert studio.post("/webhook", json=body).is_success
    assert [each["annotation"] for each in studio.get("/verdicts").json()["verdicts"]] == [8]


def test_the_page_escapes_everything(studio):
    hostile = [
        region(0, value={"start": 0, "end": 1, "text": "<script>alert(1)</script>", "labels": ["EVENT"]}),
        *RING[1:],
    ]
    saved(studio, hostile)
    page = studio.get("/").text
    assert "<script" not in page
    assert "&lt;script&gt;" in page


class Studio(BaseHTTPRequestHandler):
    """A Label Studio: it keeps what was sent, and answers with what is stored if it knows that."""

    def do_GET(self):
        name = int(self.path.rstrip("/").rpartition("/")[2])
        if self.server.stored is None:
            self.send_response(405)
        else:
            self.send_response(200 if name in self.server.stored else 404)
        self.end_headers()
        if self.server.stored is not None and name in self.server.stored:
            self.wfile.write(json.dumps({"id": name, "result": self.server.stored[name]}).encode())

    def do_PATCH(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.calls.append((self.path, self.headers["authorization"], body["result"]))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def label_studio_server():
    server = HTTPServer(("127.0.0.1", 0), Studio)
    server.calls, server.status, server.stored = [], 200, None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def test_notes_are_written_once_and_taken_away_again():
    with label_studio_server() as server:
        notes = label_studio.Notes(f"http://127.0.0.1:{server.server_port}", "key")
        studio = client(label_studio.application(Options(), seconds=5, notes=notes))
        own = [region(0, meta={"text": ["mine"]}), *RING[1:]]
        saved(studio, own)
        ((path, authorization, noted),) = server.calls
        assert (path, authorization) == ("/api/annotations/7/", "Token key")
        note = "temporacle: conflict 1: left BEFORE docked, docked BEFORE slept, left AFTER slept"
        assert [each.get("meta") for each in noted] == [
            {"text": ["mine", note]}, {"text": [note]}, {"text": [note]}, None, None, None,
        ]  # fmt: skip
        saved(studio, noted, at="2026-01-01T00:00:02Z")  # what the PATCH itself causes
        saved(studio, noted, at="2026-01-01T00:00:02Z")  # twice
        saved(studio, own, at="2026-01-01T00:00:01Z")  # late
        assert len(server.calls) == 1
        corrected = noted[:-1]
        saved(studio, corrected, at="2026-01-01T00:00:03Z")
        assert len(server.calls) == 2
        assert server.calls[1][2] == own[:-1]
        saved(studio, own[:-1], at="2026-01-01T00:00:04Z")
        assert len(server.calls) == 2


def test_a_server_that_drops_notes_is_not_asked_again():
    with label_studio_server() as server:
        notes = label_studio.Notes(f"http://127.0.0.1:{server.server_port}", "key")
        studio = client(label_studio.application(Options(), seconds=5, notes=notes))
        for second in range(5):
            saved(studio, RING, at=f"2026-01-01T00:00:0{second}Z")
        assert len(server.calls) == 1
        server.status = 404  # the annotation is gone: the next change is tried
        other = [*RING, region(3)]
        assert saved(studio, other, at="2026-01-01T00:00:09Z")[7]["noted"] is False
        assert len(server.calls) == 2


def test_notes_are_written_on_what_is_stored():
    """An event can be older than what was saved since: notes on it would undo the annotator's work."""
    with label_studio_server() as server:
        notes = label_studio.Notes(f"http://127.0.0.1:{server.server_port}", "key")
        studio = client(label_studio.application(Options(), seconds=5, notes=notes))
        server.stored = {7: CHAIN}
        assert saved(studio, RING)[7]["verdict"] == "consistent"
        assert not server.calls
        server.stored = {7: [*RING, region(3)]}
        assert saved(studio, RING, at="2026-01-01T00:00:02Z")[7]["verdict"] == "inconsistent"
        ((_, _, noted),) = server.calls
        assert [each["id"] for each in noted if each["type"] == "labels"] == ["r0", "r1", "r2", "r3"]
        server.stored = {}
        assert 7 not in saved(studio, [*RING, region(4)], at="2026-01-01T00:00:03Z")
        assert len(server.calls) == 1


def test_notes_that_a_stale_editor_removes_come_back():
    with label_studio_server() as server:
        notes = label_studio.Notes(f"http://127.0.0.1:{server.server_port}", "key")
        studio = client(label_studio.application(Options(), seconds=5, notes=notes))
        saved(studio, RING)
        noted = server.calls[0][2]
        saved(studio, noted, at="2026-01-01T00:00:02Z")
        saved(studio, RING, at="2026-01-01T00:00:03Z")
        assert [each[2] for each in server.calls] == [noted, noted]


def test_an_event_about_a_deleted_annotation_that_comes_late_is_left_alone(studio):
    saved(studio, RING)
    studio.post("/webhook", json={"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 7}]})
    assert saved(studio, RING, at="2026-01-01T00:00:09Z") == {}


def test_a_note_on_a_long_conflict_stays_readable(studio):
    results = [region(k) for k in range(60)] + [relation(k, "BEFORE", (k + 1) % 60) for k in range(60)]
    (words,) = saved(studio, results)[7]["conflicts"]
    assert words.endswith("and 40 more links")
    assert len(words) < 1000


def test_at_most_a_thousand_verdicts_are_kept(studio):
    for number in range(1005):
        kept = studio.post(
            "/webhook", json={"action": "ANNOTATION_CREATED", "annotation": {"id": number, "result": []}}
        )
        assert kept.is_success
    rows = studio.get("/verdicts").json()["verdicts"]
    assert [each["annotation"] for each in rows] == list(range(1004, 4, -1))


def test_relations_of_the_screen_are_those_of_its_draft_or_stored(studio):
    """The editor sends the regions of the screen alone."""
    drafts = [
        {"updated_at": "2026-01-01T00:00:02Z", "result": CHAIN},
        {"updated_at": "2026-01-01T00:00:01Z", "result": CHAIN[:4]},
    ]
    task = {"id": 1, "data": {}, "annotations": [], "drafts": drafts}
    body = {"tasks": [task], "label_config": CONFIG, "project": "3.17", "params": {"context": {"result": CHAIN[:3]}}}
    (found,) = studio.post("/predict", json=body).json()["results"]
    assert found["result"] == [relation(0, "BEFORE", 2)]
    task["drafts"], task["annotations"] = [], [{"result": CHAIN}]
    assert studio.post("/predict", json=body).json()["results"][0]["result"] == [relation(0, "BEFORE", 2)]
    body["params"] = {"context": {"result": CHAIN[1:3]}}
    assert studio.post("/predict", json=body).json()["results"][0]["result"] == []


def test_a_stored_prediction_brings_the_regions_of_its_relations(studio):
    """The editor of Label Studio ends with an error if a prediction relates regions that it does not have."""
    results = [*CHAIN, region(3)]
    body = {"tasks": [{"id": 1, "annotations": [{"result": results}]}], "label_config": CONFIG, "project": "3.17"}
    body["params"] = {"login": None, "password": None, "context": None}
    (found,) = studio.post("/predict", json=body).json()["results"]
    assert found["result"] == [relation(0, "BEFORE", 2), region(0), region(2)]


def test_many_requests_at_once(studio):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(predicted(studio, CHAIN))) for _ in range(40)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert answers == [[("r0", "BEFORE", "r2")]] * 40


def places(value, path=()):
    """Yield the way to each value within a value."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(value[key], (*path, key))


STRANGE = [
    None,
    True,
    -1,
    1e400,
    float("nan"),
    "",
    "x",
    "\ud800",
    "\0",
    [],
    {},
    [[]],
    {"id": 1},
    10**30,
    ["BEFORE"],
    "b|",
]


@pytest.mark.parametrize("seed", range(6))
def test_damaged_requests_break_nothing(seed, capfd):
    chosen = Random(seed)
    task = {"id": 1, "annotations": [{"result": CHAIN}], "drafts": [{"updated_at": "2", "result": CHAIN}]}
    asked = {"tasks": [task], "label_config": CONFIG, "project": "3.1"}
    event = {"action": "ANNOTATION_CREATED", "annotation": {"id": 7, "result": RING, "task": 1}, "project": {"id": 3}}
    requests = [
        ("label-studio", "/predict", {**asked, "params": {"context": None}}),
        ("label-studio", "/predict", {**asked, "params": {"context": {"result": CHAIN}}}),
        ("label-studio", "/setup", {"project": "3.1", "schema": CONFIG}),
        ("label-studio", "/webhook", event),
        ("label-studio", "/webhook", {"action": "ANNOTATIONS_DELETED", "annotations": [{"id": 7}]}),
        ("inception", "/entailed/predict", {"metadata": RELATION, "document": {"xmi": XMI}}),
        ("inception", "/conflicts/predict", {"metadata": RELATION, "document": {"xmi": TORN}}),
    ]
    asks = {"label-studio": client(label_studio.application(Options(), seconds=5))}
    asks["inception"] = client(inception.application(Options(), seconds=5))
    for _ in range(40):
        server, path, body = chosen.choice(requests)
        damaged = json.loads(json.dumps(body))
        for _ in range(chosen.randint(1, 3)):
            if ways := list(places(damaged)):
                *way, last = chosen.choice(ways)
                owner = damaged
                for key in way:
                    owner = owner[key]
                owner[last] = deepcopy(chosen.choice(STRANGE))
        sent = asks[server].post(path, content=json.dumps(damaged), headers={"content-type": "application/json"})
        assert sent.status_code in {200, 202} if server == "label-studio" else {200, 400}, damaged
        for shown in ("/verdicts", "/"):
            assert asks["label-studio"].get(shown).status_code == 200, damaged
    assert "internal error" not in capfd.readouterr().err


def test_an_error_of_our_own_is_an_empty_answer(studio, recommender, monkeypatch, capfd):
    def broken(*_):
        raise KeyError("secret of a body")

    monkeypatch.setattr(label_studio, "suggested", broken)
    monkeypatch.setattr(inception, "suggested", broken)
    assert predicted(studio, CHAIN) == []
    assert answered(recommender, "entailed", XMI) == XMI
    said = capfd.readouterr().err
    assert said.count("internal error: KeyError at test_servers.py") == 2
    assert "secret" not in said


# --- INCEpTION --------------------------------------------------------------------------------------------------------

XMI = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:cas="http:///uima/cas.ecore" xmlns:xmi="http://www.omg.org/XMI" xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
    <cas:NULL xmi:id="0"/>
    <custom:EVENT xmi:id="10" sofa="1" begin="10" end="14"/>
    <custom:EVENT xmi:id="11" sofa="1" begin="20" end="26"/>
    <custom:EVENT xmi:id="12" sofa="1" begin="30" end="35"/>
    <custom:TLINK xmi:id="30" sofa="1" begin="20" end="26" Dependent="11" Governor="10" relType="BEFORE"/>
    <custom:TLINK xmi:id="31" sofa="1" begin="30" end="35" Dependent="12" Governor="11" relType="BEFORE"/>
    <!-- more -->
    <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="The ferry left and  docked.   Slept &amp; woke."/>
    <cas:View sofa="1" members="10 11 12 30 31"/>
</xmi:XMI>
"""  # noqa: E501
THIRD = '    <custom:TLINK xmi:id="32" sofa="1" begin="30" end="35" Dependent="10" Governor="12" relType="BEFORE"/>\n'
TORN = XMI.replace("    <!-- more -->\n", THIRD).replace("30 31", "30 31 32")
RELATION = {"layer": "webanno.custom.TLINK", "feature": "relType", "projectId": 1}


@pytest.fixture
def recommender():
    return client(inception.application(Options(), seconds=5))


def answered(recommender, name, xmi, metadata=RELATION):
    body = {"metadata": metadata, "typeSystem": "", "document": {"xmi": xmi, "documentId": 1, "userId": "u"}}
    headers = {"content-type": "application/json"}
    return recommender.post(f"/{name}/predict", content=json.dumps(body), headers=headers).json()["document"]


def added(before, after):
    """Return what stands in one text and not in the other, and assert that nothing else has changed."""
    from difflib import SequenceMatcher

    found = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        assert kind in {"equal", "insert"}, before[i:j]
        found += [after[k:m]] if kind == "insert" else []
    return "".join(found)


def test_links_that_follow_are_recommended(recommender):
    found = answered(recommender, "entailed", XMI)
    assert (
        '<custom:TLINK xmi:id="32" sofa="1" begin="30" end="35" Governor="10" Dependent="12" relType="BEFORE" '
        'relType_score="1.0" relType_score_explanation="follows from: left BEFORE docked; docked BEFORE Slept" '
        'inception_internal_predicted="true"/>'
    ) in found
    assert '<cas:View sofa="1" members="10 11 12 30 31 32"/>' in found
    lines = found.splitlines()
    assert [line for line in lines if 'xmi:id="32"' not in line and "View" not in line] == [
        line for line in XMI.splitlines() if "View" not in line
    ]
    assert answered(recommender, "entailed", TORN) == TORN


def test_ends_of_conflicts_are_recommended(recommender):
    metadata = {"layer": "webanno.custom.Conflict", "feature": "value"}
    assert answered(recommender, "conflicts", XMI, metadata) == XMI
    found = answered(recommender, "conflicts", TORN, metadata)
    new = re.findall(r"<custom:Conflict [^>]*>", found)
    assert [re.search(r'begin="(\d+)"', each)[1] for each in new] == ["10", "20", "30"]
    assert all('value="1"' in each and "These links contradict each other" in each for each in new)
    other = answered(recommender, "conflicts", TORN, {"layer": "my.layers.Conflict", "feature": "value"})
    assert '<layer:Conflict xmlns:layer="http:///my/layers.ecore"' in other
    assert tp.read(other, format="xmi", name="d").links == tp.read(TORN, format="xmi", name="d").links


@pytest.mark.parametrize("xmi", ["", "x", XMI[:400], "<a/>", XMI.replace("BEFORE", "BEFOR"), "\ud800"])
def test_a_document_that_cannot_be_used_comes_back_unchanged(recommender, xmi):
    for name in ("entailed", "conflicts"):
        assert answered(recommender, name, xmi) == xmi


def test_requests_that_cannot_be_used(recommender):
    assert recommender.post("/entailed/predict", json={}).status_code == 400
    assert recommender.post("/entailed/predict", json=[1]).status_code == 400
    assert recommender.post("/other/predict", json={"document": {"xmi": XMI}}).status_code == 404
    assert recommender.post("/entailed/train", json={}).status_code == 204
    assert answered(recommender, "entailed", XMI, None) == XMI
    assert answered(recommender, "entailed", XMI, {"layer": "a b", "feature": "x"}) == XMI
