"""Requests that mean no good, and files that were put where the workbench writes."""

import concurrent.futures
import json
import os
import shutil
import signal
import socket
import time
from html import unescape
from pathlib import Path

import pytest
from shares import few
from workbench_runs import EXAMPLES, SECONDS, Running, of, running

from temporacle import web
from temporacle.errors import UsageError
from temporacle.workbench.http import static_files
from temporacle.workbench.journal import NAME, EditJournal

ADDRESSES = [
    ("GET", "/"),
    ("GET", "/document?id=ferry"),
    ("GET", "/adjudicate?id=ferry"),
    ("GET", "/static/corpus.js"),
    ("GET", "/api/documents"),
    ("GET", "/api/documents?wait=0"),
    ("GET", "/api/progress"),
    ("GET", of("ferry")),
    ("GET", of("ferry", "pair", source="ei1", target="ei2")),
    ("GET", of("ferry", "repair")),
    ("GET", of("ferry", "three-way")),
    ("GET", of("ferry", "differences")),
    ("GET", of("ferry", "export", format="jsonl")),
    *(
        ("POST", of("ferry", action))
        for action in ("judge", "edit", "undo", "redo", "save", "discard", "three-way", "take")
    ),
    ("GET", "/nix"),
    ("OPTIONS", "/api/documents"),
    ("HEAD", "/"),
]
SECRET = "root of all secrets"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    here = tmp_path_factory.mktemp("hostile")
    shutil.copytree(EXAMPLES, here / "docs")
    (here / "secret.tsv").write_text(f"{SECRET}\tb\tb\n")
    (here / "docs" / "out.tsv").symlink_to(here / "secret.tsv")
    (here / "docs" / "note.ann").write_text("T1\tEvent 0 4\troot\n")
    (here / "docs" / "note.txt").symlink_to(here / "secret.tsv")
    return here / "docs"


@pytest.fixture(scope="module")
def bench(corpus):
    with running(corpus) as found:
        yield found


def memory(bench):
    """Return the largest amount of memory that the process had, in bytes."""
    status = Path(f"/proc/{bench.process.pid}/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))


def test_waiting_requests_end_with_their_clients(tmp_path):
    """More clients than are served at once ask for the list and leave; others are still answered."""
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    slow = "import time\nfrom temporacle.workbench.corpus import Corpus\nCorpus._decide = lambda self: time.sleep(600)"
    with running(tmp_path, first=slow) as bench:
        request = f"GET /api/documents HTTP/1.1\r\nHost: {bench.place}\r\nAuthorization: Bearer {bench.token}\r\n\r\n"
        for _ in range(web.Door.most_at_once):
            with socket.create_connection(tuple(bench.place.split(":"))) as line:
                line.sendall(request.encode())
        deadline = time.monotonic() + SECONDS
        while bench.ask("GET", of("d"))[0] == 503 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert bench.get(of("d"))["verdict"] == "consistent"


def is_alive(bench):
    return bench.process.poll() is None and bench.get("/api/documents?wait=0")


# --- who may ask -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "target"), ADDRESSES)
@pytest.mark.parametrize("token", [None, "", "x", "é"])
def test_no_address_answers_without_the_token(bench, method, target, token):
    joint = "&" if "?" in target else "?"
    asked = target if token is None else f"{target}{joint}token={token.encode().hex()}"
    status, headers, data = bench.ask(method, asked, token=None)
    assert status == 401
    assert bench.token.encode() not in data
    assert "access-control-allow-origin" not in headers


def test_a_token_that_is_almost_right(bench):
    for wrong in (bench.token[:-1], bench.token + "x", bench.token.swapcase(), bench.token.encode().hex()):
        assert bench.refused("GET", "/api/documents", token=wrong)[0] == 401
    assert (
        bench.refused("GET", "/api/documents", token=None, headers={"Authorization": f"Basic {bench.token}"})[0] == 401
    )
    assert bench.refused("GET", "/api/documents", token=None, headers={"Cookie": f"token={bench.token}"})[0] == 401
    assert bench.get(f"/api/documents?token={bench.token}", token=None)


@pytest.mark.parametrize(("method", "target"), ADDRESSES)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
def test_no_address_answers_to_another_name(bench, method, target, host):
    port = bench.place.partition(":")[2]
    assert bench.ask(method, target, host=host.format(port=port))[0] == 403


@pytest.mark.parametrize(("method", "target"), ADDRESSES)
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://{place}", "http://{place}.evil.example", ""]
)
def test_no_address_answers_to_a_page_of_another_server(bench, method, target, origin):
    status, _, _ = bench.ask(method, target, headers={"Origin": origin.format(place=bench.place)})
    assert status == 403


