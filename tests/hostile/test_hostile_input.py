"""An attacker who sends files: nothing is fetched, expanded, obeyed, or written where it should not be."""

import csv
import io
import json
import re
import resource
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from temporacle.cli import run
from temporacle.io import Options, Source, read_source
from temporacle.io.files import safe_name
from temporacle.model import Document, Unreadable
from temporacle.tasks.check import check

TIMEML = (
    '<TimeML><TEXT><EVENT eid="e1">a</EVENT><EVENT eid="e2">b</EVENT></TEXT>'
    '<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/>'
    '<TLINK lid="l1" eventInstanceID="ei1" relatedToEventInstance="ei2" relType="BEFORE"/></TimeML>'
)
ESCAPE = "\x1b]0;owned\x07\x1b[31m"


def read_bytes(data, name="x.tml"):
    return list(read_source(Source(name, data if isinstance(data, bytes) else data.encode())))


def complaint(data, name="x.tml"):
    (found,) = read_bytes(data, name)
    assert isinstance(found, Unreadable)
    return found.error


@contextmanager
def memory_growth(megabytes):
    """Peak memory may grow by no more than so much."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < megabytes


@contextmanager
def listener():
    """A server on this machine, and the list of all that was asked of it."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


# --- XML --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE TimeML SYSTEM "{url}/x.dtd">',
        '<!DOCTYPE TimeML PUBLIC "-//X//Y" "{url}/x.dtd">',
        '<!DOCTYPE TimeML [<!ENTITY x SYSTEM "{url}/x.txt">]>',
        '<!DOCTYPE TimeML [<!ENTITY % x SYSTEM "{url}/x.ent"> %x;]>',
        '<?xml-stylesheet href="{url}/x.xsl" type="text/xsl"?>',
    ],
)
def test_nothing_is_fetched(doctype):
    with listener() as (url, asked):
        read_bytes(doctype.replace("{url}", url) + TIMEML)
    assert asked == []


def test_a_document_type_on_this_machine_is_not_read_either(tmp_path):
    broken = tmp_path / "broken.dtd"
    broken.write_text("<!ELEMENT broken")  # whoever reads it, complains
    (document,) = read_bytes(f'<!DOCTYPE TimeML SYSTEM "{broken.as_uri()}">' + TIMEML)
    assert len(document.links) == 1


@pytest.mark.parametrize("parse", ["text", "xml"])
def test_xinclude_is_not_obeyed(tmp_path, parse):
    secret = tmp_path / "secret.xml"
    secret.write_text("<s>secret</s>")
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret.as_uri()}" parse="{parse}"/>'
    (document,) = read_bytes(TIMEML.replace("</TEXT>", include + "</TEXT>"))
    assert "secret" not in (document.text or "")
    assert len(document.links) == 1


def test_entities_in_other_root_elements_are_refused_too():
    for root in ("TempEval", "Document", "data", "root"):
        bomb = f'<!DOCTYPE {root} [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><{root}>&b;</{root}>'
        assert "defines entities" in complaint(bomb).reason


def test_an_attribute_of_a_hundred_megabytes_is_refused():
    huge = TIMEML.replace('lid="l1"', f'lid="{"x" * 100_000_000}"').encode()
    with memory_growth(megabytes=800):
        assert "beyond what is safe" in complaint(huge).reason


def test_a_hundred_thousand_attributes():
    many = " ".join(f'a{k}="x"' for k in range(100_000))
    (found,) = read_bytes(TIMEML.replace("<TEXT>", f"<TEXT {many}>"))
    assert isinstance(found, Unreadable) or len(found.links) == 1


@pytest.mark.parametrize("tag", ["a", "EVENT", "TEXT"])
def test_a_million_levels_are_refused_not_crashed_on(tag):
    deep = "<TimeML>" + f"<{tag}>" * 1_000_000
    with memory_growth(megabytes=300):
        assert "beyond what is safe" in complaint(deep).reason


def test_levels_that_the_parser_allows_are_read_without_recursion():
    deep = TIMEML.replace("<TEXT>", "<TEXT>" + "<s>" * 240).replace("</TEXT>", "</s>" * 240 + "</TEXT>")
    (document,) = read_bytes(deep)
    assert len(document.links) == 1
    assert len(document.entities) == 2


