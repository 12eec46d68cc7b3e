"""No page has a violation that axe-core finds, in both colour schemes."""

import pytest
from browser.chromium import DESKTOP, ROOT
from browser.invented import write_annotators, write_corpus
from browser.workbench_pages import Page
from workbench.workbench_runs import running

import temporacle as tp

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
NARROW = (700, 900)

pytestmark = pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: npm install")


@pytest.fixture
def page(driver):
    return Page(driver)


def violations(page):
    """Return what axe-core finds, with the elements that it is about."""
    page.command("Runtime.evaluate", expression=AXE.read_text())  # past the policy of the page, which runs no script
    found = page.command(
        "Runtime.evaluate",
        expression="axe.run().then(r => JSON.stringify(r.violations.map(v =>"
        " [v.id, ...v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.any.map(a => a.message).join(' '))])))",
        awaitPromise=True,
        returnByValue=True,
    )
    return found["result"]["value"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("axe")
    write_corpus(found / "corpus")
    write_annotators(found)
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, NARROW], ids=["wide", "narrow"])
def test_pages_of_the_workbench(page, folder, size, scheme):
    with running("corpus", "--port", "0", "--calendar", cwd=folder) as server:
        page.visit(server, size=size, scheme=scheme).until_text("#progress-words", "documents checked")
        page.click(".figures summary")
        page.until_text("#statistics", "Links")
        assert violations(page) == "[]"
        page.visit(server, "document", document="hn-20220614-0203", size=size, scheme=scheme).until_text(
            "#verdict", "inconsist"
        )
        page.until("document.querySelectorAll('svg.timeline .bar-row').length")
        assert violations(page) == "[]"
        page.click(".conflict [data-link='l8']")
        page.until("document.querySelector('.labels li')")
        page.press("r")
        assert violations(page) == "[]"
        page.press("?")
        page.until("document.querySelector('dialog.help[open]')")
        assert violations(page) == "[]"
    with running("--compare", "anna", "ben", "-o", f"{size[0]}-{scheme}", "--port", "0", cwd=folder) as server:
        page.visit(server, size=size, scheme=scheme).until_text("#progress-words", "documents checked")
        assert violations(page) == "[]"
        page.visit(server, "adjudicate", document="hn-20220614-0203", size=size, scheme=scheme).until_text(
            "#progress-words", "0 of"
        )
        page.press("1")
        page.until_text("#progress-words", "1 of")
        assert violations(page) == "[]"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_reports(page, folder, scheme):
    tp.report(folder / "corpus", out=folder / "report.html", layout="linked", calendar=True)
    tp.report(folder / "corpus", out=folder / "whole.html", layout="single")
    tp.report_comparison(folder / "anna", {"ben": folder / "ben"}, out=folder / "scores.html")
    pages = [
        folder / "report.html",
        *sorted((folder / "report_files").glob("*.html"))[:2],
        folder / "whole.html",
        folder / "scores.html",
    ]
    for each in pages:
        page.open(each, scheme=scheme)
        assert violations(page) == "[]", each.name
