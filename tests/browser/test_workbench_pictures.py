"""Pictures of the workbench and of reports for the documentation, made from invented documents.

TEMPORACLE_SCREENSHOTS=docs pytest tests/browser/test_workbench_pictures.py
"""

from pathlib import Path

import pytest
from browser.invented import write_annotators, write_corpus
from browser.workbench_pages import Page
from workbench.workbench_runs import running

import temporacle as tp

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def page(driver):
    return Page(driver)


def test_pictures_of_a_corpus_and_of_a_document(page, tmp_path):
    write_corpus(tmp_path / "corpus")
    with running("corpus", "--port", "0", cwd=tmp_path) as server:
        page.visit(server, document=None, size=(1280, 620)).until_text("#progress-words", "11 documents checked")
        page.until_text("#summary", "4 inconsistent and 7 consistent")
        page.keep_screenshot("workbench-corpus")
        page.visit(server, "document", document="hn-20220614-0203", size=(1280, 900)).until_text(
            "#verdict", "inconsistent"
        )
        page.click(".conflict [data-link='l8']")  # which the repair would remove
        page.until_text(".labels .possible button", "AFTER")
        page.until_text(".pair .because", "l14")
        page.keep_screenshot("workbench")
    with running("corpus", "--port", "0", "--calendar", cwd=tmp_path) as server:
        page.visit(server, "document", document="hn-20220412-0230", size=(1280, 900)).until_text("#verdict", "incons")
        page.click(".conflict [data-value='t3']")
        page.find("[data-set-value]").send_keys("\b\b09")
        page.until_text(".value .preview", "the document would be")
        page.keep_screenshot("workbench-dates")
    assert page.complaints() == []


def test_picture_of_an_adjudication(page, tmp_path):
    write_annotators(tmp_path)
    with running("--compare", "anna", "ben", "--port", "0", cwd=tmp_path) as server:
        page.visit(server, "adjudicate", document="hn-20220614-0203", size=(1280, 900)).until_text(
            "#progress-words", "0 of"
        )
        page.press("1")
        page.until_text("#progress-words", "1 of")
        page.until_text(".difference h2", "risen")
        page.keep_screenshot("adjudicate")
    assert page.complaints() == []


def test_pictures_of_reports(page, tmp_path):
    write_annotators(tmp_path)
    tp.report(EXAMPLES / "corpus", out=tmp_path / "report.html")
    tp.report_comparison(tmp_path / "anna", {"ben": tmp_path / "ben"}, out=tmp_path / "scores.html")
    page.open(tmp_path / "report.html", size=(1280, 900))
    page.script("document.querySelector('#d1-title').parentElement.scrollIntoView(); scrollBy(0, -6)")
    page.keep_screenshot("report")
    page.open(tmp_path / "scores.html", size=(1280, 900))
    page.script("document.querySelector('.findings').scrollIntoView(); scrollBy(0, 20)")
    page.keep_screenshot("comparison")
    assert page.complaints() == []
