"""Reports in a real browser: Debian's chromium, headless, driven by Selenium.

Nothing is installed by these tests. Where the browser is missing they are skipped:

    apt-get install chromium chromium-driver
    pip install -e '.[browser]'

Screenshots are written to build/screenshots, or to the folder that TEMPORACLE_SCREENSHOTS names.
"""

import json

import pytest
from browser.chromium import DESKTOP, PHONE, ROOT, SCREENSHOTS
from report.hostile import write_hostile_corpus

from temporacle.cli import run
from temporacle.corpus.read import read
from temporacle.report.document.gather import page_of

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages all tests look at, by name."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = write_hostile_corpus(folder / "corpus")
    wanted = {
        "corpus": [str(EXAMPLES / "corpus")],
        "linked": [str(EXAMPLES / "corpus"), "--layout", "linked"],
        "comparison": [str(EXAMPLES / "gold"), str(EXAMPLES / "system")],
        "hostile": [str(hostile)],
        "hostile-comparison": [str(hostile), str(hostile)],
    }
    for name, arguments in wanted.items():
        assert run(["report", *arguments, "-o", str(folder / f"{name}.html")]) in {0, 3}
    return {name: folder / f"{name}.html" for name in wanted}


def shown(browser, table="documents"):
    """The first cells of the rows one can see."""
    return [
        row.find_element("css selector", "td").text
        for row in browser.find_all(f"#{table} tbody tr")
        if row.is_displayed()
    ]


@pytest.mark.parametrize("name", ["corpus", "linked", "comparison", "hostile", "hostile-comparison"])
def test_a_page_opens_from_disk_without_complaint_or_network(browser, pages, name):
    browser.open(pages[name])
    assert browser.find("h1").is_displayed()
    assert browser.complaints() == []
    requests = browser.requests()
    assert pages[name].as_uri() in requests
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_tables_sort_by_mouse_and_by_keyboard(browser, pages):
    browser.open(pages["corpus"])
    assert shown(browser) == ["council", "puzzle", "ferry", "shift"]  # inconsistent documents first
    header = browser.find("#documents thead th:nth-child(4)")
    button = header.find_element("css selector", "button")
    button.click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert shown(browser) == ["puzzle", "shift", "council", "ferry"]
    button.send_keys("\ue007")  # the Enter key
    assert header.get_attribute("aria-sort") == "descending"
    assert shown(browser) == ["ferry", "council", "puzzle", "shift"]
    browser.find("#documents thead th:nth-child(2) button").send_keys(" ")
    assert shown(browser)[:2] in (["ferry", "shift"], ["shift", "ferry"])
    assert header.get_attribute("aria-sort") is None


def test_tables_filter_by_words_and_by_verdict(browser, pages):
    browser.open(pages["corpus"])
    words = browser.find(".filters input")
    words.send_keys("TIMEML ferry")
    assert shown(browser) == ["ferry"]
    assert browser.find(".filters output").text == "1 of 4 shown"
    words.clear()
    words.send_keys("\ue003 ")
    choice = browser.find(".filters select")
    choice.send_keys("inconsistent")
    assert shown(browser) == ["council", "puzzle"]
    assert browser.find(".filters output").text == "2 of 4 shown"


def test_the_conflict_picture_names_the_right_links_and_lines(browser, pages):
    browser.open(pages["corpus"])
    conflict = page_of(read(EXAMPLES / "corpus" / "council.tml")).conflict
    drawn = browser.find("#d1 svg.conflict")
    assert drawn.is_displayed()
    stations = browser.script(
        "return [...arguments[0].querySelectorAll('g:not(.words) text')].map(g => g.textContent)", drawn
    )
    assert {"voted starts", "Wednesday ends", "announced ends"} <= set(stations)
    assert "ei1" not in drawn.get_attribute("outerHTML")
    spoken = drawn.get_attribute("aria-label")
    assert spoken.startswith("Conflict in council: ")
    assert "voted ends before Wednesday ends (l1, line 13)" in spoken
    words = browser.script("return [...arguments[0].querySelectorAll('g.words')].map(g => g.textContent)", drawn)
    assert len(words) == len(conflict.arrows)
    for link in conflict.links:
        assert any(f"{link.id} {link.label}" in each and f"line {link.line}" in each for each in words)
    stated = browser.script("return arguments[0].querySelectorAll('path.stated').length", drawn)
    assert stated == len(conflict.links)


