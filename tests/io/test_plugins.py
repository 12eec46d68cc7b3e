"""What other packages add: the example in ``examples/plugin``, and packages that are broken."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib import invalidate_caches
from pathlib import Path

import pytest

import temporacle as tp
from temporacle import plugins
from temporacle.cli import run
from temporacle.io.formats import REGISTRY

EXAMPLE = Path("examples/plugin").resolve()
ENTRY_POINTS = """\
[temporacle.formats]
arrows = temporacle_arrows:Arrows
[temporacle.metrics]
equal-links = temporacle_arrows:EqualLinks
[temporacle.label_sets]
arrow-labels = temporacle_arrows:ArrowLabels
"""
ARROWS = "#arrows\nleft -> docked\ndocked == moored\n"
CYCLE = ARROWS + "moored -> left\n"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package where Python finds it, as an installer would."""
    added = []

    def installed(name, entry_points, files=None, version="0.3"):
        place = tmp_path / f"site-{name}"
        about = place / f"{name}-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (about / "entry_points.txt").write_text(entry_points)
        for file, content in (files or {}).items():
            (place / f"{file}.py").write_text(content)
            added.append(file)
        monkeypatch.syspath_prepend(str(place))
        forget()

    yield installed
    for name in (*added, "temporacle_arrows"):
        sys.modules.pop(name, None)
    monkeypatch.undo()
    forget()


def forget():
    invalidate_caches()
    for cached in (plugins._declared, plugins._loaded, plugins._refuse):
        cached.cache_clear()
    from temporacle.scoring.metric import metric_named
    from temporacle.scoring.official.registry import program_named

    metric_named.cache_clear()
    program_named.cache_clear()


@pytest.fixture
def arrows(install):
    install("temporacle-arrows", ENTRY_POINTS, {"temporacle_arrows": (EXAMPLE / "temporacle_arrows.py").read_text()})


