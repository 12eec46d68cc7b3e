"""The server ends while someone is working: the page says so, keeps the edit, and continues after a restart."""

import json
import shutil
import signal
from urllib.parse import urlsplit

import pytest
from browser.chromium import ROOT
from browser.workbench_pages import Page
from workbench.workbench_runs import running


@pytest.fixture
def page(driver):
    return Page(driver)


@pytest.fixture
def corpus(tmp_path):
    return shutil.copytree(ROOT / "examples" / "corpus", tmp_path / "corpus")


def lose_the_server(page, corpus):
    """Make an edit that the server confirms, end the server, make another edit. Return the port."""
    with running(corpus, "--port", "0") as server:
        page.visit(server, "document", document="council").until_text("#verdict", "inconsistent")
        page.click(".conflict [data-link='l6']")
        page.click(".labels button[data-label='AFTER']")
        page.until("document.querySelector('#verdict .consistent')")
        page.until_text(".pair .present", "AFTER")
        server.end(signal.SIGKILL)
        page.press("\ue017")  # Delete removes l6
        page.until("!document.getElementById('banner').hidden")
        assert "does not answer" in page.text("#banner")
        assert "kept in a journal" in page.text("#banner")
        assert "did not confirm your last edit: removed l6" in page.text("#banner")
        return urlsplit(server.address).port


def test_work_continues_at_the_new_address(page, corpus):
    port = lose_the_server(page, corpus)
    with running(corpus, "--port", str(port)) as server:  # the same place, another token
        page.until_text("#banner strong", "has a new address")
        page.find("#banner input").send_keys(server.address)
        page.click("#banner form button")
        page.until_text(".notice", "1 unsaved edit of an earlier run was recovered")
        assert page.shows("#verdict .consistent")
        page.until_text(".notice", "This edit was not confirmed by the server before: removed l6.")
        assert "unsent" not in page.driver.current_url
        [apply] = [each for each in page.find_all(".notice button") if each.text == "Apply"]
        apply.click()
        page.until_text("#spoken", "Removed l6. The document is consistent.")
        page.until_text("#unsaved", "1 unsaved edit")
        links = server.get("/api/documents/council")["links"]
        assert "l6" not in {link["id"] for link in links}
        page.press("u", "u")  # the history reaches back before the restart
        page.until("document.querySelector('#verdict .inconsistent')")
    assert [each for each in page.complaints() if "ERR_CONNECTION" not in each and "401" not in each] == []


def test_recovered_edits_can_be_discarded(page, corpus):
    before = (corpus / "council.tml").read_bytes()
    lose_the_server(page, corpus)
    with running(corpus, "--port", "0") as server:
        page.visit(server, "document", document="council").until_text(".notice", "was recovered and applied")
        [discard] = [each for each in page.find_all(".notice button") if each.text == "Discard edits"]
        discard.click()
        page.until("document.querySelector('#verdict .inconsistent')")
        page.until_text("#spoken", "Unsaved edits are discarded")
        assert page.text("#unsaved") == "no unsaved edits"
        assert server.get("/api/documents/council")["unsaved"] == 0
    assert (corpus / "council.tml").read_bytes() == before


def test_the_page_asks_before_it_forgets_an_unconfirmed_edit_only(page, corpus):
    asks = """
        const event = new Event("beforeunload", { cancelable: true });
        window.dispatchEvent(event);
        return event.defaultPrevented;
    """
    with running(corpus, "--port", "0") as server:
        page.visit(server, "document", document="council").until_text("#verdict", "inconsistent")
        page.click(".conflict [data-link='l6']")
        page.click(".labels button[data-label='AFTER']")
        page.until_text("#unsaved", "1 unsaved edit")
        assert page.script(asks) is False  # the journal has it
        page.until_text(".pair .present", "AFTER")
        page.press("c", *"not sent yet")
        assert page.script(asks) is True
        page.visit(server, "document", document="council").until_text("#unsaved", "1 unsaved edit")
    lost = lose_the_server(page, shutil.copytree(ROOT / "examples" / "corpus", corpus.parent / "other"))
    assert lost
    assert page.script(asks) is True


def test_an_edit_for_another_state_is_not_applied(page, corpus):
    with running(corpus, "--port", "0") as server:
        page.visit(server, "document", document="council").until_text("#verdict", "inconsistent")
        page.click(".conflict [data-link='l6']")
        page.until_text(".labels .possible", "AFTER")
        server.post("/api/documents/council/edit", {"remove": ["l7"]})  # another tab
        page.click(".labels button[data-label='AFTER']")
        page.until_text(".notice.bad", "changed in another tab. Your last action was not carried out")
        links = {link["id"]: link["label"] for link in server.get("/api/documents/council")["links"]}
        assert links["l6"] == "BEFORE"
        assert json.dumps(page.texts(".links .list-row code")) == json.dumps(["l1", "l2", "l3", "l4", "l5", "l6"])


def test_an_undo_in_another_tab_is_not_undone_here(page, corpus):
    with running(corpus, "--port", "0") as server:
        server.post("/api/documents/council/edit", {"remove": ["l7"]})
        page.visit(server, "document", document="council").until_text("#unsaved", "1 unsaved edit")
        server.post("/api/documents/council/edit", {"remove": ["l6"]})  # another tab
        page.click("#undo")
        page.until_text(".notice.bad", "changed in another tab. Your last action was not carried out")
        page.until_text("#unsaved", "2 unsaved edits")
        assert len(server.get("/api/documents/council")["links"]) == 5
        page.click("#undo")  # the page shows the present state now
        page.until_text("#unsaved", "1 unsaved edit")