@pytest.mark.parametrize(
    "data",
    [
        TIMEML.replace("a<", "a\0<"),
        TIMEML.replace('lid="l1"', 'lid="l\0"'),
        "\0" + TIMEML,
        TIMEML.replace("a<", "&#0;<"),
        TIMEML.replace("a<", "&#xD800;<"),
    ],
)
def test_characters_that_xml_forbids(data):
    assert complaint(data).reason


@pytest.mark.parametrize(
    "declared", ["utf-16", "ucs-4", "utf-7", "utf-32", "ebcdic-cp-us", "cp037", "rot13", "punycode"]
)
def test_a_false_declaration_of_the_encoding_is_told_not_guessed(declared):
    found = read_bytes(f'<?xml version="1.0" encoding="{declared}"?>' + TIMEML)
    (found,) = found
    assert isinstance(found, Unreadable) or [link.source for link in found.links] == ["ei1"]


@pytest.mark.parametrize("name", ["x.tml", "x.jsonl", "x.tsv"])
def test_an_encoding_cannot_smuggle_in_half_characters(name):
    data = b"<TimeML>\\ud800</TimeML>" if name == "x.tml" else b'{"document": "\\ud800", "links": []}'
    (found,) = read_source(Source(name, data, Options(encoding="unicode_escape", format=None)))
    assert "cannot be read as unicode_escape" in found.error.reason


def test_two_encodings_in_one_file_are_refused():
    mixed = TIMEML.replace("a<", "é<").encode() + "<!-- é -->".encode("latin-1")
    assert "is not utf-8" in complaint(mixed).reason


# --- other data -------------------------------------------------------------------------------------------------------


def test_json_that_is_nested_too_deeply():
    deep = '{"document": "d", "links": ' + "[" * 1_000_000
    assert "nested too deeply" in complaint(deep, "x.jsonl").reason


def test_json_numbers_with_a_million_digits():
    line = '{"document": "d", "links": [{"source": "a", "relation": "b", "target": "c", "weight": ' + "9" * 1_000_000
    assert "bad JSON" in complaint(line + "}]}", "x.jsonl").reason


def test_half_characters_in_json_are_refused():
    assert "half a character" in complaint('{"document": "\\ud800", "links": []}', "x.jsonl").reason


def test_nul_bytes_in_tables_are_refused_with_their_line(capsys, tmp_path):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"a\tb\tc\na\0x\tb\tc\n")
    assert run(["closure", str(path), "--output", "json"]) == 2
    found = capsys.readouterr()
    assert re.search(r"x\.tsv:2: .*there is a NUL character in the line", found.out + found.err)


# --- names of documents -----------------------------------------------------------------------------------------------

NAMES = [
    "../../outside",
    "/etc/outside",
    "..",
    ".",
    "~/outside",
    "a/b",
    "a\\b",
    "..\\outside",
    "c:outside",
    "nul",
    "con.txt",
    "x\ny",
    "x" * 5000,
    "é" * 300,
    ".hidden",
    "-rf",
    "%2e%2e%2f",
    ESCAPE,
    "\u202etxt.exe",
]


@pytest.mark.parametrize(
    "arguments", [["check", "--certificates"], ["check", "--write"], ["convert"], ["report", "-o"]]
)
def test_names_of_documents_choose_no_folder(tmp_path, arguments, capsys):
    inside = tmp_path / "deep" / "er" / "inside"
    inside.mkdir(parents=True)
    clash = [{"source": x, "relation": "b", "target": y} for x, y in ("ab", "bc", "ca")]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"document": name, "links": clash}) + "\n" for name in NAMES))
    before = {path for path in tmp_path.rglob("*") if inside not in path.parents}
    name, *option = arguments
    target = str(inside / "report.html" if name == "report" else inside / "out")
    extra = {"convert": ["--to", "jsonl"], "report": ["--layout", "linked"]}.get(name, [])
    assert run([name, str(corpus), *option, target, *extra]) in (0, 1)
    assert {path for path in tmp_path.rglob("*") if inside not in path.parents} == before
    written = [path for path in inside.rglob("*") if path.is_file()]
    assert len(written) >= (1 if option == ["--write"] else len(NAMES))  # a repaired file keeps its own name
    folder = inside / ("report_files" if name == "report" else "out")
    for path in written:
        assert path.parent in (folder, inside)
        assert path.name.isprintable()
        assert not path.name.startswith((".", "-"))
    out = capsys.readouterr()
    assert "\x1b]0" not in out.out + out.err


