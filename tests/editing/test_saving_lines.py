"""One document of a large JSON Lines file is saved by changing its line, with the result of reading the whole file."""

import gzip
import json
from random import Random

import pytest

from temporacle.editing import saving
from temporacle.editing.saving import OpenFile
from temporacle.editing.session import Session
from temporacle.errors import TemporacleError
from temporacle.io.jsonl import read

NAMES = ["d1", "d10", "é", 'a"b', "a/b", "tab\there", "back\\slash", "Ω d1", "file:3", "d1 ", "links", "\u2028"]


def escaped(rng, text):
    """A JSON string with some characters written as escapes."""
    return '"' + "".join(f"\\u{ord(c):04x}" if rng.random() < 0.3 else json.dumps(c)[1:-1] for c in text) + '"'


def invented_line(rng, name):
    links = [
        {"id": f"l{k}", "source": f"e{k}", "relation": rng.choice(["b", "m", "b|m"]), "target": f"e{k + 1}"}
        for k in range(rng.randint(1, 4))
    ]
    key = escaped(rng, "document") if rng.random() < 0.2 else '"document"'
    spelled = escaped(rng, name) if rng.random() < 0.5 else json.dumps(name, ensure_ascii=rng.random() < 0.5)
    text = json.dumps(rng.choice(["They left.\nThey docked.", "“d1” é", *NAMES]), ensure_ascii=rng.random() < 0.5)
    parts = [f"{key}: {spelled}", f'"text": {text}', f'"links": {json.dumps(links)}']
    rng.shuffle(parts)
    return "{" + ", ".join(parts) + "}"


def invented_file(rng):
    lines = [invented_line(rng, name) for name in rng.sample(NAMES, rng.randint(1, 7))]
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(["", "   ", "{broken d1", invented_line(rng, "d1")]))
    end = rng.choice(["\n", "\r\n"])
    text = end.join(lines) + rng.choice(["", end])
    data = (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()
    return gzip.compress(data) if rng.random() < 0.2 else data


def work_on(path, rng):
    """Edit and save some documents; the bytes after each step, or the error."""
    found = []
    try:
        file = OpenFile(path)
    except TemporacleError as error:
        return [str(error)]
    for name in rng.sample(NAMES, 6):
        try:
            session = Session(file.document(name))
            link = rng.choice(session.document.links)
            if rng.random() < 0.5:
                session.relabel(link.id, rng.choice(["b", "bi", "m|o"]))
            else:
                session.add(link.source, "b", link.target)
            comments = {link.id: "see <d1>"} if rng.random() < 0.5 else {}
            file.save(name, session.document, comments, backup=False)
            found.append((name, [each.line for each in session.document.links], path.read_bytes()))
        except TemporacleError as error:
            found.append((name, type(error).__name__, str(error)))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_changing_a_line_is_changing_the_file(seed, tmp_path, monkeypatch):
    rng = Random(f"lines {seed}")
    path = tmp_path / ("file.jsonl")
    data = invented_file(rng)
    path.write_bytes(data)
    quick = work_on(path, Random(seed))
    path.write_bytes(data)
    monkeypatch.setattr(saving, "place_of", lambda *_args: None)
    assert quick == work_on(path, Random(seed))


def test_the_other_documents_are_not_read(tmp_path, monkeypatch):
    rng = Random("many")
    path = tmp_path / "many.jsonl"
    path.write_text("".join(invented_line(rng, f"d{k}") + "\n" for k in range(300)))
    made = []
    real = read.document_of
    monkeypatch.setattr(read, "document_of", lambda *args: made.append(args[0]) or real(*args))
    file = OpenFile(path)
    session = Session(file.document("d150"))
    session.relabel(session.document.links[0].id, "bi")
    before = path.read_bytes().splitlines()
    file.save("d150", session.document)
    after = path.read_bytes().splitlines()
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [150]
    assert set(made) == {"d150"}
