"""Whatever bytes come, a reader of XML answers with a document or with a reason."""

from hypothesis import given, settings
from hypothesis import strategies as st
from test_io_xml_golden import CASES

from temporacle.io import Options, Source, read_source
from temporacle.io.writers import WRITERS
from temporacle.model import Document, Unreadable

SAMPLES = [path.read_bytes() for case in CASES for path in (case / "input").iterdir()]
PIECES = [b"<", b">", b'"', b"&", b"&#0;", b"\x00", b"\xff", b"<!--", b"]]>", b"<TLINK/>", b"<EVENT/>", b"<TIMEX3/>"]
PIECES += [b"<MAKEINSTANCE/>", b'tid=""', b"<source/>", b"<target m_id=''/>", b"<entity/>", b"<relation/>", b"<file/>"]


@st.composite
def damaged(draw):
    """A sample with parts cut out, doubled, or replaced."""
    data = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 60)))
        filling = draw(st.one_of(st.sampled_from(PIECES), st.just(data[start:end] * 2), st.binary(max_size=4)))
        data = data[:start] + filling + data[end:]
    return data


@given(damaged(), st.booleans(), st.booleans())
@settings(max_examples=400)
def test_damaged_files_give_a_document_or_a_reason(data, keep_unknown, doctimerel):
    source = Source("kite.xml", data, Options(keep_unknown=keep_unknown, doctimerel=doctimerel))
    for found in read_source(source):
        if isinstance(found, Unreadable):
            assert found.error.path == "kite.xml"
            continue
        assert isinstance(found, Document)
        names = set(found.entity_ids)
        assert all(link.source in names and link.target in names for link in found.links)
        assert len({link.id for link in found.links}) == len(found.links)
        assert tuple(entity.id for entity in found.entities) == found.entity_ids
        for writer in (WRITERS["timeml"], WRITERS["jsonl"], WRITERS["dot"], WRITERS["csv"]):
            assert writer.text(found, lambda _remark: None) is not None
