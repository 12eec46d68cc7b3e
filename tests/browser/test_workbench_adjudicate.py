"""Two annotators are adjudicated to the end, by keyboard alone."""

import pytest
from browser.chromium import DESKTOP, TABLET
from browser.invented import write_annotators
from browser.workbench_pages import DOWN, ENTER, Page
from workbench.workbench_runs import of, running

import temporacle as tp


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
    page.press("/", *"valley", DOWN, ENTER)
    page.until_text("#progress-words", "of")
    found = server.get(of("valley", "differences"))
    all_of_them = len(found["differences"])
    assert all_of_them >= 6
    assert page.text(".agreed summary") == f"{found['agreed']} links agreed by both"
    assert not page.find_all(".agreed li")  # folded

    keys = {"1": "first", "2": "second", "0": "neither"}
    wanted = {}
    for step in range(all_of_them):
        shown = page.text(".difference h2")
        row = next(row for row in server.get(of("valley", "differences"))["differences"] if row["taken"] is None)
        if row["sentence"]:
            assert page.text(".difference blockquote") == row["sentence"]
        for side, other in (("first", "ben"), ("second", "anna")):
            follows = f"Already follows from the links of {other}."
            assert (follows in page.text(f".side.{side}")) is (row[f"{side}_follows"] and bool(row[side]))
        key = "102"[step % 3]
        if key != "0" and not row["possible"][keys[key]]:
            key = "0"
        wanted[row["number"]] = (keys[key], row)
        page.press(key)
        page.until_text("#progress-words", f"{step + 1} of {all_of_them} differences decided")
        if step + 1 < all_of_them:
            page.until("document.querySelector('.difference h2').textContent !== arguments[0]", shown)
    page.until_text(".done", f"All {all_of_them} differences are decided.")
    assert page.shows("#verdict .consistent")

    page.press("s", control=True)
    page.until_text(".notice.good", "Saved to")
    document = tp.read(tmp_path / "result" / "valley.tml")
    assert tp.check(document)[0].verdict == "consistent"
    result = {(link.source, link.label, link.target) for link in document.links}
    for side, row in wanted.values():
        for name in ("first", "second"):
            for link in stated(row[name]):
                assert (link in result) is (side == name), (side, row)
    assert len(result) == found["agreed"] + sum(len(row[side]) for side, row in wanted.values() if side != "neither")
    assert page.complaints() == []


def test_a_decision_can_be_changed(page, server):
    page.visit(server, "adjudicate", document="valley").until_text("#progress-words", "0 of")
    page.press("1")
    page.until_text("#progress-words", "1 of")
    page.press("k")
    page.until_text(".difference h2", "1. ")
    assert page.attribute(".side.first", "class").endswith("taken")
    page.press("r")
    page.until_text("#progress-words", "0 of")
    page.press("j")
    page.until_text(".difference h2", "2. ")
    page.click(".side.second .take")
    page.until_text("#progress-words", "1 of")
    taken = [row["taken"] for row in server.get(of("valley", "differences"))["differences"]]
    assert taken[:2] == [None, "second"]


def test_a_decision_made_elsewhere_is_not_overwritten(page, server):
    page.visit(server, "adjudicate", document="valley").until_text("#progress-words", "0 of")
    server.post(of("valley", "take"), {"number": 0, "side": "second"})
    page.press("1")
    page.until_text(".notice.bad", "edited elsewhere")
    page.until_text("#progress-words", "1 of")
    assert server.get(of("valley", "differences"))["differences"][0]["taken"] == "second"
    page.press("0")  # now on purpose
    page.until("document.querySelector('.difference h2').textContent.startsWith('2. ')")
    assert server.get(of("valley", "differences"))["differences"][0]["taken"] == "neither"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, TABLET], ids=["desktop", "tablet"])
def test_the_page_fits(page, server, size, scheme):
    page.visit(server, "adjudicate", document="valley", size=size, scheme=scheme).until_text("#progress-words", "0 of")
    assert page.width() <= size[0]
    page.keep_screenshot(f"adjudicate-{size[0]}-{scheme}")
    assert page.complaints() == []


def test_the_list_names_what_only_one_side_has(page, folders, tmp_path):
    (folders[1] / "extra.tsv").write_text("a\tBEFORE\tb\n")
    with running("--compare", *folders, "-o", tmp_path / "result", "--port", "0") as server:
        page.visit(server).until_text("#remarks", f"only {folders[1].name} has it: 'extra'")
