"""What is made fast for large corpora equals what the plain way makes: parts of pages, pieces of text, rows."""

import random

import pytest
from jinja2 import Environment, StrictUndefined
from shared_data import shared

from temporacle.calendar.policy import Calendar
from temporacle.io import read_graphs, read_source
from temporacle.io.source import Options, Source
from temporacle.model import Body, Document, Entity, Kind, PlainGraph
from temporacle.report.document.gather import entity_rows, pieces_of
from temporacle.report.document.page import document_page, document_rows, link_table, marked_text
from temporacle.report.document.values import DocumentRow, EntityRow, LinkRow, Piece
from temporacle.report.html import trusted, whole_page
from temporacle.report.writing import rendered_document
from temporacle.results import DocumentVerdict

# The same parts as templates: one value at a time, each escaped by Jinja.
TABLE = """\
<div class="scroll" tabindex="0" role="region" aria-label="{{ caption }}">
<table>
<caption><span>{{ caption }}{% if links|length > most %}: the first {{ most }} of {{ links|length }}{% endif %}\
</span></caption>
<thead><tr>{% for name in ["Link", "Source", "Label", "Target", "Atoms"] %}<th scope="col">{{ name }}</th>{% endfor %}\
<th scope="col" class="number">Line</th></tr></thead>
<tbody>
{% for link in links[:most] %}<tr><td><code>{{ link.id }}</code></td><td>{{ link.source }}</td>\
<td>{{ link.label }}</td><td>{{ link.target }}</td><td><code>{{ link.relation }}</code></td>\
<td class="number">{{ link.line if link.line is not none }}</td></tr>
{% endfor %}</tbody></table></div>"""
TEXT = """\
<div class="text" dir="auto">{% for piece in pieces %}{% if piece.entities %}\
<mark class="{{ piece.entities[0].kind }}{{ ' conflicted' if numbers[loop.index0] }}" \
{% if values[loop.index0] %} title="{{ values[loop.index0] }}"{% endif %}\
{% if begins[loop.index0] %} id="{{ key }}-e{{ begins[loop.index0][0] }}"{% endif %}>\
{% for number in begins[loop.index0][1:] %}<span id="{{ key }}-e{{ number }}"></span>{% endfor %}\
{{ piece.text }}<sub>{{ piece.entities|map(attribute='id')|join(' ') }}</sub>\
{% for number in numbers[loop.index0] %}<a class="badge" href="#{{ key }}-c{{ number }}" \
aria-label="conflict {{ number }}" title="Part of conflict {{ number }}">{{ number }}</a>{% endfor %}</mark>\
{% else %}{{ piece.text }}{% endif %}{% endfor %}</div>"""
DOCUMENTS = """\
{% for row in rows %}<tr data-group="{{ row.verdict.value }}"><td>\
{% if href(row.key) %}<a href="{{ href(row.key) }}">{{ row.id }}</a>{% else %}{{ row.id }}{% endif %}</td>\
<td class="verdict {{ row.verdict.value }}">{{ row.verdict.value }}</td>\
<td class="number spare">{{ row.entities }}</td>\
{% for number in [row.links, row.conflict, row.repair, row.remarks] %}<td class="number">{{ number }}</td>{% endfor %}\
<td class="spare">{{ row.format }}</td><td class="spare">{{ row.place or row.path }}</td></tr>
{% endfor %}"""
ALPHABET = "ab <>&\"'\0é{}%\n"


def filled(template, **values):
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(template).render(**values)


def words(draw, least=0):
    return "".join(draw.choices(ALPHABET, k=draw.randint(least, 5)))


def drawn_links(draw):
    def line():
        return draw.choice([None, draw.randint(0, 99)])

    return [LinkRow(*(words(draw) for _ in range(5)), line()) for _ in range(draw.randint(0, 8))]