def test_our_own_page_may_ask(bench):
    assert bench.get("/api/documents", headers={"Origin": f"http://{bench.place}"})
    port = bench.place.partition(":")[2]
    assert bench.get("/api/documents", host=f"localhost:{port}", headers={"Origin": f"http://localhost:{port}"})


def test_it_listens_on_this_machine_only(bench):
    """The socket is bound to 127.0.0.1; other addresses of the machine refuse the port."""
    port = int(bench.place.partition(":")[2])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    bound = {row[1] for row in rows if row[3] == "0A" and int(row[1].partition(":")[2], 16) == port}
    assert bound == {f"0100007F:{port:04X}"}


@pytest.mark.parametrize(("method", "target"), ADDRESSES)
def test_every_answer_has_the_headers_that_protect(bench, method, target):
    for token in (True, None):
        _, headers, _ = bench.ask(method, target, b"{}" if method == "POST" else None, token=token)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


# --- addresses -------------------------------------------------------------------------------------------------------

CLIMBS = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%5c..%5cetc%5cpasswd",
    "....//....//etc/passwd",
    "%252e%252e%252fetc%252fpasswd",
    "/etc/passwd",
    "..%00/etc/passwd",
    "%c0%ae%c0%ae/etc/passwd",
    "%c0%ae%c0%ae",
    "%ff",
    "%00",
    "../secret.tsv",
    "..%2fsecret.tsv",
    "../secret",
    "..%2Fsecret",
    "file:///etc/passwd",
]


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_address_leads_out_of_the_corpus(bench, climb):
    for target in (
        f"/static/{climb}",
        f"/{climb}",
        f"/api/documents/{climb}",
        f"/api/documents/{climb}/pair?source=a&target=b",
        f"/api/documents/{climb}/export?format=jsonl",
        f"/api/{climb}",
    ):
        status, _, data = bench.ask("GET", target)
        assert status in (400, 404, 405), target
        assert SECRET.encode() not in data
        assert b"root:" not in data
    for action in ("judge", "edit", "undo", "save", "three-way", "take", "discard"):
        assert bench.ask("POST", f"/api/documents/{climb}/{action}", {})[0] in (400, 404, 405)


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_parameter_leads_out_of_the_corpus(bench, climb, corpus):
    before = sorted(path.name for path in corpus.parent.rglob("*"))
    for target in (
        f"/document?id={climb}",
        f"/adjudicate?id={climb}",
        f"/api/documents?wait=0&path={climb}",
        of("ferry", "pair") + f"?source={climb}&target={climb}&without={climb}",
        of("ferry", "export") + f"?format={climb}",
        of("ferry") + f"?path={climb}",
    ):
        data = bench.ask("GET", target)[2]
        assert SECRET.encode() not in data
        assert b"root:" not in data
    for body in (
        {"add": [{"source": climb, "label": climb, "target": climb}]},
        {"remove": [climb]},
        {"relabel": {climb: climb}},
        {"relabel": {"l1": climb}},
        {"comment": {climb: climb}},
        {"path": climb},
    ):
        assert bench.refused("POST", of("ferry", "edit"), body)[0] == 400
    for action, body in (("save", {"path": climb}), ("three-way", {"take": {climb: climb}}), ("take", {"side": climb})):
        bench.refused("POST", of("ferry", action), body)
    assert sorted(path.name for path in corpus.parent.rglob("*")) == before


