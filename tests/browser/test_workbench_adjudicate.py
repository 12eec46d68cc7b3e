"""Two annotators are adjudicated to the end, by keyboard alone."""

import json

import pytest
from browser.chromium import DESKTOP, TABLET
from browser.invented import write_annotators
from browser.workbench_pages import DOWN, ENTER, Page
from workbench.workbench_runs import of, running

import temporacle as tp
from temporacle.editing.adjudications import LOG


@pytest.fixture
def page(driver):
    return Page(driver)


@pytest.fixture
def folders(tmp_path):
    return write_annotators(tmp_path)


@pytest.fixture
def server(folders, tmp_path):
    with running("--compare", *folders, "-o", tmp_path / "result", "--port", "0") as found:
        yield found


def stated(links):
    return {(link["source"], link["label"], link["target"]) for link in links}


def test_two_annotators_are_adjudicated_to_the_end(page, server, folders, tmp_path):
    page.visit(server).until_text("#progress-words", "2 documents checked")
    page.press("/", *"hn-20220614-0203", DOWN, ENTER)
    page.until_text("#progress-words", "of")
    found = server.get(of("hn-20220614-0203", "differences"))
    all_of_them = len(found["differences"])
    assert all_of_them >= 6
    assert page.text(".agreed summary") == f"{found['agreed']} links agreed by both"
    assert not page.find_all(".agreed li")  # folded

    wanted = {}
    for step in range(all_of_them):
        shown = page.text(".difference h2")
        row = server.get(of("hn-20220614-0203", "differences"))["next"]
        assert shown.startswith(f"{row['number'] + 1}. ")
        if row["sentence"]:
            assert page.text(".difference blockquote") == row["sentence"]
        for side, other in ((1, "ben"), (2, "anna")):
            follows = f"Already follows from the links of {other}."
            is_so = row["follows"][side - 1][2 - side] and bool(row["sides"][side - 1])
            assert (follows in page.text(f".side-{side}")) is is_so
        side = (1, 0, 2)[step % 3]
        if side and not row["possible"][side - 1]:
            side = 0
        wanted[row["number"]] = (side, row)
        page.press(str(side))
        page.until_text("#progress-words", f"{step + 1} by you" if "settled" in page.text("#progress-words") else "of")
        page.until(
            "document.querySelector('.done').textContent || document.querySelector('.difference h2').textContent"
            " !== arguments[0]",
            shown,
        )
        if "All" in page.text(".done"):
            break
    assert len(wanted) <= all_of_them
    page.until_text(".done", f"All {all_of_them} differences are decided.")
    assert page.shows("#verdict .consistent")

    page.press("s", control=True)
    page.until_text(".notice.good", "Saved to")
    document = tp.read(tmp_path / "result" / "hn-20220614-0203.tml")
    assert tp.check(document)[0].verdict == "consistent"
    result = {(link.source, link.label, link.target) for link in document.links}
    after = server.get(of("hn-20220614-0203", "differences"))["differences"]
    for row in after:
        assert row["taken"] is not None
        if row["number"] in wanted:
            assert (row["taken"], row["why"]) == (wanted[row["number"]][0], "decided")
        for number, links in enumerate(row["sides"], 1):
            for link in stated(links):
                assert (link in result) is (row["taken"] == number), row
    taken = sum(len(row["sides"][row["taken"] - 1]) for row in after if row["taken"])
    assert len(result) == found["agreed"] + taken
    log = (tmp_path / "result" / f"hn-20220614-0203.tml{LOG}").read_text().splitlines()
    assert len(log) == all_of_them
    assert page.complaints() == []


