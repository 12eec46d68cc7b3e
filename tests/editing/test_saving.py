"""Edited documents saved into their files: smallest change, complete or not at all, never over other people's work."""

import gzip
import os
import re
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.editing.saving import ChangedOnDiskError, OpenFile, export, exports
from temporacle.editing.versions import edits_between, statements, three_way
from temporacle.errors import InputError, UsageError
from temporacle.io import files
from temporacle.io.files import ORIGINAL
from temporacle.model import Document

JSON_LINES = (
    b'{"document": "d", "links": [{"source": "a", "relation": "b", "target": "c"}]}\nnot JSON\n'
    b'{"links": [{"source": "p", "relation": "b", "target": "q"}],  "document": "e"}\n'
)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "corpus"


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "council.tml"
    path.write_bytes((EXAMPLES / "council.tml").read_bytes())
    return path


def edited(document, **edits):
    session = tp.Session(document)
    session.edit(**edits)
    return session.document


# --- the smallest edits between two versions ---


def random_links(rng, count):
    triples = [(rng.choice("abc"), rng.choice(("BEFORE", "AFTER", "m")), rng.choice("xyz")) for _ in range(count)]
    return Document("d", triples).links


def test_edits_lead_from_one_version_to_the_other():
    rng = Random(5)
    for _ in range(500):
        before, after = (random_links(rng, rng.randrange(6)) for _ in range(2))
        edits = edits_between(before, after, {link.id: f"note {link.id}" for link in after})
        result = [
            link._replace(label=edits.relabel.get(link.id, link.label)) for link in before if link.id not in edits.drop
        ]
        stated = sorted([*((link.source, link.label, link.target) for link in result), *(new[:3] for new in edits.add)])
        assert stated == list(statements(after))
        assert len(edits.comment) + sum(new.comment is not None for new in edits.add) == len(after)
        # Nothing that both have is touched, so there are never more edits than links that differ.
        common = sum((_count(before) & _count(after)).values())
        assert len(edits.drop) + len(edits.relabel) == len(before) - common
        assert len(edits.add) + len(edits.relabel) == len(after) - common
        assert not edits_between(after, after)


def _count(links):
    from collections import Counter

    return Counter(statements(links))


# --- saving ---


def test_a_saved_file_differs_by_that_link_only(story):
    before = story.read_bytes()
    opened = OpenFile(story)
    saved = opened.save("council", edited(opened.document("council"), relabel={"l2": "AFTER"}))
    assert story.read_bytes() == before.replace(b'lid="l2" relType="IAFTER"', b'lid="l2" relType="AFTER"')
    assert saved.path == str(story)
    assert Path(saved.backup).read_bytes() == before
    assert not opened.is_changed()
    assert [path.name for path in sorted(story.parent.iterdir())] == ["council.tml", "council.tml.orig"]


def test_an_edit_that_is_undone_after_a_save_leaves_no_trace(story):
    before = story.read_bytes()
    opened = OpenFile(story)
    session = tp.Session(opened.document("council"))
    session.edit(remove=["l2", "l5"], add=[("ei1", "BEFORE", "ei4")])
    first = opened.save("council", session.document)
    assert len(tp.read(story).links) == 6
    session.undo()
    second = opened.save("council", session.document)
    assert story.read_bytes() == before
    assert (first.backup, second.backup) == (f"{story}.orig", None)
    assert Path(first.backup).read_bytes() == before


def test_an_original_is_kept_once_and_for_ever(story):
    original = story.read_bytes()
    for _ in range(3):
        opened = OpenFile(story)
        document = opened.document("council")
        opened.save("council", edited(document, remove=[document.links[0].id]))
    assert len(tp.read(story).links) == 4
    assert Path(f"{story}.orig").read_bytes() == original


def test_no_backup_if_none_is_wanted(story):
    opened = OpenFile(story)
    assert opened.save("council", edited(opened.document("council"), remove=["l1"]), backup=False).backup is None
    assert not Path(f"{story}.orig").exists()