def test_links_that_lead_outside_are_not_read(bench, corpus):
    rows = {row["id"]: row for row in bench.get("/api/documents")}
    for name in ("out", "note"):
        assert rows[name]["verdict"] == "unreadable"
        assert "leads outside the corpus" in rows[name]["error"]
        assert SECRET not in json.dumps(rows[name])
        assert "leads outside" in bench.refused("GET", of(name))[1]
    (corpus / "later.tsv").unlink(missing_ok=True)


def test_a_document_that_becomes_a_link_is_not_read(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.tsv").write_text("a\tb\tb\n")
    (tmp_path / "secret.tsv").write_text(f"{SECRET}\tb\tb\n")
    with running(tmp_path / "docs") as bench:
        bench.get("/api/documents")
        (tmp_path / "docs" / "d.tsv").unlink()
        (tmp_path / "docs" / "d.tsv").symlink_to(tmp_path / "secret.tsv")
        assert "leads outside" in bench.refused("GET", of("d"))[1]


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\x1b[2J", "-->", "]]>", "\u202e", "\n\n", '"', "\t"])
def test_odd_comments_are_kept_or_refused(bench, text):
    """A comment that no file can hold is refused when it is made or when it is saved, never with a fault of ours."""
    for name in ("shift", "ferry"):
        link = bench.get(of(name))["links"][0]["id"]
        assert bench.ask("POST", of(name, "edit"), {"comment": {link: text}})[0] == (400 if text == "\ud800" else 200)
        assert bench.ask("POST", of(name, "save"), {})[0] in (200, 400)
        bench.post(of(name, "discard"))
        assert bench.get(of(name))["verdict"] == "consistent"


# --- methods and protocols -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", "OPTIONS"])
def test_other_methods_are_refused(bench, method):
    for target in ("/", "/api/documents", of("ferry"), of("ferry", "edit")):
        assert bench.ask(method, target)[0] in (400, 404, 405)


def test_head_has_no_body(bench):
    status, _, data = bench.ask("HEAD", "/api/documents")
    assert (status, data) == (200, b"")


def test_a_websocket_is_not_opened(bench):
    wanted = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "eA==",
    }
    assert bench.ask("GET", "/api/documents", headers=wanted)[0] == 200  # as any other request
    assert bench.ask("GET", "/api/documents", headers=wanted, token=None)[0] == 401


def raw(bench, data):
    with socket.create_connection(tuple(bench.place.split(":")), timeout=SECONDS) as line:
        line.sendall(data)
        answer = b""
        try:
            while piece := line.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
        return answer


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(20_000)) + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused(bench, data):
    answer = raw(bench, data + b"\r\n\r\n")
    assert answer == b"" or answer.split(b" ")[1][:1] == b"4"
    assert bench.token.encode() not in answer
    assert is_alive(bench)


def test_a_half_request_does_not_stop_the_others(bench):
    lines = [socket.create_connection(tuple(bench.place.split(":"))) for _ in range(100)]
    try:
        for line in lines:
            line.sendall(b"POST /api/documents/ferry/edit HTTP/1.1\r\nHo")
        assert is_alive(bench)
    finally:
        for line in lines:
            line.close()


def test_half_requests_are_closed_after_a_while(tmp_path):
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    with running(tmp_path, first="from temporacle import web\nweb.LONGEST_WAIT = 0.3") as bench:
        body = head(bench, "POST", of("d", "edit")) + b"100\r\n\r\n{"
        for sent, answers in (
            (b"", b""),
            (b"GET / HTTP/1.1\r\nHo", b""),
            (body, b"408"),
        ):
            with socket.create_connection(tuple(bench.place.split(":")), timeout=SECONDS) as line:
                line.sendall(sent)
                data = b"".join(iter(lambda: line.recv(1 << 16), b""))
                assert data.partition(b"\r\n")[0].split(b" ")[1:2] == ([answers] if answers else [])
        assert is_alive(bench)


