"""The document page of the workbench in a real browser: reading a conflict, mending it, saving it."""

import shutil

import pytest
from browser.chromium import ROOT
from browser.workbench_pages import DELETE, ENTER, ESCAPE, Page
from workbench.workbench_runs import running

COUNCIL = ROOT / "examples" / "corpus" / "council.tml"


@pytest.fixture
def page(driver):
    return Page(driver)


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    shutil.copytree(COUNCIL.parent, folder)
    return folder


@pytest.fixture
def server(corpus):
    with running(corpus, "--port", "0") as found:
        yield found


@pytest.fixture
def council(page, server):
    page.visit(server, "document", document="council").until_text("#verdict", "inconsistent")
    return page


def selected(page):
    """Return what each view shows as chosen."""
    return {
        "text": sorted(
            page.script("return [...document.querySelectorAll('mark.chosen .tag')].map(e => e.textContent)")
        ),
        "links": page.texts(".links [aria-selected='true'] .id"),
        "timeline": sorted(
            page.script("return [...document.querySelectorAll('.bar-row.chosen')].map(e => e.dataset.entity)")
        ),
        "findings": page.texts(".findings .facts .chosen code"),
    }


def test_selecting_anywhere_selects_everywhere(council):
    page = council
    l3 = {"text": ["ei2", "ei3"], "links": ["l3"], "timeline": ["ei2", "ei3"], "findings": ["l3"]}
    choosing = {
        "text": lambda: (page.click("[data-entity='ei3'].tag"), page.click("[data-entity='ei2'].tag")),
        "links": lambda: page.click(".links [data-key='l3']"),
        "findings": lambda: page.click(".findings [data-link='l3']"),
        "timeline": lambda: [page.find(f".bar-row[data-entity='{each}'] .bar").click() for each in ("ei3", "ei2")],
    }
    for name, choose in choosing.items():
        page.press(ESCAPE)
        assert selected(page)["links"] == []
        choose()
        page.until("document.querySelector(\".links [data-key='l3'][aria-selected='true']\")", reason=name)
        assert selected(page) == l3, name
        page.until_text(".pair .stated code", "l3")
    assert page.complaints() == []


def test_a_link_is_added_removed_and_commented(council, server):
    page = council
    page.press(ESCAPE)
    page.click("mark [data-entity='ei3'].tag")
    page.until_text(".pair", "protested is chosen")
    page.click("[data-entity='t0'].tag")
    page.until_text(".pair", "No link is stated between the two.")
    page.until_text(".labels .possible button", "BEFORE")  # judged without the link that the repair would remove
    page.click(".labels button[data-label='BEFORE']")
    page.until_text("#spoken", "Added protested BEFORE 5 March 2021. The document is inconsistent")
    page.until_text(".pair .stated code", "l8")
    assert page.texts(".links [data-key='l8'] .sign") == ["new"]

    page.press("c", *"a guess", ENTER)
    page.until_text("#spoken", "Commented on l8")
    links = server.get("/api/documents/council")["links"]
    assert [link["comment"] for link in links if link["id"] == "l8"] == ["a guess"]
    page.press(DELETE)
    page.until_text("#spoken", "Removed l8")
    page.until("!document.querySelector(\".links [data-key='l8']\")")
    page.press("u")
    page.until("document.querySelector(\".links [data-key='l8']\")")
    assert page.complaints() == []


def test_a_repair_is_accepted(council):
    page = council
    page.click(".propose")
    page.until("document.querySelector('.repair .accept')")
    proposed = page.texts(".repair .facts code")
    assert len(proposed) == 1
    page.click(".repair .accept")
    page.until("document.querySelector('#verdict .consistent')")
    assert page.text("#spoken").startswith(f"Removed {proposed[0]}.")
    assert proposed[0] not in page.texts(".links .list-row code")