def test_conflicts_and_text_lead_to_each_other(browser, pages):
    browser.open(pages["corpus"])
    facts = [each.text for each in browser.find_all("#d1-c1 .facts li")]
    assert facts[0] == 'l1 (line 13): "voted" IS_INCLUDED "Wednesday"'
    browser.find("#d1-c1 .facts a").click()
    target = browser.driver.current_url.partition("#")[2]
    marked = browser.find(f"mark#{target}")
    assert "conflicted" in marked.get_attribute("class")
    assert marked.text.startswith("voted")
    marked.find_element("css selector", "a.badge").click()
    assert browser.driver.current_url.endswith("#d1-c1")
    assert len(browser.find_all("#d1 mark.conflicted")) == 6
    assert not browser.find_all("#d2 mark.conflicted")
    sentences = [each.text for each in browser.find_all("#d1-c1 blockquote")]
    assert sentences[0] == "The council voted on Wednesday, right after a long debate."
    assert browser.find("#d1-c1 ol li:last-child").text == 'so ei1 "voted" would end before it ends'


def test_a_wide_screen_shows_text_and_findings_side_by_side(browser, pages):
    for width, beside in ((1500, True), (1000, False)):
        browser.open(pages["corpus"], size=(width, 900))
        text, findings = (browser.find(f"#d1 .{part}").rect for part in ("reading", "findings"))
        assert (text["x"] + text["width"] <= findings["x"]) is beside
        assert browser.script("return document.documentElement.scrollWidth") <= width
    browser.open(pages["corpus"], size=(1500, 1000))
    browser.script("document.getElementById('d1').scrollIntoView()")
    browser.keep_screenshot("conflict-1500-light")


def test_every_drawing_says_in_words_what_it_shows(browser, pages):
    for name in ("corpus", "comparison"):
        browser.open(pages[name])
        spoken = browser.script("return [...document.querySelectorAll('svg')].map(e => e.getAttribute('aria-label'))")
        assert spoken
        assert all(": " in each and len(each) > 40 for each in spoken), spoken
    browser.open(pages["corpus"])
    timeline = browser.find("#d2 svg.timeline").get_attribute("aria-label")
    assert "Timeline of ferry, certain places: raged from 0; " in timeline
    assert "left starts before failed starts" in browser.find("#d2 svg.graph").get_attribute("aria-label")


TWO_RUNS = {
    "gold": ("a BEFORE b", "b BEFORE c", "c BEFORE d", "d BEFORE e"),
    "one/out": ("a BEFORE b", "c BEFORE b", "d BEFORE e"),
    "two/out": ("a BEFORE c", "e BEFORE d"),
}


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """A comparison of two runs whose folders have the same name."""
    folder = tmp_path_factory.mktemp("runs")
    for name, links in TWO_RUNS.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "storm.tsv").write_text("".join("\t".join(link.split()) + "\n" for link in links))
    paths = [str(folder / name) for name in TWO_RUNS]
    assert run(["report", *paths, "-o", str(folder / "r.html")]) == 0
    return folder / "r.html"


def drawn_bars(browser):
    return browser.script(
        "return [...document.querySelectorAll('.chooser svg text:not(.tick)')].map(e => e.textContent).sort()"
    )


