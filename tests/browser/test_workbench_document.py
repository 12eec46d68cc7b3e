"""The document page of the workbench in a real browser: reading a conflict, mending it, saving it."""

import shutil

import pytest
from browser.chromium import ROOT
from browser.workbench_pages import DELETE, DOWN, ENTER, ESCAPE, RIGHT, UP, Page
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


def changed_lines(before, after):
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return [(one, other) for one, other in pairs if one != other]


def test_a_conflict_is_found_read_mended_undone_redone_and_saved(page, server, corpus):
    file = corpus / "council.tml"
    before = file.read_text("utf-8")
    page.visit(server).until_text("#progress-words", "4 documents checked")
    assert page.texts(".documents .wide a") == ["council", "puzzle", "ferry", "shift"]  # inconsistent ones first
    page.click(".documents a")
    page.until_text("#verdict", "inconsistent")

    sentences = page.texts(".findings blockquote")
    assert sentences[0] == "The council [voted] on [Wednesday], right after a long [debate]."
    assert page.texts(".findings ol.words li")[-1] == 'so ei1 "voted" would end before it ends'
    assert len(page.texts(".conflict .facts li")) == 6

    page.click(".conflict [data-link='l6']")
    page.until_text(".pair .strongest", "is after")
    because = page.texts(".pair .because button")
    assert because == ["l1", "l2", "l3", "l4", "l5"]
    possible = page.texts(".labels .possible button.apply")
    assert possible == ["AFTER"]
    impossible = page.find_all(".labels .impossible")
    assert len(impossible) == 13
    for label in impossible:
        assert [each.text for each in label.find_elements("css selector", ".reasons button")] == because

    page.click(".labels button[data-label='AFTER']")
    page.until_text("#spoken", "Changed l6 to AFTER. The document is consistent")
    page.until("document.querySelector('#verdict .consistent')")
    assert page.text("#unsaved") == "1 unsaved edit"
    assert "l6" in "".join(page.texts(".answer .facts code"))  # it follows from the others, and the page says so
    assert file.read_text("utf-8") == before

    page.press("z", control=True)
    page.until("document.querySelector('#verdict .inconsistent')")
    page.until_text("#unsaved", "no unsaved edits")
    page.press("y", control=True)
    page.until("document.querySelector('#verdict .consistent')")

    page.press("s", control=True)
    page.until_text("#spoken", "Saved to")
    page.until_text("#unsaved", "no unsaved edits")
    changes = changed_lines(before, file.read_text("utf-8"))
    assert changes == [
        (
            '<TLINK lid="l6" relType="BEFORE" eventInstanceID="ei4" relatedToEventInstance="ei3"/>',
            '<TLINK lid="l6" relType="AFTER" eventInstanceID="ei4" relatedToEventInstance="ei3"/>',
        )
    ]
    assert (corpus / "council.tml.orig").read_text("utf-8") == before
    assert page.complaints() == []


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
    page.until_text(".pair", "The links contradict each other, so nothing can be derived")
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


def test_the_timeline_says_what_it_leaves_out(council):
    page = council
    assert "without the links of its repair" in page.text("#timeline-words")
    page.click(".conflict [data-link='l6']")
    page.click(".labels button[data-label='AFTER']")
    page.until_text("#timeline-words", "One possible timeline. Every link holds on it")
    order = page.texts("svg.timeline .bar-row text")
    assert order.index("Wednesday") < order.index("Thursday")


def test_a_possible_label_is_previewed_without_changing_anything(council, server):
    page = council
    page.click(".conflict [data-link='l6']")
    page.until_text(".labels .possible button", "AFTER")
    page.script("document.querySelector(\".labels [data-label='AFTER']\").focus()")
    page.until_text(".preview", "the document would be consistent, and l6 would follow from the other links")
    assert server.get("/api/documents/council")["unsaved"] == 0


def test_everything_works_by_keyboard_alone(page, server, corpus):
    page.visit(server).until_text("#progress-words", "4 documents checked")
    page.press("/", *"counc")
    page.until_text("#shown", "1 of 4 documents")
    page.press(DOWN)
    assert "council" in page.focused()
    page.press(ENTER)
    page.until_text("#verdict", "inconsistent")
    page.press("f")
    assert page.focused() == "Conflict"
    page.press("l", *[DOWN] * 6)
    page.until("document.querySelector(\".links [data-key='l6'][aria-selected='true']\")")
    page.press(ENTER)
    page.until("document.activeElement.dataset.label")
    assert page.focused() == "BEFORE: present label, impossible"
    page.press(UP)
    assert page.focused() == "AFTER: possible"
    page.press(ENTER)
    page.until("document.querySelector('#verdict .consistent')")
    page.press("t", RIGHT)
    assert page.script("return document.activeElement.className").startswith("tag")
    page.press("g", DOWN)
    assert page.focused().endswith(" from 1 to 2")
    page.press("?")
    page.until("document.querySelector('dialog.help[open]')")
    assert "undo" in page.text("dialog.help")
    page.press(ESCAPE)
    page.until("!document.querySelector('dialog[open]')")
    page.press("s", control=True)
    page.until_text("#spoken", "Saved to")
    assert 'lid="l6" relType="AFTER"' in (corpus / "council.tml").read_text("utf-8")
    page.press("b")
    page.until_text("#summary", "3 consistent")
    assert page.complaints() == []


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