def test_a_repair_is_accepted_link_by_link(page, corpus):
    (corpus / "double.tsv").write_text("a\tBEFORE\tb\nb\tBEFORE\ta\nc\tBEFORE\td\nd\tBEFORE\tc\n")
    with running(corpus, "--port", "0") as server:
        page.visit(server, "document", document="double").until_text(".findings", "contradict each other in 2 places")
        assert page.texts(".conflict-title") == ["Conflict 1 of 2", "Conflict 2 of 2"]
        page.press("n")
        page.until("document.querySelectorAll('section.conflict')[1].classList.contains('chosen')")
        page.click(".propose")
        page.until("document.querySelector('.repair .accept')")
        first, second = page.texts(".repair .facts code")
        page.click(".repair .facts button.small")
        page.until_text("#spoken", f"Removed {first}. The document is inconsistent; 1 conflict is resolved.")
        page.until("document.querySelectorAll('.repair .facts li').length == 1")
        assert page.texts(".repair .facts code") == [second]
        page.click(".repair .accept")
        page.until("document.querySelector('#verdict .consistent')")
        assert page.text("#unsaved") == "2 unsaved edits"
        page.click("#discard")
        page.driver.switch_to.alert.accept()
        page.until("document.querySelector('#verdict .inconsistent')")
        assert server.get("/api/documents/double")["unsaved"] == 0


def test_a_document_that_cannot_be_saved_is_exported(page, tmp_path):
    (tmp_path / "calm.txt").write_text("calm\te1\te2\tb\ncalm\te2\te3\tb\n")  # a format that is only read
    with running(tmp_path, "--port", "0") as server:
        page.visit(server, "document", document="calm").until_text("#verdict", "consistent")
        assert not page.shows("#save")
        assert "dense files cannot be changed in place" in page.text("#why-export")
        page.click(".links .list-row")
        page.click(".labels .possible:not(.present) button")
        page.until_text("#unsaved", "1 unsaved edit")
        assert page.texts("#format option") == server.get("/api/documents/calm")["exports"]
        page.script("document.getElementById('format').value = 'tsv'")
        page.requests()
        page.click("#export")
        page.until_text("#verdict", "consistent")  # the page stays
        [asked] = [each for each in page.requests() if "/export?format=tsv" in each]
        exported = server.ask("GET", asked.partition(server.place)[2])[2].decode()
        before, after = (line.split("\t")[:4] for line in exported.splitlines()[-2:])
        assert after == ["calm", "e2", "b", "e3"]
        assert before != ["calm", "e1", "b", "e2"]


def test_the_timeline_says_what_it_leaves_out(council):
    page = council
    assert "without the links of the repair" in page.text("#timeline-words")
    page.click(".conflict [data-link='l6']")
    page.click(".labels button[data-label='AFTER']")
    page.until_text("#timeline-words", "Only what is certain is drawn.")
    order = page.texts("svg.timeline .bar-row text")
    assert order.index("Wednesday") < order.index("Thursday")


def test_a_possible_label_is_previewed_without_changing_anything(council, server):
    page = council
    page.click(".conflict [data-link='l6']")
    page.until_text(".labels .possible button", "AFTER")
    page.script("document.querySelector(\".labels [data-label='AFTER']\").focus()")
    page.until_text(".preview", "the document would be consistent, and l6 would follow from the other links")
    assert server.get("/api/documents/council")["unsaved"] == 0


def test_read_only_shows_everything_and_changes_nothing(page, corpus):
    with running(corpus, "--read-only", "--port", "0") as server:
        page.visit(server, "document", document="council").until_text("#unsaved", "Read-only")
        page.click(".conflict [data-link='l6']")
        page.until_text(".labels .possible", "AFTER")
        assert page.find_all(".labels button.apply") == []
        assert [each for each in page.find_all("#undo, #redo, #save, #discard") if each.is_displayed()] == []
        page.press(DELETE)
        assert server.get("/api/documents/council")["unsaved"] == 0
        assert page.complaints() == []