def test_disagreements_are_listed_side_by_side_before_any_drawing(browser, two_runs):
    browser.open(two_runs)
    head = [each.text for each in browser.find_all("table.disagreements th")]
    assert head == ["Pair", "Gold", "one", "two"]
    rows = [
        [cell.text for cell in row.find_elements("css selector", "td")]
        for row in browser.find_all("#d1 .disagreements tbody tr")
    ]
    pairs = [cells[0].removesuffix("Show").strip() for cells in rows]
    assert pairs == ["a – b", "b – c", "c – d", "d – e", "a – c"][: len(pairs)]  # as gold lists them
    assert len(pairs) >= 4
    cells = dict(zip(pairs, rows, strict=True))["b – c"]
    assert cells[1] == "BEFORE 2 (line 2)"
    assert "missed" in cells[2]
    assert "wrong c BEFORE b 2 (line 2)" in cells[2]
    assert "Gold excludes it: c starts after b ends. This follows from 2 (b BEFORE c, line 2)." in cells[2]
    assert "missed" in cells[3]
    table, picture = browser.find("table.disagreements"), browser.find("svg")
    assert browser.script("return arguments[0].compareDocumentPosition(arguments[1]) & 4", table, picture)
    scores = [each.text.replace(" ↕", "") for each in browser.find_all("#scores th")]
    assert scores == ["Metric", "one", "two"]
    labels = browser.script("return [...document.querySelectorAll('svg.plot text')].map(e => e.textContent)")
    assert {"awareness: one", "awareness: two"} <= set(labels)


def test_a_chosen_disagreement_is_drawn_with_its_neighbours(browser, two_runs):
    browser.open(two_runs)
    first = drawn_bars(browser)
    row = browser.find(".disagreements tr.chosen")
    row.find_element("css selector", "button").click()
    assert drawn_bars(browser) == first  # the script draws as the page does
    for number, pair in enumerate(browser.find_all(".disagreements button.choose")):
        pair.click()
        chosen = browser.find(".disagreements tr.chosen")
        assert chosen.find_element("css selector", "button") == pair
        names = chosen.get_attribute("data-caption").partition(";")[0].split(" and ")
        bars = drawn_bars(browser)
        assert set(names) <= set(bars)
        assert len(bars) < 5 or number  # never everything at once in a chain
        joined = browser.script(
            "return [...document.querySelectorAll('.chooser g.arrow:not(.near) title')].map(e => e.textContent)"
        )
        assert all(all(f" {name} " in f" {each} " for name in names) for each in joined)
        below = browser.script(
            "return arguments[0].nextElementSibling.contains(arguments[1])", chosen, browser.find(".chooser")
        )
        assert below
        assert browser.find(".chooser .shown-pair").text == chosen.get_attribute("data-caption")
    assert browser.complaints() == []
    assert browser.script("return document.documentElement.scrollWidth") <= DESKTOP[0]
    browser.keep_screenshot("disagreements-1280-light")


def test_names_of_systems_can_be_chosen(two_runs, capsys):
    paths = [str(two_runs.parent / name) for name in TWO_RUNS]
    target = two_runs.with_name("named.html")
    assert run(["report", *paths, "--name", "ours", "--name", "BERT / large", "-o", str(target)]) == 0
    page = target.read_text("utf-8")
    assert "ours, BERT / large against gold" in page
    assert str(two_runs.parent) not in page
    assert run(["report", *paths, "--name", "ours", "-o", str(target)]) == 2
    assert run(["report", paths[0], "--name", "ours", "-o", str(target)]) == 2
    assert "--name" in capsys.readouterr().err


def test_titles_hold_no_path(browser, pages):
    browser.open(pages["corpus"])
    assert browser.driver.title == "Temporacle report: corpus"
    assert str(EXAMPLES) not in browser.driver.page_source
    browser.open(pages["comparison"])
    assert browser.driver.title == "Temporacle report: system against gold"
    assert str(EXAMPLES) not in browser.driver.page_source


def test_nothing_from_a_document_runs(browser, pages):
    for name in ("hostile", "hostile-comparison"):
        browser.open(pages[name])
        assert browser.script("return document.querySelectorAll('img, iframe, object').length") == 0
        assert browser.script("return document.scripts.length") == 1
        assert browser.script("return document.title") != "owned"
        assert '"><script>' in browser.find("main").text
        assert browser.complaints() == []


def test_a_policy_stops_scripts_that_are_put_in_anyway(browser, pages):
    browser.open(pages["corpus"])
    browser.script(
        "const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)"
    )
    assert browser.driver.title.startswith("Temporacle report")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("name", ["corpus", "comparison", "hostile"])