def test_originals_are_no_documents(story):
    opened = OpenFile(story)
    opened.save("council", edited(opened.document("council"), remove=["l1"]))
    assert [document.path for document in tp.read_corpus(story.parent)] == [str(story)]
    story.unlink()
    assert [document.id for document in tp.read_corpus(story.parent)] == ["council.tml.orig"]  # the only version now


def test_comments_are_saved_with_their_links(story):
    opened = OpenFile(story)
    session = tp.Session(opened.document("council"))
    new = session.add("ei1", "BEFORE", "ei4")
    session.edit(comment={"l3": "sure?", new: "as they said"})
    opened.save("council", session.document, session.comments)
    text = story.read_text()
    assert 'lid="l3" relType="IBEFORE" eventInstanceID="ei3" relatedToEventInstance="ei2"/><!-- sure? -->' in text
    assert 'relatedToEventInstance="ei4"/><!-- as they said -->' in text


def test_a_file_that_changed_on_disk_is_left_alone(story):
    opened = OpenFile(story)
    theirs = story.read_bytes().replace(b"IAFTER", b"AFTER")
    story.write_bytes(theirs)
    assert opened.is_changed()
    with pytest.raises(ChangedOnDiskError, match="was changed by another program"):
        opened.save("council", edited(opened.document("council"), remove=["l1"]))
    assert story.read_bytes() == theirs
    assert not Path(f"{story}.orig").exists()
    story.unlink()
    with pytest.raises(InputError, match="cannot be opened"):
        opened.save("council", edited(opened.document("council"), remove=["l1"]))


