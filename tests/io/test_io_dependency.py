import pytest

from temporacle.errors import InputError
from temporacle.io import dependency
from temporacle.io.source import Source


def triples(found):
    return [(link.source, str(link.relation), link.target) for document in found for link in document.links]


def test_trees_and_graphs_read_in_opposite_directions():
    tree = Source("x.tdt", b"d\t1\t4\t4\tEvent\t0\t2\t2\tbefore\n")
    graph = Source("x.txt", b"filename:d:SNT_LIST\nEDGE_LIST\n1_4_4\tEvent\t0_2_2\tbefore\n")
    assert triples(dependency.read_trees(tree)) == [("0_2_2", "b|m", "1_4_4")]
    assert triples(dependency.read_graphs(graph)) == [("1_4_4", "b|m", "0_2_2")]


@pytest.mark.parametrize(
    ("reader", "data", "line"),
    [
        (dependency.read_trees, b"d\t1\t4\t4\tEvent\t0\t2\t2\n", 1),
        (dependency.read_graphs, b"filename:d:SNT_LIST\nEDGE_LIST\n1_4_4\tEvent\tbefore\n", 3),
        (dependency.read_graphs, b"\nEDGE_LIST\n", 2),
    ],
)
def test_what_has_another_shape_is_refused(reader, data, line):
    with pytest.raises(InputError) as caught:
        list(reader(Source("x", data)))
    assert caught.value.line == line


def test_a_node_beyond_its_sentence_has_the_words_that_are_there():
    edges = "".join(f"{node}\tEvent\t-1_-1_-1\tDepend-on\n" for node in ("0_1_999999999", "0_7_8"))
    data = f"filename:d:SNT_LIST\nThey left .\nEDGE_LIST\n{edges}".encode()
    (document,) = dependency.read_graphs(Source("x", data))
    assert [entity.text for entity in document.entities] == ["left .", None]
