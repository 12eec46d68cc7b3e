"""``report`` and ``report_comparison`` in Python: paths, documents, statements and frames in, typed results out."""

import json
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.corpus.observer import Observer
from temporacle.corpus.read import read_corpus
from temporacle.errors import UsageError
from temporacle.model import Document
from temporacle.tasks.report import report, report_comparison
from temporacle.tasks.report_comparison import gold_and_systems

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CIRCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "a")]


class Heard(Observer):
    """Keeps what it hears."""

    def __init__(self):
        self.codes = []
        self.documents = 0

    def unusable(self, path, remark):
        self.codes.append((path, remark.line, remark.code))

    def advanced(self, documents, size):
        self.documents += documents


def page_of(tmp_path):
    return (tmp_path / "r.html").read_text("utf-8")


def test_a_corpus_of_paths_gives_what_the_command_writes(tmp_path):
    paths = [str(EXAMPLES / "corpus")]
    written = report(paths, out=tmp_path / "r.html", jobs=1)
    assert run(["report", *paths, "-o", str(tmp_path / "c.html")]) == 0
    assert page_of(tmp_path) == (tmp_path / "c.html").read_text("utf-8")
    assert written.verdicts == {"consistent": 2, "inconsistent": 2}
    assert written.written == (str(tmp_path / "r.html"),)
    assert written.trouble == ()
    assert "\n" not in repr(written)


def test_documents_give_the_same_page_as_their_paths(tmp_path):
    written = report(EXAMPLES / "corpus", out=tmp_path / "r.html", title="t", jobs=1)
    by_paths = page_of(tmp_path)
    again = report(read_corpus(EXAMPLES / "corpus"), out=tmp_path / "r.html", title="t", jobs=1)
    assert page_of(tmp_path) == by_paths
    assert again == written


def test_statements_and_frames_are_reported(tmp_path):
    assert report(CIRCLE, out=tmp_path / "r.html").verdicts == {"inconsistent": 1}
    columns = {"source": ["a", "b"], "relation": ["BEFORE", "BEFORE"], "target": ["b", "a"]}
    pd = pytest.importorskip("pandas")
    assert report(pd.DataFrame(columns), out=tmp_path / "r.html").verdicts == {"inconsistent": 1}
    frame = report(CIRCLE, out=tmp_path / "r.html").to_frame()
    assert list(frame["verdict"]) == ["inconsistent"]


def test_results_are_plain_values(tmp_path):
    corpus = report(CIRCLE, out=tmp_path / "r.html")
    assert json.loads(json.dumps(corpus.to_dict()))["documents"][0]["conflict"] == 2
    system = Document("<document>", [("a", "BEFORE", "b")])
    compared = report_comparison(system, {"<ours>": system}, out=tmp_path / "r.html", jobs=1)
    assert json.loads(json.dumps(compared.to_dict()))["documents"][0]["scores"]["<ours>"]["f1"] == 1
    assert "<ours>" not in compared._repr_html_()
    assert "<table>" in corpus._repr_html_()


def test_systems_are_given_by_name_by_path_or_as_documents(tmp_path):
    gold, system = EXAMPLES / "gold", EXAMPLES / "system"
    scores = []
    for systems in ({"ours": system}, str(system), [system], list(read_corpus(system))):
        written = report_comparison(gold, systems, out=tmp_path / "r.html", jobs=1)
        scores.append([row.figures for row in written.documents])
        assert written.gold == str(gold)
    assert scores[0] == scores[1] == scores[2] == scores[3]
    both = report_comparison(gold, {"ours": system, "gold": gold}, out=tmp_path / "r.html", jobs=1)
    assert both.systems == ("ours", "gold")
    assert [row.figures[1].f1 for row in both.documents] == [1, 1]


def test_what_cannot_be_used_is_heard_and_kept(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "d.tsv").write_text("x\tBEFORE\ty\ny\tNOSUCH\tz\n")
    (corpus / "torn.tsv").write_text("x\tBEFORE\n")
    heard = Heard()
    written = report(corpus, out=tmp_path / "r.html", jobs=1, observer=heard)
    assert heard.codes == [
        (str(corpus / "d.tsv"), 2, "unknown-label"),
        (str(corpus / "torn.tsv"), None, "unreadable"),
    ]
    assert [(path, remark.line, remark.code) for path, remark in written.trouble] == heard.codes
    assert heard.documents == 2
    late = report(EXAMPLES / "corpus" / "puzzle.tsv", out=tmp_path / "r.html", time_limit=0)
    assert [remark.code for _, remark in late.trouble] == ["undecided"]


def test_nothing_readable_is_an_error_and_writes_nothing(tmp_path):
    (tmp_path / "broken.tml").write_text("<TimeML>")
    heard = Heard()
    with pytest.raises(UsageError):
        report(tmp_path / "broken.tml", out=tmp_path / "r.html", observer=heard)
    with pytest.raises(UsageError):
        report_comparison(EXAMPLES / "gold", tmp_path / "broken.tml", out=tmp_path / "r.html")
    assert [code for _, _, code in heard.codes] == ["unreadable"]
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    "chosen", [{"layout": "round"}, {"backend": "cloud"}, {"resume": "journal"}, {"scheduler": "tcp://x:1"}]
)
def test_wrong_arguments_are_refused(tmp_path, monkeypatch, chosen):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        report(CIRCLE, out="r.html", **chosen)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("chosen", [{"align": "colour"}, {"systems": {}}])
def test_wrong_arguments_of_a_comparison_are_refused(tmp_path, chosen):
    with pytest.raises(UsageError):
        report_comparison(EXAMPLES / "gold", **{"systems": EXAMPLES / "system", "out": tmp_path / "r.html", **chosen})


def test_paths_are_gold_and_systems_if_their_documents_have_the_same_names():
    gold, system, other = (str(EXAMPLES / name) for name in ("gold", "system", "corpus"))
    assert [side.name for side in gold_and_systems([gold, system])] == [gold, system]
    assert gold_and_systems([gold, system], "corpus") is None
    assert gold_and_systems([gold, other]) is None
    assert gold_and_systems([gold, system, other]) is None
    assert len(gold_and_systems([gold, other], "comparison")) == 2
    for paths, kind in (([gold], "comparison"), ([gold], "picture")):
        with pytest.raises(UsageError):
            gold_and_systems(paths, kind)