def test_compressed_files_stay_compressed(tmp_path, story):
    path = tmp_path / "packed.tml.gz"
    path.write_bytes(gzip.compress(story.read_bytes()))
    packed = path.read_bytes()
    opened = OpenFile(path)
    document = opened.document("packed")
    opened.save("packed", edited(document, remove=["l1"]))
    assert gzip.decompress(path.read_bytes()).count(b"<TLINK") == 6
    opened.save("packed", document)
    assert path.read_bytes() == packed


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("many.tsv", b"d\ta\tb\tc\ne\tp\tb\tq\nd\tc\tm\tx\r\ne\tq\tb\tr\n"),
        (
            "many.jsonl",
            JSON_LINES,
        ),
    ],
)
def test_only_the_saved_document_of_a_file_changes(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    opened = OpenFile(path)
    first, second = opened.document("d"), opened.document("e")
    opened.save("d", edited(first, add=[("c", "b", "a")], remove=[first.links[0].id]))
    other = edited(second, relabel={second.links[0].id: "m"})
    rest = [line for line in path.read_bytes().splitlines(keepends=True) if b"e\t" in line or b'"e"' in line]
    assert all(line in data for line in rest)
    opened.save("e", other)
    after = {each.id: each for each in OpenFile(path).documents if isinstance(each, Document)}
    assert statements(after["e"].links) == statements(other.links)
    assert "c b a" in [link.said for link in after["d"].links]
    opened.save("d", first)
    opened.save("e", second)
    assert path.read_bytes() == data


def test_what_cannot_be_saved_is_exported(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("d\te1\te2\tb\nd\te2\te3\tv\n")
    opened = OpenFile(path, tp_options(format="dense"))
    document = opened.document("d")
    assert opened.saves == "export"
    assert "dense files cannot be changed in place" in opened.why_export
    with pytest.raises(UsageError, match="cannot be changed in place: export the document"):
        opened.save("d", document)
    assert set(exports()) >= {"timeml", "jsonl", "tsv"}
    out = export(edited(document, add=[("e1", "b", "e3")]), "jsonl")
    (tmp_path / out.name).write_bytes(out.data)
    assert out.name == "d.jsonl"
    assert len(tp.read(tmp_path / out.name).links) == 3
    with pytest.raises(UsageError, match="choose"):
        export(document, "dense")


def tp_options(**chosen):
    from temporacle.io.source import Options

    return Options(**chosen)


def test_a_table_has_no_place_for_comments(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("a\tb\tc\n")
    opened = OpenFile(path)
    with pytest.raises(UsageError, match="no place for notes: take the comments away, or export"):
        opened.save("x", opened.document("x"), {"1": "why"})


# --- hostile surroundings ---


@pytest.mark.parametrize("exists", [True, False])
def test_a_planted_link_is_not_followed(tmp_path, story, exists):
    victim = tmp_path / "elsewhere" / "victim"
    victim.parent.mkdir()
    if exists:
        victim.write_text("precious")
    Path(f"{story}.orig").symlink_to(victim)
    before = story.read_bytes()
    opened = OpenFile(story)
    document = edited(opened.document("council"), remove=["l1"])
    with pytest.raises(UsageError, match=r"orig is not a regular file: move it away, or save without a backup"):
        opened.save("council", document)
    assert story.read_bytes() == before
    assert victim.exists() is exists
    opened.save("council", document, backup=False)
    assert Path(f"{story}.orig").is_symlink()
    assert not exists or victim.read_text() == "precious"


def test_an_original_is_never_overwritten_even_if_it_appears_at_the_last_moment(story, monkeypatch):
    opened = OpenFile(story)
    document = edited(opened.document("council"), remove=["l1"])
    before = story.read_bytes()
    real = os.link

    def planted(part, target, **how):
        Path(target).write_text("precious")
        real(part, target, **how)

    monkeypatch.setattr(os, "link", planted)
    with pytest.raises(UsageError, match="File exists"):
        opened.save("council", document)
    assert Path(f"{story}{ORIGINAL}").read_text() == "precious"
    assert story.read_bytes() == before
    assert not list(story.parent.glob(".*.part"))


def test_file_systems_without_links_keep_originals_too(story, monkeypatch):
    def refused(*_names, **_how):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    before = story.read_bytes()
    opened = OpenFile(story)
    opened.save("council", edited(opened.document("council"), remove=["l1"]))
    assert Path(f"{story}{ORIGINAL}").read_bytes() == before


def test_a_link_to_a_file_stays_a_link_and_permissions_stay(tmp_path, story):
    story.chmod(0o640)
    link = tmp_path / "link.tml"
    link.symlink_to(story)
    opened = OpenFile(link)
    opened.save("link", edited(opened.document("link"), remove=["l1"]))
    assert link.is_symlink()
    assert len(tp.read(story).links) == 6
    assert stat.S_IMODE(story.stat().st_mode) == 0o640
    assert stat.S_IMODE(Path(f"{link}.orig").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not stop the superuser")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_read_only_files_and_folders_are_left_alone(story, what):
    before = story.read_bytes()
    place = story if what == "file" else story.parent
    mode = place.stat().st_mode
    opened = OpenFile(story)
    place.chmod(mode & ~0o222)
    try:
        with pytest.raises(UsageError, match=r"is read-only|cannot write"):
            opened.save("council", edited(opened.document("council"), remove=["l1"]))
    finally:
        place.chmod(mode)
    assert story.read_bytes() == before
    assert [path.name for path in story.parent.iterdir()] == ["council.tml"]


def test_a_read_only_file_is_left_alone(story, monkeypatch):
    before = story.read_bytes()
    opened = OpenFile(story)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(UsageError, match="is read-only: make it writable, or export the document"):
        opened.save("council", edited(opened.document("council"), remove=["l1"]))
    assert story.read_bytes() == before


@pytest.mark.parametrize("fails", ["fsync", "replace", "open"])
def test_a_save_that_fails_changes_nothing(story, monkeypatch, fails):
    before = story.read_bytes()
    opened = OpenFile(story)
    document = edited(opened.document("council"), remove=["l1"])

    there = getattr(os, fails)

    def full(*what, **how):
        if fails == "open" and not what[1] & os.O_WRONLY:
            return there(*what, **how)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, fails, full)
    monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, os.open})
    if fails == "replace":
        monkeypatch.setattr(files, "_exchange", lambda: None)  # as on systems that cannot exchange two files
    with pytest.raises(UsageError, match=r"cannot write .*: No space left on device"):
        opened.save("council", document)
    assert story.read_bytes() == before
    assert not list(story.parent.glob(".*.part"))
    monkeypatch.undo()
    opened.save("council", document)
    assert len(tp.read(story).links) == 6
    assert Path(f"{story}{ORIGINAL}").read_bytes() == before


SAVES = """
import sys
import temporacle as tp
from temporacle.editing.saving import OpenFile
path = sys.argv[1]
opened = OpenFile(path)
whole = opened.document("large")
session = tp.Session(whole)
session.remove("1")
half = session.document
opened.save("large", half)
print("ready", flush=True)
while True:
    opened.save("large", whole)
    opened.save("large", half)
"""


def test_a_kill_during_a_save_leaves_one_of_the_two_versions(tmp_path):
    path = tmp_path / "large.tsv"
    path.write_text("".join(f"e{number}\tb\te{number + 1}\n" for number in range(400)))
    whole = path.read_bytes()
    half = whole.partition(b"\n")[2]
    rng = Random(2)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", SAVES, str(path)], stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(rng.random() / 5)
            process.send_signal(signal.SIGKILL)
        assert path.read_bytes() in {whole, half}
        path.write_bytes(whole)
    assert Path(f"{path}{ORIGINAL}").read_bytes() == whole


# --- three versions ---


def test_three_versions_are_merged_pair_by_pair(story):
    opened = OpenFile(story)
    base = opened.document("council")
    session = tp.Session(base)
    session.edit(relabel={"l2": "AFTER", "l3": "BEFORE"}, remove=["l7"], comment={"l1": "mine"})
    theirs = story.read_bytes().replace(b'lid="l3" relType="IBEFORE"', b'lid="l3" relType="AFTER"')
    theirs = theirs.replace(b'<TLINK lid="l5" relType="IBEFORE" timeID="t1" relatedToTime="t2"/>\n', b"")
    story.write_bytes(theirs)
    with pytest.raises(ChangedOnDiskError):
        opened.save("council", session.document)
    now = OpenFile(story)
    three = three_way(base, session.document, now.document("council"))
    assert [(each.source, each.target, each.clash) for each in three.differences] == [
        ("ei1", "ei2", False),
        ("ei3", "ei2", True),
        ("t1", "t2", False),
        ("t2", "t0", False),
    ]
    rows = three.to_dict()
    assert [link["label"] for link in rows["differences"][1]["theirs"]] == ["AFTER"]
    assert len(rows["base"]), len(rows["mine"]) == (7, 6)
    with pytest.raises(UsageError, match=r"difference 1 \(ei3, ei2\) was changed on both sides: take mine or theirs"):
        three.rebased({})
    with pytest.raises(UsageError, match="no difference 9"):
        three.rebased({9: "mine"})
    merged = three.rebased({1: "mine"}, session.comments)
    assert merged.undo_count == 1
    assert {link.id: link.label for link in merged.document.links} == {
        "l1": "IS_INCLUDED",
        "l2": "AFTER",
        "l3": "BEFORE",
        "l4": "IS_INCLUDED",
        "l6": "BEFORE",
    }
    now.save("council", merged.document, merged.comments)
    text = story.read_bytes()
    assert text == theirs.replace(b'lid="l3" relType="AFTER"', b'lid="l3" relType="BEFORE"').replace(
        b'lid="l2" relType="IAFTER"', b'lid="l2" relType="AFTER"'
    ).replace(b'\n<TLINK lid="l7" relType="BEFORE" timeID="t2" relatedToTime="t0"/>', b"").replace(
        b'relatedToTime="t1"/>', b'relatedToTime="t1"/><!-- mine -->'
    )
    theirs_only = three.rebased(dict.fromkeys(range(4), "theirs"))
    assert statements(theirs_only.document.links) == statements(three.theirs.links)
    assert theirs_only.undo_count == 0


def merged_naively(base, mine, theirs, sides):
    """Pair by pair over sets of statements: the side that changed, or the one that was chosen."""
    pairs = {frozenset(link.entities) for each in (base, mine, theirs) for link in each}
    result = []
    for pair in pairs:
        one, two, three = (
            statements(link for link in each if frozenset(link.entities) == pair) for each in (base, mine, theirs)
        )
        side = sides.get(pair)
        if side is None:
            side = "mine" if two != one and three == one else "theirs"
        result += two if side == "mine" else three
    return sorted(result)


def test_merging_at_random_does_what_a_merge_of_sets_does():
    rng = Random(8)
    clashes = 0
    for _ in range(300):
        base, mine, theirs = (
            Document("d", random_links(rng, rng.randrange(5)), entity_ids=tuple("abcxyz")) for _ in range(3)
        )
        three = three_way(base, mine, theirs)
        take = {number: rng.choice(("mine", "theirs")) for number, each in enumerate(three.differences) if each.clash}
        clashes += len(take)
        sides = {
            frozenset((each.source, each.target)): take[number]
            for number, each in enumerate(three.differences)
            if number in take
        }
        merged = three.rebased(take).document
        assert list(statements(merged.links)) == merged_naively(base.links, mine.links, theirs.links, sides)
    assert clashes > 50


# --- corpora ---


TLINK = rb'\s*<TLINK[^>]*?\slid="%s"[^>]*?(?:/>|>\s*</TLINK>)'
LABEL = re.compile(rb'(relType=")[^"]*')


def written_naively(before, edits, after):
    """The bytes that a file should have after one edit, found by a pattern; a new link is taken out of the result."""
    (name,) = edits.get("relabel") or edits.get("remove") or (tp.read(after).links[-1].id,)
    element = re.compile(TLINK % name.encode())
    if "relabel" in edits:
        label = edits["relabel"][name].encode()
        return element.sub(lambda found: LABEL.sub(rb"\g<1>" + label, found[0]), before), after.read_bytes()
    if "remove" in edits:
        return element.sub(b"", before), after.read_bytes()
    new = element.search(after.read_bytes())[0]
    ((source, label, target),) = edits["add"]
    assert all(f'"{each}"'.encode() in new for each in (name, source, label, target))
    return before, after.read_bytes().replace(new, b"")


def with_edits(document, relabel=None, remove=(), add=()):
    """The same as a session, without judging."""
    links = [link._replace(label=(relabel or {}).get(link.id, link.label)) for link in document.links]
    new = [tp.Link("new", source, tp.Relation("b"), target, label) for source, label, target in add]
    return replace(document, links=tuple(link for link in (*links, *new) if link.id not in remove))


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_three_hundred_files_change_by_that_link_only(tmp_path, part):
    """One label, one new link, one link less in each: every other byte stays."""
    rng = Random(part)
    folders = [shared("corpora", name) for name in ("te3-platinum", "te3-silver", "timebank-dense")]
    files = [path for folder in folders for path in sorted(folder.rglob("*.tml")) if path.stat().st_size < 100_000]
    files = files[part::3]
    count = 0
    for path in rng.sample(files, len(files)):
        document = tp.read(path)
        ids = {link.id for link in document.links}
        before = path.read_bytes()
        if not ids or any(before.count(b'lid="%s"' % name.encode()) != 1 for name in ids):
            continue
        link = rng.choice(document.links)
        label = rng.choice([each for each in ("BEFORE", "AFTER", "INCLUDES") if each != link.label])
        source, target = rng.sample(document.entity_ids, 2)
        copy = tmp_path / path.name
        for edits in ({"relabel": {link.id: label}}, {"remove": [link.id]}, {"add": [(source, label, target)]}):
            copy.write_bytes(before)
            opened = OpenFile(copy)
            opened.save(document.id, with_edits(opened.document(document.id), **edits), backup=False)
            expected, found = written_naively(before, edits, copy)
            assert found == expected
            assert copy.read_bytes() != before
        count += 1
        if count == 100:
            break
    assert count == 100


def test_apply_writes_as_its_command_does(tmp_path):
    source, target = tmp_path / "a.tsv", tmp_path / "b.tsv"
    source.write_text("a\tBEFORE\tb\nb\tBEFORE\tc\n")
    data = tp.apply(source, drop=["2"], out=target)
    assert target.read_bytes() == data == b"a\tBEFORE\tb\n"
    assert source.read_text().count("\n") == 2
    for wrong in ({"out": source}, {"out": target, "in_place": True}):
        with pytest.raises(tp.UsageError):
            tp.apply(source, drop=["2"], **wrong)
    assert source.read_text().count("\n") == 2
    assert tp.apply(source, drop=["2"], in_place=True) == source.read_bytes() == data
