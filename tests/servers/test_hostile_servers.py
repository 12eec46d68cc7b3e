"""The servers as a process of their own, asked on loopback by clients that mean no good."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from test_servers import CHAIN, CONFIG, RING, XMI, region, relation

pytest.importorskip("starlette", reason="servers need the extra: pip install -e '.[serve]'")
SECRET = "s3cret-body"  # in every body that is sent
JSON = {"content-type": "application/json"}


class Server:
    def __init__(self, address, log):
        self.port, self.log = int(address.rpartition(":")[2]), log

    def ask(self, method, path, body=None, **headers):
        """Return status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, data, {**(JSON if method == "POST" else {}), **headers})
            answer = connection.getresponse()
            return answer.status, {name.lower() for name, _ in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def lines(self):
        return self.log.read_text().splitlines()


@contextmanager
def started(folder, *options, **environment):
    log = folder / "log"
    command = [sys.executable, "-m", "temporacle", "serve", *options, "--port", "0"]
    with log.open("w") as errors:
        place = {**os.environ, **environment}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=place, cwd=folder)
        try:
            yield Server(process.stdout.readline().strip(), log)
        finally:
            process.terminate()
            assert process.wait(30) == 0
            process.stdout.close()


@pytest.mark.parametrize("name", ["label-studio", "inception"])
def test_without_the_token_nothing_is_answered(name, tmp_path):
    with started(tmp_path, name, TEMPORACLE_TOKEN="t0ken") as server:
        for path in ("/health", "/", "/verdicts"):
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "t0ken"}, {"Host": "localhost"}):
                assert server.ask("GET", path, **headers)[0] == 401
        assert server.ask("POST", "/predict?token=t0ke", {"x": SECRET})[0] == 401
        status, names, _ = server.ask("GET", "/health?token=t0ken", Origin="http://evil.example")
        assert status == 200
        assert not [each for each in names if each.startswith("access-control")]
        assert server.ask("GET", "/health", Authorization="Bearer t0ken")[0] == 200
        assert server.ask("OPTIONS", "/predict?token=t0ken", Origin="http://evil.example")[0] in {404, 405}
    log = server.log.read_text()
    assert "t0ken" not in log
    assert "t0ke" not in log
    assert SECRET not in log


def test_a_body_of_a_hundred_megabytes_is_refused(tmp_path):
    with started(tmp_path, "label-studio") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
            head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            raw.sendall(f"{head}Content-Length: {100 << 20}\r\n\r\n".encode())
            assert b" 413 " in raw.recv(100)
        chunk = b"x" * (1 << 20)
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as raw:
            raw.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            try:
                for _ in range(100):
                    raw.sendall(b"100000\r\n" + chunk + b"\r\n")
            except OSError:
                pass  # the server has hung up
            else:
                assert b" 413 " in raw.recv(100)
        assert server.ask("GET", "/health")[0] == 200
    assert sum(" /predict 413 " in line for line in server.lines()) == 2


def test_ten_thousand_regions_do_not_keep_others_waiting(tmp_path):
    results = [region(k) for k in range(10_000)] + [relation(k, "BEFORE", (k + 1) % 10_000) for k in range(10_000)]
    saved = {"action": "ANNOTATION_CREATED", "annotation": {"id": 5, "result": results}}
    with started(tmp_path, "label-studio") as server:
        assert server.ask("POST", "/webhook", saved)[0] == 202
        assert server.ask("GET", "/health")[0] == 200
        task = {"tasks": [{"annotations": [{"result": results[:-1]}]}], "label_config": CONFIG}
        status, _, body = server.ask("POST", "/predict", task)
        assert status == 200
        (found,) = json.loads(body)["results"]
        assert sum(each["type"] == "relation" for each in found["result"]) <= 50
        while not (rows := json.loads(server.ask("GET", "/verdicts")[2])["verdicts"]):
            pass
        assert [row["verdict"] for row in rows] == ["inconsistent"]
        assert len(json.dumps(rows)) < 10_000


