"""Certificates that the reader's browser checks: on a report, on a page of their own, and dropped onto it."""

import json
import time
from pathlib import Path

import pytest

from temporacle.cli import run
from temporacle.report.document import values

ROOT = Path(__file__).resolve().parents[2]
CORPUS = str(ROOT / "examples" / "corpus")
DROP = """
const [text, name] = arguments;
const data = new DataTransfer();
data.items.add(new File([text], name, {type: "application/json"}));
document.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Certificates of the sample corpus, one of them forged."""
    made = tmp_path_factory.mktemp("certificates")
    assert run(["check", CORPUS, "--certificates", str(made / "good")]) == 1
    forged = json.loads((made / "good" / "ferry.json").read_text("utf-8"))
    forged["links"][0]["relation"] = ["bi"]
    forged["readings"] = sorted([link["label"], link["relation"]] for link in forged["links"])
    (made / "forged").mkdir()
    (made / "forged" / "ferry.json").write_text(json.dumps(forged), "utf-8")
    return made


def checked(browser):
    """The rows of the table, once everything is checked."""
    end = time.monotonic() + 30
    while not browser.find_all("#certificates[data-done=yes]"):
        assert time.monotonic() < end, "the page is still checking"
        time.sleep(0.05)
    rows = browser.find_all("table.certificates tbody tr")
    return [[cell.text for cell in row.find_elements("css selector", "td")] for row in rows]


def summary(browser):
    return browser.find("#certificates output").text


def test_a_report_checks_its_certificates(browser, folder):
    page = folder / "report.html"
    assert run(["report", CORPUS, "--certificates", str(folder / "good"), "-o", str(page)]) == 0
    browser.open(page)
    rows = checked(browser)
    assert [row[1:3] + row[4:] for row in rows] == [
        ["council", "inconsistent", "valid"],
        ["ferry", "consistent", "valid"],
        ["puzzle", "inconsistent", "valid"],
        ["shift", "consistent", "valid"],
    ]
    assert summary(browser) == "Checked in your browser: 4 valid."
    assert len(browser.find_all("table.certificates td a")) == 4  # each belongs to a document of the page
    assert browser.complaints() == []
    assert all(address.startswith(("file:", "data:")) for address in browser.requests())
    browser.script("document.getElementById('certificates').scrollIntoView()")
    browser.keep_screenshot("certificates")


def test_a_forged_certificate_is_rejected(browser, folder):
    page = folder / "forged.html"
    assert run(["report", CORPUS, "--certificates", str(folder / "forged"), "-o", str(page)]) == 0
    browser.open(page)
    [row] = checked(browser)
    assert row[4].startswith("rejected: ")
    assert summary(browser) == "Checked in your browser: 0 valid, 1 rejected."


def test_certificates_can_be_dropped_onto_a_page(browser, folder):
    page = folder / "alone.html"
    assert run(["verify", str(folder / "good" / "shift.json"), "--page", str(page)]) == 0
    browser.open(page)
    assert [row[0] for row in checked(browser)] == ["shift.json"]
    for name in ("good", "forged"):
        text = (folder / name / "ferry.json").read_text("utf-8")
        browser.script(DROP, text, f"{name}.json")
        time.sleep(0.3)
    rows = checked(browser)
    assert [row[0] for row in rows] == ["shift.json", "good.json", "forged.json"]
    assert rows[1][1:3] == ["ferry", "consistent"]
    assert rows[1][4] == "valid"
    assert rows[2][4].startswith("rejected: ")
    browser.find("#certificates input").send_keys(str(folder / "good" / "puzzle.json"))
    time.sleep(0.3)
    assert checked(browser)[3][1:3] == ["puzzle", "inconsistent"]
    assert summary(browser) == "Checked in your browser: 3 valid, 1 rejected."
    assert browser.complaints() == []


def test_scores_are_checked_and_totals_are_not_called_rejected(browser, folder):
    gold, system = (str(ROOT / "examples" / name) for name in ("gold", "system"))
    assert run(["score", gold, system, "--certificates", str(folder / "scores")]) == 0
    page = folder / "scores.html"
    assert run(["verify", str(folder / "scores"), "--page", str(page)]) == 0
    browser.open(page)
    rows = checked(browser)
    assert [row[0] for row in rows] == ["harbour.json", "market.json", "total.json"]
    assert rows[0][4] == "valid (P 1, R 1/2, F1 2/3)"
    assert rows[2][4].startswith("not checked: it rests on other files")
    assert summary(browser) == "Checked in your browser: 2 valid, 1 could not be checked."


def test_what_stands_in_a_certificate_does_not_run(browser, folder):
    evil = "</script><script>document.title = 'evil'</script><!--<script>"
    path = folder / "links.jsonl"
    path.write_text(
        json.dumps({"document": evil, "links": [{"source": "a", "relation": "BEFORE", "target": evil}]}), "utf-8"
    )
    certificates = folder / "evil"
    assert run(["check", str(path), "--certificates", str(certificates)]) == 0
    page = folder / "evil.html"
    assert run(["verify", str(certificates), "--page", str(page)]) == 0
    browser.open(page)
    [row] = checked(browser)
    assert row[1] == evil
    assert row[4] == "valid"
    assert browser.script("return document.title") != "evil"


def test_without_scripts_nothing_is_called_checked(browser, folder):
    page = folder / "alone.html"
    run(["verify", str(folder / "good" / "shift.json"), "--page", str(page)])
    browser.open(page, scripts=False)
    assert "Not checked" in summary(browser)
    assert browser.find("table.certificates tbody td:last-child").text == "not checked"


def test_large_certificates_are_left_out_and_named(folder, monkeypatch):
    monkeypatch.setattr(values, "CERTIFICATE_BYTES", 5000)
    page = folder / "small.html"
    assert run(["verify", str(folder / "good"), "--page", str(page)]) == 0
    text = page.read_text("utf-8")
    assert "Too large for this page" in text
    assert 0 < text.count('<script type="application/json">') < 4


def test_the_page_replaces_no_certificate(folder, capsys):
    certificate = folder / "good" / "ferry.json"
    before = certificate.read_bytes()
    assert run(["verify", str(folder / "good"), "--page", str(certificate)]) == 2
    assert run(["report", CORPUS, "--certificates", str(folder / "good"), "-o", str(certificate)]) == 2
    assert run(["report", CORPUS, "--certificates", str(folder / "none"), "-o", str(folder / "x.html")]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    assert certificate.read_bytes() == before