@pytest.mark.filterwarnings("ignore:the keyword write is now:DeprecationWarning")
def test_names_of_documents_without_a_file_choose_no_folder(tmp_path):
    clash = [("a", "b", "b"), ("b", "b", "a")]
    check([Document(name, clash) for name in NAMES], write=str(tmp_path / "deep" / "out"))
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    written = list((tmp_path / "deep" / "out").iterdir())
    assert len(written) == len(NAMES)
    assert all(path.is_file() and path.name.isprintable() for path in written)


def test_names_stay_apart():
    names = {safe_name(name) for name in NAMES}
    assert len(names) == len(NAMES)
    assert all(len(name.encode()) <= 200 and "/" not in name and "\\" not in name for name in names)


# --- what reaches people ----------------------------------------------------------------------------------------------


def spiteful(tmp_path, *, consistent=False):
    path = tmp_path / "x.jsonl"
    names = {"source": ESCAPE + "[bold]a", "target": "=cmd|' /C calc'!A0", "relation": "b"}
    back = {"source": names["target"], "target": names["source"], "relation": "b", "id": "@SUM(1)"}
    links = [{**names, "id": "+1" + ESCAPE, "label": "-2"}, back, {**names, "relation": ESCAPE}]
    links = [links[0], links[2]] if consistent else links
    path.write_text(json.dumps({"document": "=1+1" + ESCAPE, "links": links}) + "\n")
    return str(path)


@pytest.mark.parametrize(
    "arguments",
    [["check", "--all", "--repair"], ["closure"], ["reduce"], ["closure", "--points"], ["convert", "-", "--to", "tsv"]],
)
def test_terminal_commands_are_shown_not_obeyed(tmp_path, capsys, arguments):
    name, *rest = arguments
    run([name, spiteful(tmp_path), *rest])
    out, err = capsys.readouterr()
    assert "\x1b" not in err
    if name != "convert":  # which writes data, not words
        assert "\x1b" not in out


@pytest.mark.parametrize(
    "arguments", [["check", "--output", "csv"], ["closure", "--output", "csv"], ["convert", "-", "--to", "csv"]]
)
def test_no_cell_is_a_formula(tmp_path, capsys, arguments):
    name, *rest = arguments
    run([name, spiteful(tmp_path, consistent=name == "closure"), *rest])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) > 1
    cells = [cell for row in rows for cell in row]
    assert any("1+1" in cell for cell in cells)
    assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and cell != "="] == []


def test_pages_show_markup_as_text(tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)></textarea></title><!--"
    links = [{"source": evil, "relation": "b", "target": evil + "2", "id": evil}]
    links += [{"source": evil + "2", "relation": "b", "target": evil, "id": evil + "back"}]
    entities = [{"id": evil, "text": evil}, {"id": evil + "2", "text": evil}]
    record = {"document": evil, "entities": entities, "links": links, "text": evil * 3}
    path.write_text(json.dumps(record) + "\n")
    page = tmp_path / "r.html"
    assert run(["report", str(path), "-o", str(page)]) in (0, 1)
    html = page.read_text()
    assert "alert(1)" in html
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "-->" not in html.split("alert(1)")[0][-10:]


