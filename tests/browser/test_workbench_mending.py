"""From the list to a saved file in a real browser; and what happens when the file changed on disk meanwhile."""

import json
import shutil

import pytest
from browser.chromium import ROOT
from browser.workbench_pages import DOWN, ENTER, ESCAPE, RIGHT, UP, Page
from workbench.workbench_runs import running


@pytest.fixture
def page(driver):
    return Page(driver)


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    shutil.copytree(ROOT / "examples" / "corpus", folder)
    return folder


@pytest.fixture
def server(corpus):
    with running(corpus, "--port", "0") as found:
        yield found


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

    page.click(".conflict [data-link='l1']")  # which the repair would remove: judged by all other links
    page.until_text(".pair .strongest", "is after")
    because = page.texts(".pair .because button")
    assert because == ["l2", "l3", "l4", "l5", "l6"]
    possible = page.texts(".labels .possible button.apply")
    assert possible == ["AFTER"]
    impossible = page.find_all(".labels .impossible")
    assert len(impossible) == 13
    for label in impossible:
        assert [each.text for each in label.find_elements("css selector", ".reasons button")] == because

    page.click(".labels button[data-label='AFTER']")
    page.until_text("#spoken", "Changed l1 to AFTER. The document is consistent")
    page.until("document.querySelector('#verdict .consistent')")
    assert page.text("#unsaved") == "1 unsaved edit"
    assert "l1" in "".join(page.texts(".answer .facts code"))  # it follows from the others, and the page says so
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
            '<TLINK lid="l1" relType="IS_INCLUDED" eventInstanceID="ei1" relatedToTime="t1"/>',
            '<TLINK lid="l1" relType="AFTER" eventInstanceID="ei1" relatedToTime="t1"/>',
        )
    ]
    assert (corpus / "council.tml.orig").read_text("utf-8") == before
    assert page.complaints() == []


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
    page.press("l", DOWN)
    page.until("document.querySelector(\".links [data-key='l1'][aria-selected='true']\")")
    page.press(ENTER)
    page.until("document.activeElement.dataset.label")
    assert page.focused() == "IS_INCLUDED: present label, impossible"
    page.press(*[UP] * 5)
    assert page.focused() == "AFTER: already follows"
    page.press(ENTER)
    page.until("document.querySelector('#verdict .consistent')")
    page.press("t", RIGHT)
    assert page.script("return document.activeElement.className").startswith("tag")
    page.press("g", DOWN)
    assert page.focused() == page.script("return document.querySelectorAll('.bar-row')[1].getAttribute('aria-label')")
    assert ": from " in page.focused()
    page.press("?")
    page.until("document.querySelector('dialog.help[open]')")
    assert "undo" in page.text("dialog.help")
    page.press(ESCAPE)
    page.until("!document.querySelector('dialog[open]')")
    page.press("s", control=True)
    page.until_text("#spoken", "Saved to")
    assert 'lid="l1" relType="AFTER"' in (corpus / "council.tml").read_text("utf-8")
    page.press("b")
    page.until_text("#summary", "3 consistent")
    page.until_text("#shown", "1 of 4 documents")  # the list is as it was left
    assert page.attribute("#search", "value") == "counc"
    assert page.complaints() == []


def mend_while_the_file_changes(page, server, corpus, before, after):
    """Change l6 on the page and something else in the file, and try to save."""
    page.visit(server, "document", document="council").until_text("#verdict", "inconsistent")
    page.click(".conflict [data-link='l6']")
    page.click(".labels button[data-label='AFTER']")
    page.until_text("#unsaved", "1 unsaved edit")
    file = corpus / "council.tml"
    text = file.read_text("utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, after), "utf-8")
    page.click("#save")
    page.until("document.querySelector('dialog.three-way[open]')")
    assert file.read_text("utf-8") == text.replace(before, after)  # nothing was written over it
    return file


def test_both_changes_are_kept_if_the_file_changed_elsewhere(page, server, corpus):
    file = mend_while_the_file_changes(page, server, corpus, 'lid="l7" relType="BEFORE"', 'lid="l7" relType="IBEFORE"')
    rows = page.texts(".three-way tbody tr")
    assert len(rows) == 2
    assert "announced – protested" in rows[0]
    assert page.script("return [...document.querySelectorAll('.three-way input:checked')].map(e => e.value)") == [
        "mine",
        "theirs",
    ]
    page.click(".three-way button.main")
    page.until_text("#spoken", "Saved to")
    text = file.read_text("utf-8")
    assert 'lid="l7" relType="IBEFORE"' in text
    assert 'lid="l6" relType="AFTER"' in text
    assert page.text("#unsaved") == "no unsaved edits"
    page.until_text(".links [data-key='l7']", "IBEFORE")


@pytest.mark.parametrize(("side", "label"), [("mine", "AFTER"), ("theirs", "IBEFORE")])
def test_a_clash_must_be_decided(page, server, corpus, side, label):
    file = mend_while_the_file_changes(page, server, corpus, 'lid="l6" relType="BEFORE"', 'lid="l6" relType="IBEFORE"')
    assert "Both sides changed this pair" in page.text(".three-way tbody")
    assert not page.find(".three-way button.main").is_enabled()
    page.click(f".three-way input[value='{side}']")
    page.click(".three-way button.main")
    page.until("!document.querySelector('dialog[open]')")
    page.until_text(".links [data-key='l6'] .label", label)
    page.until_text("#unsaved", "no unsaved edits")
    assert f'lid="l6" relType="{label}"' in file.read_text("utf-8")


EVIL = "<img src=x onerror=document.title='evil'></script><script>document.title='evil'</script>\"'&amp;"


def test_scripts_in_both_versions_of_a_changed_file_stay_text(page, tmp_path):
    def written(label, comment):
        link = {"id": EVIL, "source": f"a{EVIL}", "relation": label, "target": f"b{EVIL}", "comment": comment}
        other = {"id": f"x{EVIL}", "source": f"a{EVIL}", "relation": "BEFORE", "target": f"c{EVIL}"}
        text = {"document": f"d{EVIL.replace('/', '')}", "links": [link, other], "text": EVIL}
        (tmp_path / "d.jsonl").write_text(json.dumps(text) + "\n")
        return text["document"]

    name = written("BEFORE", "")
    with running(tmp_path, "--port", "0") as server:
        page.visit(server, "document", document=name).until_text("#verdict", "consistent")
        page.click(".links [data-key]")
        page.click(".labels button[data-label='IBEFORE']")
        page.until_text("#unsaved", "1 unsaved edit")
        written("INCLUDES", EVIL)
        page.click("#save")
        page.until("document.querySelector('dialog.three-way[open]')")
        assert "<img src=x" in page.text(".three-way tbody")
        assert not page.find_all("img")
        assert page.script("return document.title") != "evil"
