"""Pictures of the workbench for the documentation, made from invented documents.

TEMPORACLE_SCREENSHOTS=docs pytest tests/browser/test_workbench_pictures.py
"""

import pytest
from browser.invented import write_annotators, write_corpus
from browser.workbench_pages import Page
from workbench.workbench_runs import running


@pytest.fixture
def page(driver):
    return Page(driver)


def test_pictures_of_a_corpus_and_of_a_document(page, tmp_path):
    write_corpus(tmp_path / "corpus")
    with running("corpus", "--port", "0", cwd=tmp_path) as server:
        page.visit(server, document=None, size=(1280, 620)).until_text("#progress-words", "14 documents checked")
        page.until_text("#summary", "3 inconsistent and 11 consistent")
        page.keep_screenshot("workbench-corpus")
        page.visit(server, "document", document="valley", size=(1280, 900)).until_text("#verdict", "inconsistent")
        page.click(".conflict [data-link='l8']")  # which the repair would remove
        page.until_text(".labels .possible button", "AFTER")
        page.until_text(".pair .because", "l14")
        page.keep_screenshot("workbench")
    assert page.complaints() == []


def test_picture_of_an_adjudication(page, tmp_path):
    write_annotators(tmp_path)
    with running("--compare", "anna", "ben", "--port", "0", cwd=tmp_path) as server:
        page.visit(server, "adjudicate", document="valley", size=(1280, 900)).until_text("#progress-words", "0 of")
        page.press("1")
        page.until_text("#progress-words", "1 of")
        page.until_text(".difference h2", "2. ")
        page.keep_screenshot("adjudicate")
    assert page.complaints() == []