def test_two_hundred_requests_at_once(tmp_path):
    body = {"tasks": [{"annotations": [{"result": CHAIN}]}], "label_config": CONFIG, "params": {"x": SECRET}}
    answers = []
    with started(tmp_path, "label-studio") as server:
        threads = [
            threading.Thread(target=lambda: answers.append(server.ask("POST", "/predict", body))) for _ in range(200)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert len({(status, answer) for status, _, answer in answers}) == 1
    assert json.loads(answers[0][2])["results"][0]["result"][0] == relation(0, "BEFORE", 2)
    assert sum(" /predict 200 " in line for line in server.lines()) == 200


def test_no_body_is_logged_and_every_label_is_escaped(tmp_path):
    hostile = '<script>alert("s3cret-body")</script>'
    torn = [
        {**each, "value": {**each["value"], "text": hostile}} if each["type"] == "labels" else each for each in RING
    ]
    saved = {"action": "ANNOTATION_CREATED", "annotation": {"id": hostile, "result": torn}, "project": {"id": hostile}}
    with started(tmp_path, "label-studio") as server:
        assert server.ask("POST", "/setup", {"access_token": SECRET, "hostname": SECRET, "schema": hostile})[0] == 200
        assert server.ask("POST", "/webhook", saved)[0] == 202
        assert server.ask("POST", "/webhook", SECRET.encode())[0] == 202
        assert server.ask("GET", f"/{SECRET[:2]}\n?access_token={SECRET}".replace("\n", "%0A"))[0] == 404
        while not json.loads(server.ask("GET", "/verdicts")[2])["verdicts"]:
            pass
        page = server.ask("GET", "/")[2].decode()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
    assert SECRET not in server.log.read_text()
    assert all(line.rpartition(" ms")[1] or "Ctrl-C" in line for line in server.lines())


@pytest.mark.parametrize("recommender", ["entailed", "conflicts"])
def test_documents_that_cannot_be_used_come_back_as_they_are(recommender, tmp_path):
    cut = [XMI[:length] for length in range(0, len(XMI), 97)]
    foreign = ["<a/>", "{}", "\x00", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', XMI.replace("TLINK", "OTHER")]
    with started(tmp_path, "inception") as server:
        for xmi in (*cut, *foreign):
            body = {"metadata": {"layer": "webanno.custom.TLINK", "feature": "relType"}, "document": {"xmi": xmi}}
            status, _, answer = server.ask("POST", f"/{recommender}/predict", body)
            assert (status, json.loads(answer)["document"]) == (200, xmi)
        assert server.ask("POST", f"/{recommender}/predict", {"document": {}})[0] == 400
        assert server.ask("POST", f"/{recommender}/train", {"documents": [{"xmi": SECRET}]})[0] == 204
    assert SECRET not in server.log.read_text()


DATED = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:cas="http:///uima/cas.ecore" xmlns:xmi="http://www.omg.org/XMI" xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
    <cas:NULL xmi:id="0"/>
    <custom:EVENT xmi:id="10" sofa="1" begin="0" end="4"/>
    <custom:TIMEX3 xmi:id="11" sofa="1" begin="5" end="11" value="1998-02-09"/>
    <custom:EVENT xmi:id="12" sofa="1" begin="12" end="18"/>
    <custom:TIMEX3 xmi:id="13" sofa="1" begin="19" end="26" value="1998-02-10"/>
    <custom:TLINK xmi:id="30" sofa="1" begin="5" end="11" Dependent="11" Governor="10" relType="WITHIN-DAY"/>
    <custom:TLINK xmi:id="31" sofa="1" begin="19" end="26" Dependent="13" Governor="12" relType="WITHIN-DAY"/>
    <custom:TLINK xmi:id="32" sofa="1" begin="0" end="4" Dependent="10" Governor="12" relType="EARLIER"/>
    <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="left Monday docked Tuesday"/>
    <cas:View sofa="1" members="10 11 12 13 30 31 32"/>
</xmi:XMI>
"""  # noqa: E501


def test_labels_and_calendar_come_from_the_project_file(tmp_path):
    """Tuesday's event is said to be earlier than Monday's: a conflict with the values, and only with them."""
    own = 'labels = "own.toml"\n'
    (tmp_path / "own.toml").write_text('name = "own"\n[labels]\n"WITHIN-DAY" = "d|s|f|="\nEARLIER = "b"\n')
    metadata = {"layer": "webanno.custom.Conflict", "feature": "relType"}
    for project, found in (("", 0), (own, 0), (f'{own}calendar = "within"\n', 4)):
        (tmp_path / "temporacle.toml").write_text(project)
        with started(tmp_path, "inception") as server:
            body = {"metadata": metadata, "document": {"xmi": DATED}}
            answer = json.loads(server.ask("POST", "/conflicts/predict", body)[2])["document"]
            assert answer.count("custom:Conflict") == found, project