def drawn_pieces(draw):
    kinds = ["event", "time", "dct", "unknown"]
    rows = [
        EntityRow(number, words(draw, 1), draw.choice(kinds), "", draw.choice(["", words(draw, 1)]), True)
        for number in range(4)
    ]
    return [
        Piece(words(draw, 1), tuple(draw.sample(rows, draw.choice([0, 0, 1, 1, 2, 3]))))
        for _ in range(draw.randint(0, 9))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_a_table_of_links_is_that_of_a_template(seed):
    draw = random.Random(seed)
    links, caption = drawn_links(draw), words(draw)
    most = draw.choice([3, 1000])
    assert link_table(links, most, caption) == filled(TABLE, links=links, most=most, caption=caption)


@pytest.mark.parametrize("seed", range(60))
def test_a_table_of_documents_is_that_of_a_template(seed):
    draw = random.Random(seed)
    verdicts = list(DocumentVerdict)
    rows = [
        DocumentRow(
            f"d{number}",
            words(draw),
            draw.choice(verdicts),
            words(draw),
            words(draw),
            *draw.choices(range(99), k=5),
            place=words(draw),
        )
        for number in range(draw.randint(0, 6))
    ]
    places = {row.key: draw.choice([None, "", words(draw), f"r_files/{row.key}.html"]) for row in rows}
    assert document_rows(rows, places.get) == filled(DOCUMENTS, rows=rows, href=places.get)


@pytest.mark.parametrize("seed", range(30))
def test_the_page_of_a_document_is_that_of_its_template(seed):
    draw = random.Random(seed)
    title, article, back = words(draw), f"<p>{words(draw)}\ue000title\ue000</p>", words(draw)
    parts = {"title": title, "heading": title, "article": trusted(article), "back": back, "near": ""}
    assert document_page(title, article, back) == whole_page("document_page.html", scripts=(), **parts)


@pytest.mark.parametrize("seed", range(60))
def test_a_marked_text_is_that_of_a_template(seed):
    draw = random.Random(seed)
    pieces, key = drawn_pieces(draw), words(draw)
    conflicted = {number: draw.sample(range(1, 5), 2) for number in draw.sample(range(4), draw.randint(0, 2))}
    met: set[int] = set()
    begins = []
    for piece in pieces:
        begins.append([each.number for each in piece.entities if each.number not in met])
        met.update(begins[-1])
    values = ["; ".join(f"{each.id} = {each.value}" for each in piece.entities if each.value) for piece in pieces]
    numbers = [[n for each in piece.entities for n in conflicted.get(each.number, ())] for piece in pieces]
    expected = filled(TEXT, pieces=pieces, key=key, begins=begins, values=values, numbers=numbers)
    assert marked_text(pieces, key, conflicted) == expected


@pytest.mark.parametrize("seed", range(200))
def test_pieces_have_the_entities_of_each_character(seed):
    draw = random.Random(seed)
    length = draw.randint(1, 30)
    text = "".join(draw.choices("abc", k=length))
    places = sorted(draw.sample(range(length + 1), min(length + 1, 8)))
    apart = list(zip(places[::2], places[1::2], strict=False))
    anywhere = [(draw.randint(-1, length), draw.randint(0, length + 1)) for _ in range(4)]
    spans = draw.choice([apart, anywhere])
    draw.shuffle(spans)
    entities = tuple(Entity(f"e{number}", Kind.EVENT, None, (span,)) for number, span in enumerate(spans))
    document = Document("d", (), tuple(each.id for each in entities), body=Body(entities, text))
    pieces = pieces_of(document, entity_rows(document))
    found = [(character, {each.id for each in piece.entities}) for piece in pieces for character in piece.text]
    usable = [(each.id, *span) for each in entities for span in each.spans if 0 <= span[0] < span[1] <= length]
    assert found == [
        (character, {name for name, start, end in usable if start <= place < end})
        for place, character in enumerate(text)
    ]
    assert all(piece.text for piece in pieces)


JSON_LINES = b"""\
{"document": "a", "links": [{"source": "x", "relation": "BEFORE", "target": "y"}]}
{"document": "b", "links": [{"source": "x", "relation": "BEFORE", "target": "y"}, \
{"source": "y", "relation": "b|m", "target": "z"}, {"source": "y", "relation": "before", "target": "w"}]}
{"document": "c", "links": []}
{"document": "d", "links": [{"source": "x", "relation": "BEFORE", "target": "y"}, \
{"source": "y", "relation": "BEFORE", "target": "x"}]}
{"document": "e", "links": [{"source": "x", "relation": "AFTER", "target": "x"}]}
"""


def rendered(read, make, **asked):
    return [rendered_document(each, **asked) for each in read(make())]


@pytest.mark.parametrize("brief", [True, False])
def test_documents_read_as_graphs_look_the_same(brief):
    def make():
        return Source("d.jsonl", JSON_LINES)

    assert any(isinstance(each, PlainGraph) for each in read_graphs(make()))
    assert rendered(read_graphs, make, brief=brief) == rendered(read_source, make, brief=brief)


@pytest.mark.corpora
@pytest.mark.parametrize("calendar", [None, Calendar()])
def test_files_of_a_corpus_read_as_graphs_look_the_same(calendar):
    files = sorted(shared("corpora", "te3-silver").glob("*.tml"))[:60]
    options = Options(values=calendar is not None)
    graphs = 0
    for file in files:

        def make(file=file):
            return Source(str(file), None, options)

        found = rendered(read_graphs, make, brief=True, calendar=calendar)
        assert found == rendered(read_source, make, brief=True, calendar=calendar)
        graphs += sum(isinstance(each, PlainGraph) for each in read_graphs(make()))
    assert graphs > len(files) / 2
