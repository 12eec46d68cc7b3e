"""One document has one list of conflicts, wherever one looks at it."""

import json
import re
from random import Random

import pytest
from dated import DAYS, WITHIN

import temporacle as tp
from fuzz.replay import random_network
from temporacle.cli import run
from temporacle.mcp.server import call
from temporacle.model import Body, Document, Entity, Kind, Link
from temporacle.relation import Relation
from temporacle.report.document import gather, values
from temporacle.workbench.document import judgement_view

LABELS = ["b", "bi", "m", "d", "=", "b|m"]


def convex(rng):
    names = [f"e{number}" for number in range(rng.randint(3, 6))]
    links = []
    for number in range(rng.randint(6, 14)):
        source, target = rng.sample(names, 2)
        label = rng.choice(LABELS)
        links.append(Link(str(number + 1), source, Relation(label), target, label, number + 1))
    return Document("drawn", tuple(links))


def disjunctive(rng):
    drawn = random_network(rng, most=6)
    links = (each._replace(id=str(line), line=line) for line, each in enumerate(drawn.links, 1))
    return Document("drawn", tuple(links))


def dated(rng):
    """A document whose first three entities are days; what they say takes part in conflicts."""
    drawn = convex(rng)
    names = [f"e{number}" for number in range(6)]
    entities = [Entity(name, Kind.TIME, value=rng.choice(DAYS)) for name in names[:3]]
    entities += [Entity(name, Kind.EVENT) for name in names[3:]]
    return Document("drawn", drawn.links[:9], tuple(names), body=Body(tuple(entities)))


def ids_of(conflicts):
    return [sorted(each["id"] for each in conflict) for conflict in conflicts]


def ids_in(text):
    """The ids in the lines of facts below a headline: "l1 (line 3): a BEFORE b"."""
    return sorted(re.findall(r"^\s*(e?\d+)(?: \(line \d+\))?: ", text, flags=re.MULTILINE))


def ids_by_headline(text):
    """The ids below each headline that is about the list."""
    headline = r"These \d+ (?:links|links and values|values) contradict each other|This link contradicts itself"
    parts = re.split(headline, text)[1:]
    return [ids_in(re.split(r"Why:|The document needs", part)[0]) for part in parts]


def said(capsys, *line):
    assert run([*line, "--calendar", "within"] if line[1].endswith("jsonl") else line) == 1
    return capsys.readouterr().out


def seen(path, capsys):
    """Yield each surface with the list that it shows."""
    calendar = "within" if path.endswith("jsonl") else None
    (check,) = tp.check(path, calendar=calendar)
    yield "Check", ids_of([each.to_dict() for each in conflict] for conflict in check.conflicts)
    row = json.loads(said(capsys, "check", path, "--output", "json"))
    yield "json", ids_of(row["conflicts"])
    text = said(capsys, "check", path)
    yield "terminal", ids_by_headline(text)[: len(check.conflicts)]
    (sarif,) = json.loads(said(capsys, "check", path, "--output", "sarif"))["runs"]
    found = [each for each in sarif["results"] if each["ruleId"] == "inconsistent"]
    yield (
        "sarif",
        [sorted(re.split("[: ]", place["message"]["text"])[0] for place in each["relatedLocations"]) for each in found],
    )
    yield (
        "junit",
        ids_by_headline(said(capsys, "check", path, "--output", "junit").partition("message=")[2].partition(">")[2]),
    )
    lines = said(capsys, "check", path, "--output", "github").splitlines()
    yield "github", [ids_in(line.replace("%0A", "\n")) for line in lines if "temporacle inconsistent" in line]
    session = tp.Session(path, calendar=calendar)
    yield "Session", ids_of([each.to_dict() for each in conflict] for conflict in session.conflicts)
    yield "workbench", ids_of(judgement_view(session)["conflicts"])
    page = gather.page_of(tp.read(path), calendar=WITHIN if calendar else None)
    yield "report", ids_of([{"id": each.link.id} for each in shown.facts] for shown in page.conflicts)
    statements = [
        {"id": each.id, "source": each.source, "relation": each.label, "target": each.target}
        for each in session.document.links
    ]
    values = {each.id: each.value for each in session.document.times if each.value}
    given = {"statements": statements, **({"values": values, "calendar": calendar} if calendar else {})}
    told = call("check", given).content
    yield "mcp", ids_of(told["conflicts"] if "conflicts" in told else [told["conflict"]])


def compare(document, tmp_path, capsys):
    dates = any(each.value for each in document.entities)
    path = str(tmp_path / ("drawn.jsonl" if dates else "drawn.tsv"))
    tp.write([document], path)
    calendar = ["--calendar", "within"] if dates else []
    if tp.check(path, calendar=dates or None)[0].verdict != "inconsistent":
        return False
    lists = dict(seen(path, capsys))
    assert len(lists) == 10
    assert {name for name, each in lists.items() if each != lists["Check"]} == set()
    baseline = tmp_path / "known.json"
    assert run(["check", path, "--write-baseline", str(baseline), "-q", *calendar]) == 0
    known = [each for each in json.loads(baseline.read_text())["findings"] if each["code"] == "inconsistent"]
    assert sum(each["count"] for each in known) == len(lists["Check"])
    capsys.readouterr()
    assert run(["check", path, "--baseline", str(baseline), *calendar]) == 0
    assert " known, 0 new, 0 fixed." in capsys.readouterr().out
    return True


@pytest.mark.parametrize("draw", [convex, disjunctive, dated])
def test_every_surface_shows_the_same_list(draw, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(values, "FACTS", 100)
    rng = Random(draw.__name__)
    met = [compare(draw(rng), tmp_path, capsys) for _ in range(12)]
    assert sum(met) >= 3
