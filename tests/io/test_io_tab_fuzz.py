"""Whatever the bytes, a reader gives documents or an InputError."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from temporacle.errors import InputError
from temporacle.io.formats import format_named
from temporacle.io.source import Options, Source
from temporacle.model import Document, Unreadable

FILES = ["tsv", "jsonl", "dense", "matres", "timeline", "deptree", "depgraph"]
FOLDERS = {
    "tempeval2": [
        "event-extents.tab",
        "timex-extents.tab",
        "base-segmentation.tab",
        "dct.txt",
        "tlinks-main-events.tab",
    ],
    "estonian": [
        "event-annotation",
        "timex-annotation",
        "timex-annotation-dct",
        "base-segmentation-morph-syntax",
        "tlink-event-dct",
        "tlink-main-events.ann-a",
    ],
}
fields = st.sampled_from(
    [
        "d",
        "e1",
        "e2",
        "t0",
        "0",
        "1",
        "-1",
        "b",
        "v",
        "BEFORE",
        "after",
        " b ",
        "DURING",
        "VAGUE",
        "x",
        "",
        "#",
        "\u0663",
    ]
)
separators = st.sampled_from(["\t", "\t", "\t", " ", "\r", "\x85"])
lines = st.lists(st.tuples(fields, separators), min_size=1, max_size=7).map(lambda parts: "".join(map("".join, parts)))
tables = st.lists(lines, max_size=6).map(lambda each: "\n".join(each).encode())
contents = st.one_of(tables, st.binary(max_size=80))
options = st.sampled_from(
    [Options(), Options(encoding="latin-1"), Options(reading="allen"), Options(keep_unknown=True)]
)


def check(reader, source):
    try:
        for found in reader(source):
            assert isinstance(found, Document | Unreadable)
            if isinstance(found, Document):
                assert {end for link in found.links for end in (link.source, link.target)} <= set(found.entity_ids)
                assert tuple(entity.id for entity in found.entities) == found.entity_ids
                assert len({link.id for link in found.links}) == len(found.links)
    except InputError as error:
        assert str(error)  # noqa: PT017 - any other exception fails the test


@pytest.mark.parametrize("name", FILES)
@given(data=contents, options=options)
def test_any_file(name, data, options):
    check(format_named(name).reader(), Source("folder/any.txt", data, options))


@pytest.mark.parametrize("name", FOLDERS)
@given(data=st.data())
def test_any_folder(name, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp(name)
    for file in FOLDERS[name]:
        (folder / file).write_bytes(data.draw(contents))
    check(format_named(name).reader(), Source(str(folder), b"", data.draw(options)))