def test_the_layout_holds_at_both_widths_in_both_schemes(browser, pages, name, size, scheme):
    browser.open(pages[name], size=size, scheme=scheme)
    assert browser.script("return document.documentElement.scrollWidth") <= size[0]
    background = browser.script("return getComputedStyle(document.body).backgroundColor")
    red = int(background.removeprefix("rgb(").split(",")[0])
    assert red < 60 if scheme == "dark" else red > 200
    ink = browser.script("return getComputedStyle(document.querySelector('svg text')).fill")
    assert ink != background
    browser.keep_screenshot(f"{name}-{size[0]}-{scheme}")


def test_pages_are_readable_without_scripts(browser, pages):
    browser.open(pages["corpus"], scripts=False)
    try:
        assert shown(browser) == ["council", "puzzle", "ferry", "shift"]
        assert not browser.find(".filters").is_displayed()
        assert browser.find("#d2 .text mark").is_displayed()
        assert browser.find("#d2 svg.timeline").is_displayed()
    finally:
        browser.open(pages["corpus"])


def test_everything_can_be_reached_by_keyboard(browser, pages):
    browser.open(pages["corpus"])
    reached = browser.script(
        "return [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')]"
        ".filter(e => e.tabIndex >= 0).length"
    )
    assert reached > 40
    assert browser.script("return [...document.querySelectorAll('.scroll')].every(e => e.tabIndex === 0)")
    browser.find("body").send_keys("\ue004")  # the Tab key
    assert browser.script("return document.activeElement.className") == "skip"


def test_paper_shows_drawings_in_full_and_no_controls(browser, pages):
    browser.open(pages["corpus"])
    browser.command("Emulation.setEmulatedMedia", media="print", features=[])
    assert not browser.find(".filters").is_displayed()
    widths = browser.script("return [...document.querySelectorAll('svg')].map(e => e.getBoundingClientRect().width)")
    assert max(widths) <= DESKTOP[0]
    assert len(browser.command("Page.printToPDF")["data"]) > 10_000


def test_linked_pages_lead_there_and_back(browser, pages):
    browser.open(pages["linked"])
    browser.find("#documents a").click()
    assert browser.driver.current_url.endswith("linked_files/d1.html")
    assert browser.find("svg.conflict").is_displayed()
    assert browser.complaints() == []
    browser.find("nav a").click()
    assert browser.driver.current_url.endswith("linked.html")


@pytest.mark.slow
def test_a_large_corpus_opens_with_a_small_page(browser, tmp_path):
    """As many documents as the silver corpus of TempEval-3. The time to open is kept beside the screenshots."""
    links = [{"source": f"e{n}", "relation": "BEFORE", "target": f"e{n + 1}"} for n in range(8)]
    lines = (json.dumps({"document": f"document {number}", "links": links}) for number in range(2452))
    (tmp_path / "many.jsonl").write_text("\n".join(lines) + "\n")
    target = tmp_path / "many.html"
    assert run(["report", str(tmp_path / "many.jsonl"), "-o", str(target), "--jobs", "2"]) == 0
    assert target.stat().st_size < 2_000_000
    assert list(tmp_path.glob("many_files/*")) == []  # there is nothing to say about these documents
    browser.open(target)
    assert len(browser.find_all("#documents tbody tr")) == 2452
    assert browser.find(".filters output").text == "300 of 2452 shown"
    visible = "return [...document.querySelectorAll('#documents tbody tr')].filter(row => row.offsetParent).length"
    assert browser.script(visible) == 300
    opened = browser.script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / "load-time.txt").write_text(f"2452 documents: {opened:.0f} ms until loaded\n")
    browser.find(".filters input").send_keys("document 2451")
    assert browser.find(".filters output").text == "1 of 2452 shown"
    assert browser.script(visible) == 1
    browser.script(
        "const f = document.querySelector('.filters input'); f.value = ''; f.form.dispatchEvent(new Event('input'))"
    )
    assert browser.script(visible) == 300
    browser.find(".filters button").click()
    assert browser.script(visible) == 2452
