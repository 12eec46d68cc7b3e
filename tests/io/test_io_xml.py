"""XML from strangers: nothing fetched, nothing expanded, every complaint located."""

import resource

import pytest

from temporacle.errors import InputError
from temporacle.io import Options, Source, read_source
from temporacle.io.xml import parse
from temporacle.model import Unreadable


def root_of(data, name="x.tml", **options):
    return parse(Source(name, data if isinstance(data, bytes) else data.encode(), Options(**options)))


def complaint(data, **options):
    with pytest.raises(InputError) as caught:
        root_of(data, **options)
    return caught.value


BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE TimeML [\n<!ENTITY a0 "kite">\n'
    + "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">\n' for k in range(12))
    + "]>\n<TimeML>&a12;</TimeML>"
)


def test_a_bomb_of_entities_is_refused_before_it_goes_off():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    error = complaint(BOMB)
    assert "defines entities" in error.reason
    assert error.line == 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_bomb_cannot_hide_in_an_encoding(encoding):
    error = complaint(BOMB.replace('version="1.0"', 'version="1.0" encoding="utf-16"').encode(encoding))
    assert "defines entities" in error.reason


def test_external_entities_are_never_read(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    error = complaint(f'<!DOCTYPE TimeML [<!ENTITY x SYSTEM "{secret.as_uri()}">]><TimeML>&x;</TimeML>')
    assert "defines entities" in error.reason
    error = complaint(f'<!DOCTYPE TimeML [<!ENTITY % x SYSTEM "{secret.as_uri()}"> %x;]><TimeML/>')
    assert "defines entities" in error.reason


def test_a_document_type_without_entities_does_no_harm(tmp_path):
    assert root_of('<!DOCTYPE TimeML SYSTEM "nowhere.dtd"><TimeML/>').tag == "TimeML"
    assert root_of("<TimeML><![CDATA[<!DOCTYPE x [<!ENTITY]>]]></TimeML>").text == "<!DOCTYPE x [<!ENTITY]>"
    dtd = tmp_path / "real.dtd"
    dtd.write_text('<!ENTITY x "loaded">')
    root = root_of(f'<!DOCTYPE TimeML SYSTEM "{dtd.as_uri()}"><TimeML>&x;</TimeML>')
    assert "loaded" not in "".join(root.itertext())


def test_what_is_not_well_formed_gets_line_and_column():
    error = complaint("<TimeML>\n<TEXT>\n  <EVENT>\n</TEXT></TimeML>")
    assert error.reason.startswith("not well-formed XML: Opening and ending tag mismatch")
    assert (error.line, error.column is not None) == (4, True)
    assert "line" not in error.reason.rsplit(" and ", 1)[-1]


def test_what_is_cut_off_gets_line_and_column():
    error = complaint('<TimeML>\n<TLINK lid="l1"')
    assert error.line == 2
    assert str(error).startswith("x.tml:2:")


def test_deep_nesting_is_refused_not_crashed_on():
    assert "beyond what is safe" in complaint("<a>" * 100_000 + "</a>" * 100_000).reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "file is empty"), (b"  kite  ", "not XML: it starts with 'kite'"), (b"\n", "not XML: it starts with ''")],
)
def test_what_is_no_xml_at_all(data, reason):
    assert complaint(data).reason == reason


def test_encodings_are_obeyed():
    assert root_of('<?xml version="1.0" encoding="ISO-8859-1"?><TimeML>é</TimeML>'.encode("latin-1")).text == "é"
    assert root_of('<?xml version="1.0" encoding="utf-16"?><TimeML>é</TimeML>'.encode("utf-16")).text == "é"
    assert root_of("<TimeML>é</TimeML>").text == "é"
    assert root_of("<TimeML>é</TimeML>".encode("latin-1"), encoding="latin-1").text == "é"
    assert root_of("\ufeff<TimeML>é</TimeML>").text == "é"
    assert root_of('<?xml version="1.0" encoding="latin-1"?><TimeML>é</TimeML>'.encode("latin-1")).text == "é"
    assert (
        root_of('<?xml version="1.0" encoding="utf-8"?><TimeML>é</TimeML>'.encode("cp1252"), encoding="cp1252").text
        == "é"
    )


def test_a_byte_that_does_not_fit_gets_its_offset():
    error = complaint(b"<TimeML>\nab\xe9c</TimeML>")
    assert error.reason == "byte 0xe9 at offset 11 is not utf-8"
    assert (error.line, error.column) == (2, 3)
    assert "encoding=" in error.cure
    error = complaint('<?xml version="1.0" encoding="us-ascii"?><TimeML>é</TimeML>')
    assert "is not us-ascii" in error.reason


@pytest.mark.parametrize("given", ["declared", "chosen"])
def test_an_unknown_encoding_is_told(given):
    if given == "declared":
        error = complaint('<?xml version="1.0" encoding="klingon"?><TimeML/>')
    else:
        error = complaint("<TimeML/>", encoding="klingon")
    assert "unknown encoding 'klingon'" in error.reason


def test_line_numbers_go_beyond_two_bytes():
    many = "<TimeML>" + "\n" * 70_000 + '<TLINK lid="l1" relType="BEFORE"/></TimeML>'
    (document,) = read_source(Source("x.tml", many.encode()))
    assert document.remarks[0].line == 70_001


def test_a_bad_file_is_a_value_not_an_exception():
    (found,) = read_source(Source("folder/x.tml", b"<TimeML>"))
    assert isinstance(found, Unreadable)
    assert (found.id, found.path) == ("x", "folder/x.tml")


@pytest.mark.parametrize("content", ["x" * 10_000_100, "<s>" * 300 + "</s>" * 300])
def test_what_is_too_large_is_not_called_malformed(content):
    error = complaint(f"<TimeML><TEXT>{content}</TEXT></TimeML>")
    assert error.reason.startswith("beyond what is safe to parse")
    assert "XML_PARSE_HUGE" not in str(error)
    assert error.cure is not None


def test_a_declaration_that_its_own_bytes_contradict_is_named():
    lie = b'<?xml version="1.0" encoding="utf-16"?><TimeML><TEXT>k\xc3\xa4se</TEXT></TimeML>'
    error = complaint(lie)
    assert error.reason == "declared as utf-16, but its characters are single bytes"
    assert "encoding='utf-8'" in (error.cure or "")
    assert "".join(root_of(lie, encoding="utf-8").itertext()) == "k\u00e4se"