def test_dot_files_quote_names(tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    evil = 'a" [URL="javascript:alert(1)"]; "b\\'
    path.write_text(json.dumps({"document": "d", "links": [{"source": evil, "relation": "b", "target": "c"}]}))
    assert run(["convert", str(path), "-", "--to", "dot"]) == 0
    dot = capsys.readouterr().out
    assert '[URL="javascript' not in dot


FORGED = "a\nd: consistent\x1b[31m\u202e\r"


def forging(tmp_path):
    path = tmp_path / "x.jsonl"
    links = [{"source": FORGED, "relation": "b", "target": "c", "id": FORGED}]
    links += [{"source": "c", "relation": "b", "target": FORGED}, {"source": FORGED, "relation": FORGED, "target": "c"}]
    path.write_text(json.dumps({"document": FORGED, "links": links}) + "\n")
    return str(path)


@pytest.mark.parametrize("output", ["table", "csv"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--all", "--repair"],
        ["closure", "--engine", "propagation"],
        ["reduce"],
        ["entails", "-s", FORGED, "-r", "b", "-t", "c"],
        ["score"],
        ["score", "--confusion"],
    ],
)
def test_line_breaks_escapes_and_directions_are_shown_not_obeyed(tmp_path, capsys, arguments, output):
    name, *rest = arguments
    path = forging(tmp_path)
    paths = [path, path] if name == "score" else [path]
    run([name, *paths, *rest, "--output", output])
    out, err = capsys.readouterr()
    said = out + err
    assert said
    assert not set("\x1b\u202e\r") & set(said)
    assert not [line for line in said.split("\n") if line.startswith("d: consistent")]


@pytest.mark.parametrize("output", ["markdown", "latex"])
def test_papers_get_no_line_breaks_from_documents(tmp_path, capsys, output):
    path = forging(tmp_path)
    run(["score", path, path, "--output", output, "--per-document"])
    out, err = capsys.readouterr()
    assert not set("\x1b\u202e\r") & set(out + err)


@pytest.mark.slow
def test_a_name_of_five_megabytes_is_not_echoed_whole(tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    name = "x" * 5_000_000
    links = [{"source": name, "relation": name, "target": "b"}, {"source": name, "relation": "b", "target": name}]
    path.write_text(json.dumps({"document": "d", "entities": ["b", name], "links": links, name: 1}) + "\n")
    for command in (["check"], ["closure"], ["convert", str(tmp_path / "x.dot")]):
        run([command[0], str(path), *command[1:]])
        out, err = capsys.readouterr()
        assert 0 < len(out + err) < 60_000
    run(["check", str(path), "--output", "json"])
    out, err = capsys.readouterr()
    assert all(len(remark["message"]) < 1000 for remark in json.loads(out)["warnings"])


# --- readings and streams ---------------------------------------------------------------------------------------------

BAD_TOML = {
    "deep": "a = " + "[\n" * 50_000,
    "inline": "a = " + "{a=" * 600,
    "dotted": ".".join("a" * 100_000) + " = 1",
    "digits": "atoms = " + "9" * 5000,
    "wrapped digits": "unanswered = [\n" + "9" * 1900 + "]",
    "huge": "x = 1\n" * 100_000,
    "name": "name = 3",
    "not utf-8": "\xff",
}


@pytest.mark.parametrize("case", BAD_TOML)
def test_a_bad_reading_is_wrong_usage(tmp_path, capsys, case):
    reading = tmp_path / "mine.toml"
    reading.write_bytes(BAD_TOML[case].encode("latin-1"))
    (tmp_path / "x.tsv").write_text("a\tBEFORE\tb\n")
    assert run(["check", str(tmp_path / "x.tsv"), "--labels", str(reading)]) == 2
    said = capsys.readouterr().err
    assert "mine.toml" in said
    assert "internal error" not in said
    assert len(said) < 1000


def test_readings_that_extend_each_other_for_ever(tmp_path, capsys):
    for number in range(2000):
        (tmp_path / f"r{number}.toml").write_text(f'extends = "r{number + 1}.toml"\n')
    (tmp_path / "x.tsv").write_text("a\tBEFORE\tb\n")
    assert run(["check", str(tmp_path / "x.tsv"), "--labels", str(tmp_path / "r0.toml")]) == 2
    assert "extends more than 20 others" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["check", "-"], ["closure", "-"], ["convert", "-", "-", "--to", "tsv"]])
def test_a_closed_standard_input_is_told(command):
    import subprocess
    import sys

    line = '"$0" -m temporacle "$@" <&-'
    done = subprocess.run(["sh", "-c", line, sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode in (2, 3)
    assert "standard input is closed" in done.stdout + done.stderr
    assert "internal error" not in done.stdout + done.stderr


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", "[" * 900 + "]" * 900])
def test_what_json_does_not_have_is_not_written(tmp_path, capsys, value):
    path, target = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    good = '{"document": "good", "links": []}\n'
    path.write_text('{"document": "odd", "links": [], "mine": ' + value + "}\n" + good)
    assert run(["convert", str(path), str(target)]) in (0, 3)
    records = [json.loads(line, parse_constant=pytest.fail) for line in target.read_text().splitlines()]
    assert records[-1]["document"] == "good"
    assert "internal error" not in capsys.readouterr().err