def test_a_decision_can_be_changed_and_undone(page, server):
    page.visit(server, "adjudicate", document="hn-20220614-0203").until_text("#progress-words", "0 of")
    shown = page.text(".difference h2")
    number = server.get(of("hn-20220614-0203", "differences"))["next"]["number"]
    page.press("1")
    page.until("document.querySelector('.difference h2').textContent !== arguments[0]", shown)
    page.press("u")
    page.until_text("#progress-words", "0 of")
    page.until_text(".difference h2", shown)
    page.press("2")
    page.until("document.querySelector('.difference h2').textContent !== arguments[0]", shown)
    taken = {row["number"]: row["taken"] for row in server.get(of("hn-20220614-0203", "differences"))["differences"]}
    assert taken[number] == 2
    page.press("o")
    page.until_text("#order", "as in the text")
    page.press("j", "k", "h", "h", "n")
    page.press("?")
    page.until_text("dialog.help", "take anna")
    assert page.complaints() == []


def test_a_decision_made_elsewhere_is_not_overwritten(page, server):
    page.visit(server, "adjudicate", document="hn-20220614-0203").until_text("#progress-words", "0 of")
    number = server.get(of("hn-20220614-0203", "differences"))["next"]["number"]
    server.post(of("hn-20220614-0203", "take"), {"number": number, "side": 2})
    page.press("1")
    page.until_text(".notice.bad", "edited elsewhere")
    page.until("!document.querySelector('#progress-words').textContent.startsWith('0 of')")
    taken = {row["number"]: row["taken"] for row in server.get(of("hn-20220614-0203", "differences"))["differences"]}
    assert taken[number] == 2


def test_agreed_links_that_contradict_each_other_are_mended_by_a_key(page, tmp_path):
    ring = "a\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\ta\n"
    for name, label in (("anna", "BEFORE"), ("ben", "AFTER")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tsv").write_text(f"{ring}a\t{label}\td\n")
    with running("--compare", tmp_path / "anna", tmp_path / "ben", "-o", tmp_path / "out", "--port", "0") as server:
        page.visit(server, "adjudicate", document="d").until_text(".blocked", "No side can be taken")
        assert len(page.texts(".blocked li")) == 3
        assert "Contradicts" not in page.text(".difference")
        page.press("1")
        page.until_text("#spoken", "Contradicts")
        page.press("a")
        page.until("!document.querySelector('.blocked')")
        page.press("1")
        page.until_text(".done", "All 1 difference is decided.")
        assert page.shows("#verdict .consistent")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, TABLET], ids=["desktop", "tablet"])
def test_the_page_fits(page, server, size, scheme):
    page.visit(server, "adjudicate", document="hn-20220614-0203", size=size, scheme=scheme).until_text(
        "#progress-words", "0 of"
    )
    assert page.width() <= size[0]
    page.keep_screenshot(f"adjudicate-{size[0]}-{scheme}")
    assert page.complaints() == []


def test_the_list_names_what_only_one_side_has(page, folders, tmp_path):
    (folders[1] / "extra.tsv").write_text("a\tBEFORE\tb\n")
    with running("--compare", *folders, "-o", tmp_path / "result", "--port", "0") as server:
        page.visit(server).until_text("#remarks", f"only {folders[1].name} has it: 'extra'")


EVIL = "<img src=x onerror=document.title='evil'></script><script>document.title='evil'</script>\"'\u2028&amp;"


def test_scripts_in_the_names_of_both_annotators_stay_text(page, tmp_path):
    name = f"d{EVIL.replace('/', '')}"  # of a path, only the last part is compared
    folders = [tmp_path / f"{side} <img src=x onerror=document.title='evil'>" for side in ("anna", "ben")]
    for folder, label in zip(folders, ("BEFORE", "AFTER"), strict=True):
        folder.mkdir()
        link = {"id": EVIL, "source": f"a{EVIL}", "relation": label, "target": f"b{EVIL}"}
        text = json.dumps({"document": name, "links": [link], "text": EVIL * 3})
        (folder / "d.jsonl").write_text(text + "\n")
    with running("--compare", *folders, "-o", tmp_path / "result", "--port", "0") as server:
        page.visit(server).until_text("#progress-words", "1 document checked")
        assert not page.find_all("img")
        page.visit(server, "adjudicate", document=name).until_text(".difference h2", "<img src=x")
        assert "\u2028" in page.text(".difference")
        page.press("1")
        page.until_text(".done", "decided")
        assert not page.find_all("img")
        assert page.script("return document.title") != "evil"