@pytest.mark.usefixtures("arrows")
def test_a_format_is_recognised_read_written_and_listed(tmp_path, capsys):
    path = tmp_path / "d1.arrows"
    path.write_text(CYCLE)
    document = tp.read(path)
    assert [(link.source, str(link.relation), link.target) for link in document.links[:1]] == [
        ("left", "b|m", "docked")
    ]
    assert document.how_read.choices == ("plugin-temporacle-arrows@0.3",)
    assert (document.id, document.path) == ("d1", str(path))
    assert {link.line for link in document.links} == {None}  # a plugin does not say them
    assert str(tp.check(tmp_path)[0].verdict) == "inconsistent"
    assert str(tp.check(CYCLE)[0].verdict) == "inconsistent"
    (tmp_path / "d1.arrows.gz").write_bytes(gzip.compress(CYCLE.encode()))
    assert tp.read(tmp_path / "d1.arrows.gz", format="arrows").links[0].source == "left"
    tp.convert(path, tmp_path / "out.jsonl")
    tp.convert(path, tmp_path / "again.arrows")
    assert (tmp_path / "again.arrows").read_text() == CYCLE
    assert run(["formats", "--output", "json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["format"]: row["about"] for row in listed}["arrows"] == "links as arrows (temporacle-arrows 0.3)"
    assert run(["check", str(path), "--format", "arrows"]) == 1
    capsys.readouterr()


@pytest.mark.usefixtures("arrows")
def test_links_of_a_plugin_that_cannot_be_used_are_skipped(tmp_path):
    (tmp_path / "d1.arrows").write_text(ARROWS + "left ~> moored\nhello\n")
    assert tp.check(tmp_path)[0].skipped_links == {"missing-endpoint": 1, "unknown-label": 1}


@pytest.mark.usefixtures("arrows")
def test_a_metric_scores_and_signatures_name_plugins(tmp_path, capsys):
    gold, system = tmp_path / "gold.arrows", tmp_path / "system.arrows"
    gold.write_text(ARROWS)
    system.write_text("#arrows\nleft -> docked\ndocked -> moored\n")
    score = tp.score(gold, system, metric="equal-links")
    assert float(score.f1) == 0.5
    assert "|plugin:temporacle-arrows@0.3|" in score.signature
    assert "plugin-temporacle-arrows@0.3" in tp.score(gold, system).signature
    assert "arrow-labels@temporacle-arrows@0.3@" in tp.score(gold, system).signature
    assert run(["score", str(gold), str(system), "--metric", "equal-links"]) == 0
    assert "0.5000" in capsys.readouterr().out
    assert tp.score(gold, system, metric="equal-links", jobs=2).f1 == score.f1


@pytest.mark.usefixtures("arrows")
def test_nothing_of_a_plugin_is_imported_until_it_is_needed(tmp_path):
    tp.check([("a", "BEFORE", "b")])
    tp.score("examples/gold", "examples/system")
    assert "temporacle_arrows" not in sys.modules
    (tmp_path / "d1.arrows").write_text(ARROWS)
    tp.read(tmp_path / "d1.arrows")
    assert "temporacle_arrows" in sys.modules


@pytest.mark.usefixtures("arrows")
def test_verify_uses_no_plugin(tmp_path):
    path = tmp_path / "corpus" / "d1.arrows"
    path.parent.mkdir()
    path.write_text(CYCLE)
    tp.check(path, certificates=tmp_path / "proofs")
    del sys.modules["temporacle_arrows"]
    forget()
    (proof,) = (tmp_path / "proofs").glob("*.json")
    assert tp.verify(proof).valid  # the certificate alone needs no reader
    found = tp.verify(proof, document=path)
    assert not found.valid
    assert "a plugin read its format 'arrows'" in found[0].reason
    assert "temporacle_arrows" not in sys.modules
    with plugins.without_plugins(), pytest.raises(tp.UsageError, match="format='arrows': choose"):
        tp.read(path, format="arrows")


BROKEN = {
    "raises": ("raise ImportError('no such thing')", "ImportError: no such thing"),
    "old": ("class It:\n    protocol = 0", "version 0 of the protocol"),
    "empty": (
        "class It:\n    protocol = 1\n    about = ''",
        "it has no label_set, no read, no recognises, no suffixes",
    ),
    "absent": ("", "AttributeError"),
    "ends": ("raise SystemExit(3)", "SystemExit: 3"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_a_warning_with_its_name(name, install, tmp_path, capsys):
    code, reason = BROKEN[name]
    install("broken-package", f"[temporacle.formats]\n{name} = broken_plugin:It\n", {"broken_plugin": code})
    with pytest.warns(
        plugins.PluginWarning, match=f"the plugin {name} of broken-package 0.3 cannot be used: .*"
    ) as told:
        assert [run(["formats"]), run(["formats"])] == [0, 0]
    assert len(told) == 1
    assert reason in str(told[0].message)
    assert "timeml" in capsys.readouterr().out
    (tmp_path / "strange.txt").write_text("no format at all\nin two lines\n")
    assert str(tp.check(tmp_path / "strange.txt")[0].verdict) == "unreadable"
    with pytest.raises(tp.UsageError, match=f"format='{name}': choose timeml") as raised:
        tp.check(tmp_path, format=name)
    assert name not in raised.value.allowed


def test_a_plugin_that_fails_spoils_its_file_only(install, tmp_path):
    source = """
class It:
    protocol = 1; about = "it"; suffixes = (".it",); label_set = None
    recognises = staticmethod(lambda start, path: start.startswith(b"#it"))
    def read(content, name): raise ValueError("oh")
class Metric:
    protocol = 1; about = "it"
    def count(gold, system): return 3, 2, 1, 1
"""
    install(
        "it",
        "[temporacle.formats]\nit = it_plugin:It\n[temporacle.metrics]\nitm = it_plugin:Metric\n",
        {"it_plugin": source},
    )
    (tmp_path / "a.it").write_text("#it")
    shutil.copy("examples/corpus/ferry.tml", tmp_path)
    found = {check.document: check for check in tp.check(tmp_path)}
    assert "the plugin it of it 0.3 failed: ValueError: oh" in found["a.it"].error
    assert str(found["ferry"].verdict) == "consistent"
    score = tp.score("examples/gold", "examples/system", metric="itm")
    assert score.documents == ()
    assert all("counts 3 of 2" in each["reason"] for each in score.to_dict()["skipped"])


ODD = """
from types import SimpleNamespace as Odd
both = dict(protocol=1, about="odd", extends=None, suffixes=(".odd",), label_set=None, complete=True)
listless, numbered = Odd(labels=None, **both), Odd(labels={3: "b"}, **both)
stops = Odd(recognises=lambda start, path: exit(3), read=lambda *_: [3], close=exit, run=lambda *_: 0, **both)
endless = Odd(run=lambda *_: {"text": "", "precision": float("nan"), "recall": 1, "f1": 1}, **both)
good = Odd(recognises=lambda start, path: True, read=lambda *_: [{"links": [("a", "b", "b")]}], **both)
"""
ODD_POINTS = """\
[temporacle.label_sets]
listless = odd_plugin:listless
numbered = odd_plugin:numbered
[temporacle.formats]
stops = odd_plugin:stops
good = odd_plugin:good
[temporacle.programs]
stops = odd_plugin:stops
endless = odd_plugin:endless
[temporacle.engines]
stops = odd_plugin:stops
"""


def test_a_plugin_that_answers_oddly_is_named(install, tmp_path):
    install("odd", ODD_POINTS, {"odd_plugin": ODD})
    for name in ("listless", "numbered"):
        with pytest.raises(tp.UsageError, match=f"the plugin {name} of odd@0.3 has labels, but not as a mapping"):
            tp.load_reading(name)
    for name in ("stops", "endless"):
        with pytest.raises(tp.UsageError, match=f"the plugin {name} of odd 0.3 failed"):
            tp.official(name, "examples/gold", "examples/system")
    assert not tp.crosscheck(cases=2, medium=0, engine="stops").clean
    path = tmp_path / "a.odd"
    path.write_text("odd\nin two lines\n")
    with pytest.raises(tp.InputError, match=r"the plugin stops of odd 0\.3 failed"):
        tp.read(path, format="stops")
    with pytest.warns(plugins.PluginWarning, match=r"stops of odd 0\.3 failed: SystemExit: 3"):
        assert len(tp.read(path).links) == 1  # the other one recognises it


def test_names_of_ours_are_not_taken(install):
    source = (EXAMPLE / "temporacle_arrows.py").read_text()
    points = "[temporacle.formats]\ntimeml = shadow:Arrows\n[temporacle.metrics]\nawareness = shadow:EqualLinks\n"
    install("shadowing", points, {"shadow": source})
    with pytest.warns(
        plugins.PluginWarning, match=r"the plugin timeml of shadowing 0.3 .* Temporacle has timeml itself"
    ):
        assert plugins.plugins(plugins.Group.FORMATS, REGISTRY) == ()
    assert tp.read("examples/corpus/ferry.tml").format == "timeml"
    assert "plugin" not in tp.score("examples/gold", "examples/system").signature
    assert "shadow" not in sys.modules


def test_an_engine_is_audited_and_crosschecked(install):
    source = """
class Engine:
    protocol = 1; about = "only what is stated"; complete = {complete}
    @staticmethod
    def close(links):
        return links
"""
    points = "[temporacle.engines]\nlazy = engines:Lazy\nhonest = engines:Honest\n"
    both = source.format(complete=True).replace("Engine", "Lazy") + source.format(complete=False).replace(
        "Engine", "Honest"
    )
    install("two-engines", points, {"engines": both})
    assert not tp.crosscheck(cases=20, medium=0, engine="lazy").clean
    assert tp.crosscheck(cases=20, medium=0, engine="honest").clean
    assert not tp.audit("lazy", cases=20, large=0).clean
    with pytest.raises(tp.UsageError, match=r"engine='nobody': choose .*lazy"):
        tp.crosscheck(cases=1, engine="nobody")


def test_a_program_prints_its_own_text(install, capsys):
    source = """
class Program:
    protocol = 1; about = "always half right"
    def run(gold, system):
        return {"text": f"{gold} {system}\\n", "precision": 0.5, "recall": 0.5, "f1": 0.5}
"""
    install("programs", "[temporacle.programs]\nhalf = halves:Program\n", {"halves": source})
    found = tp.official("half", "examples/gold", "examples/system")
    assert (found.text, found.total["f1"]) == ("examples/gold examples/system\n", 0.5)
    assert "plugin:programs@0.3" in found.signature
    assert run(["official", "--list"]) == 0
    assert "always half right" in capsys.readouterr().out
    assert run(["official", "half", "examples/gold", "examples/system"]) == 0
    assert capsys.readouterr().out == "examples/gold examples/system\n"


def test_a_label_set_is_chosen_by_its_name(install):
    install("temporacle-arrows", ENTRY_POINTS, {"temporacle_arrows": (EXAMPLE / "temporacle_arrows.py").read_text()})
    document = tp.read([("a", "->", "b")], labels="arrow-labels")
    assert str(document.links[0].relation) == "b|m"
    with pytest.raises(tp.UsageError, match=r"labels='nobody': choose .*arrow-labels"):
        tp.load_reading("nobody")


@pytest.mark.slow
def test_the_example_is_installed_from_its_folder(tmp_path):
    """In an environment of its own, which sees the packages of this one."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    Path(site, "outer.pth").write_text(f"{sysconfig.get_path('purelib')}\n{Path.cwd()}\n")
    folder = shutil.copytree(EXAMPLE, tmp_path / "plugin")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", str(folder)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if "No matching distribution found for setuptools" in done.stderr:
        pytest.skip("no network to get the builder from")
    assert done.returncode == 0, done.stderr
    (tmp_path / "d1.arrows").write_text(CYCLE)

    def temporacle(*arguments):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            [python, "-m", "temporacle", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=clean,
            cwd=tmp_path,
        )

    assert "temporacle-arrows 0.3" in temporacle("formats").stdout
    assert temporacle("check", "d1.arrows").returncode == 1
    scored = temporacle("score", "d1.arrows", "d1.arrows", "--metric", "equal-links")
    assert "plugin:temporacle-arrows@0.3" in scored.stdout + scored.stderr


def test_nothing_looks_for_plugins_until_asked(monkeypatch, capsys):
    """So that start-up takes no longer with many of them."""
    forget()
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: pytest.fail("looked for plugins"))
    assert run(["check", "examples/gold"]) == 0
    assert run(["score", "examples/gold", "examples/system", "--metric", "closure"]) == 0
    capsys.readouterr()