@pytest.mark.parametrize("is_read", few([False, True]))
def test_a_question_that_hangs_does_not_keep_the_server(tmp_path, is_read):
    """SIGINT ends it, also if nobody reads what it prints any more."""
    (tmp_path / "d.tsv").write_text("a\tb\tb\n")
    hangs = "import time\nfrom temporacle.workbench import routes\nroutes.QUESTIONS['pair'] = lambda _: time.sleep(600)"
    with running(tmp_path, first=hangs) as bench:
        bench.get("/api/documents")
        asked = f"GET {of('d', 'pair')} HTTP/1.1\r\nHost: {bench.place}\r\nAuthorization: Bearer {bench.token}\r\n\r\n"
        with socket.create_connection(tuple(bench.place.split(":"))) as line:
            line.sendall(asked.encode())
            time.sleep(0.2)
            if not is_read:
                bench.process.stdout.close()
                bench.process.stderr.close()
            bench.process.send_signal(signal.SIGINT)
            try:
                assert bench.process.wait(SECONDS) == 0
            finally:
                bench.process.stdout.close()
                bench.process.stderr.close()


# --- load ------------------------------------------------------------------------------------------------------------

HUNDRED_MB = 100 << 20


def head(bench, method, target):
    """Return the beginning of a request, up to the length of its body."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {bench.place}", f"Authorization: Bearer {bench.token}"]
    return "\r\n".join([*lines, "Content-Length: "]).encode()


@pytest.mark.parametrize("size", [web.Door.largest_body + 1, HUNDRED_MB, 10**18])
def test_a_large_body_that_is_announced_is_not_read(bench, size):
    answer = raw(bench, head(bench, "POST", of("ferry", "edit")) + b"%d\r\n\r\n" % size)  # and not a byte of it
    assert answer.split(b" ")[1] == b"413"
    assert "several requests" in json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_large_body_ends_early(bench, method, announced):
    """A hundred megabytes, sent with or without their length: the server does not take them all, nor keep them."""
    before = memory(bench)
    piece = b" " * (1 << 16)
    sent = 0
    with socket.create_connection(tuple(bench.place.split(":")), timeout=SECONDS) as line:
        begin = head(bench, method, of("ferry", "edit"))
        if not announced:
            begin = begin.replace(b"Content-Length: ", b"Transfer-Encoding: chunked")
        line.sendall(begin + (b"%d" % HUNDRED_MB if announced else b"") + b"\r\n\r\n")
        try:
            while sent < HUNDRED_MB:
                line.sendall(piece if announced else b"%x\r\n%s\r\n" % (len(piece), piece))
                sent += len(piece)
        except OSError:
            pass
    assert sent < 32 << 20  # what fits into the buffers of the system, and the limit
    assert memory(bench) - before < 16 << 20
    assert is_alive(bench)


def test_a_body_at_the_limit_is_read(bench):
    fill = " " * (web.Door.largest_body - 2)
    assert bench.ask("POST", of("ferry", "judge"), f"{{}}{fill}".encode())[0] == 200


def test_a_thousand_requests_at_once(bench):
    """All are sent before any answer is read; each is answered or refused, and the server goes on."""
    body = b'{"remove":["l1"]}'
    request = b"%s%d\r\nConnection: close\r\n\r\n%s" % (head(bench, "POST", of("ferry", "judge")), len(body), body)
    lines = [socket.create_connection(tuple(bench.place.split(":")), timeout=SECONDS) for _ in range(1000)]
    try:
        for line in lines:
            line.sendall(request)
        with concurrent.futures.ThreadPoolExecutor(20) as threads:
            answers = list(threads.map(_received, lines))
    finally:
        for line in lines:
            line.close()
    statuses = [int(answer.split(b" ")[1]) for answer in answers]
    assert set(statuses) <= {200, 503}
    assert 200 in statuses
    for answer in answers:
        assert json.loads(answer.partition(b"\r\n\r\n")[2])
    assert is_alive(bench)


def _received(line):
    answer = b""
    while piece := line.recv(65536):
        answer += piece
    return answer


# --- documents -------------------------------------------------------------------------------------------------------

SCRIPT = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{token}}"


def test_script_in_every_text_field_stays_text(tmp_path):
    entity = {"id": SCRIPT, "text": SCRIPT, "kind": "event", "spans": [[0, 5]], "value": SCRIPT}
    other = {"id": f"2{SCRIPT}", "text": SCRIPT, "kind": "time", "spans": [[0, 3]]}
    link = {"id": SCRIPT, "source": SCRIPT, "relation": "b", "target": f"2{SCRIPT}", "label": SCRIPT}
    line = {"document": SCRIPT, "text": SCRIPT, "entities": [entity, other], "links": [link], "extra": SCRIPT}
    name = "<script>alert(3)<\uff0fscript>.jsonl"
    (tmp_path / name).write_text(json.dumps(line) + "\n")
    with running(tmp_path) as bench:
        rows = bench.get("/api/documents")
        assert [row["id"] for row in rows] == [SCRIPT]
        targets = ["/api/documents", "/api/progress", of(SCRIPT), of(SCRIPT, "repair"), of(SCRIPT, "nix")]
        targets += [
            of(SCRIPT, "pair", source=SCRIPT, target=f"2{SCRIPT}"),
            of(SCRIPT, "pair", source=SCRIPT, target=SCRIPT),
        ]
        for target in targets:
            _, headers, data = bench.ask("GET", target)
            assert headers["content-type"] in ("application/json", "application/x-ndjson")
            assert bench.token.encode() not in data
        shown = bench.get(of(SCRIPT))
        assert (shown["text"], shown["entities"][0]["text"]) == (SCRIPT, SCRIPT)
        bench.post(of(SCRIPT, "edit"), {"comment": {shown["links"][0]["id"]: SCRIPT}})
        assert bench.get(of(SCRIPT))["links"][0]["comment"] == SCRIPT
        for page in ("/", "/document?id=", "/adjudicate?id="):
            status, headers, data = bench.ask("GET", page + ("" if page == "/" else SCRIPT.replace(" ", "+")))
            if status == 200:
                assert headers["content-type"].startswith("text/html")
                assert b"alert(" not in data
                assert "<script>alert" not in unescape(data.decode())


def test_no_page_has_inline_script():
    for name, file in static_files("t0").items():
        if name.endswith(".html"):
            text = file.data.decode().lower()
            assert " onclick=" not in text
            assert "javascript:" not in text
            assert "<style" not in text
            assert text.count("<script") == text.count('<script type="module" src=') + text.count("<script src=")


# --- the journal -----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.tsv").write_text("a\tb\tb\nb\tb\tc\n")
    return tmp_path / "docs"


def start_fails(folder):
    """Return why no workbench can write to a folder. It is the only thing that a start does there."""
    with pytest.raises(UsageError) as failure:
        EditJournal(str(folder))
    return str(failure.value)


def test_a_start_that_fails_says_why(folder):
    (folder / NAME).write_text("my diary")
    with pytest.raises(RuntimeError) as failure:
        Running(folder)
    assert str(failure.value).startswith(f"temporacle: {folder / NAME} does not begin as one")
    assert (folder / NAME).read_text() == "my diary"
    with running(folder, "--read-only") as bench:
        assert bench.get(of("d"))["links"]
    assert (folder / NAME).read_text() == "my diary"


def test_a_planted_link_is_not_followed(folder, tmp_path):
    for target in ("victim", "nothing"):
        (tmp_path / "victim").write_text("precious")
        (folder / NAME).symlink_to(tmp_path / target)
        assert NAME in start_fails(folder)
        assert (tmp_path / "victim").read_text() == "precious"
        assert not (tmp_path / "nothing").exists()
        (folder / NAME).unlink()


def test_a_hard_link_is_not_written(folder, tmp_path):
    (tmp_path / "victim").write_text("")
    os.link(tmp_path / "victim", folder / NAME)
    assert "move it away" in start_fails(folder)
    assert (tmp_path / "victim").read_text() == ""


def test_a_pipe_or_a_folder_is_not_opened(folder):
    os.mkfifo(folder / NAME)
    assert "not a file of this program" in start_fails(folder)
    (folder / NAME).unlink()
    (folder / NAME).mkdir()
    assert NAME in start_fails(folder)


HEADER = '{"journal": "temporacle workbench", "version": 1}\n'
OPEN = '{"path": "d.tsv", "document": "d", "do": "open", "sha256": "x", "links": []}\n'


@pytest.mark.parametrize(
    "content",
    [
        "my diary\n",
        "my diary",
        '{"journal": "temporacle workbench", "version": 2}\n',
        HEADER + "nonsense\n",
        HEADER + '{"path": "d.tsv", "document": "d", "do": "edit"}\n',
        HEADER + OPEN + '{"path": "d.tsv", "document": "d", "do": "rm"}\n',
        HEADER + OPEN + '{"path": "d.tsv", "document": "d", "do": "undo"}\n',
        HEADER + "[" * 100_000 + "\n",
        HEADER + "[]\n",
    ],
)
def test_a_foreign_file_is_left_alone(folder, content):
    (folder / NAME).write_text(content)
    assert "move it away" in start_fails(folder)
    assert (folder / NAME).read_text() == content


UNUSABLE = [
    OPEN + '{"path": "d.tsv", "document": "d", "do": "edit", "changes": {"remove": ["7"]}, "added": []}\n',
    OPEN + '{"path": "d.tsv", "document": "d", "do": "edit", "changes": [], "added": []}\n',
    OPEN.replace("[]", "3") + '{"path": "d.tsv", "document": "d", "do": "edit", "changes": {}, "added": []}\n',
    OPEN.replace("[]", '[["1", "a", "b", "../../x", "b", 1, 1, null], 7]'),
]


def test_edits_that_cannot_be_made_again_can_be_discarded(folder):
    journal = HEADER
    for number, records in enumerate(UNUSABLE):
        shutil.copy(folder / "d.tsv", folder / f"d{number}.tsv")
        journal += records.replace("d.tsv", f"d{number}.tsv").replace('"d"', f'"d{number}"')
    (folder / NAME).write_text(journal)
    with running(folder) as bench:
        for number in range(len(UNUSABLE)):
            assert "discard" in bench.refused("GET", of(f"d{number}"))[1]
            assert len(bench.post(of(f"d{number}", "discard"))["links"]) == 2
        assert bench.end()[0] == 0
    assert not (folder / NAME).exists()


def test_a_journal_about_files_elsewhere_touches_nothing(folder, tmp_path):
    (tmp_path / "other.tsv").write_text("a\tb\tb\n")
    journal = HEADER + OPEN.replace("d.tsv", "../other.tsv")
    journal += '{"path": "../other.tsv", "document": "d", "do": "edit", "changes": {"remove": ["1"]}, "added": []}\n'
    (folder / NAME).write_text(journal)
    with running(folder) as bench:
        assert [row["unsaved"] for row in bench.get("/api/documents")] == [0]
        assert bench.get(of("d"))["recovered"] == 0
    assert (tmp_path / "other.tsv").read_text() == "a\tb\tb\n"
