"""How the pages of the workbench look and hold: many documents, many links, hostile texts, dark mode, tablets."""

import json
import shutil
from random import Random

import pytest
from browser.chromium import DESKTOP, ROOT, TABLET
from browser.workbench_pages import DOWN, ENTER, Page
from report.hostile import write_hostile_corpus
from workbench.workbench_runs import running

LINKS = 800
MANY = 3000


def large_document(links):
    """Return a consistent document with text: links between entities at random times, so that all of them hold."""
    random = Random(7)
    names = [f"event{number}" for number in range(links // 3)]
    times = {f"e{number}": random.randrange(10_000) for number in range(len(names))}
    text, entities = "", []
    for number, name in enumerate(names):
        text += f"Then {name}" if number % 8 else f"\n\nThen {name}"
        entities.append(
            {"id": f"e{number}", "kind": "event", "text": name, "spans": [[len(text) - len(name), len(text)]]}
        )
        text += random.choice([" and ", ", ", ". "])
    rows = []
    while len(rows) < links:
        source, target = random.sample(sorted(times), 2)
        if times[source] != times[target]:
            label = "BEFORE" if times[source] < times[target] else "AFTER"
            rows.append({"id": f"l{len(rows) + 1}", "source": source, "relation": label, "target": target})
    return {"document": "large", "text": text, "entities": entities, "links": rows}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look") / "corpus"
    shutil.copytree(ROOT / "examples" / "corpus", folder)
    write_hostile_corpus(folder / "hostile")
    (folder / "large.jsonl").write_text(json.dumps(large_document(LINKS)) + "\n")
    small = [{"source": "a", "relation": "BEFORE", "target": "b"}]
    wrong = [*small, {"source": "b", "relation": "BEFORE", "target": "a"}]
    rows = [{"document": f"note {number}", "links": wrong if number % 500 == 7 else small} for number in range(MANY)]
    (folder / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="module")
def server(corpus):
    with running(corpus, "--port", "0") as found:
        yield found


@pytest.fixture
def page(driver):
    return Page(driver)


def test_thousands_of_documents_stay_quick(page, server):
    documents = server.get("/api/documents")
    page.visit(server).until_text("#progress-words", "documents checked")
    page.until_text("#progress-words", f"{len(documents):,} documents")
    assert page.script("return document.querySelectorAll('.list-row').length") < 100
    expected = [row["id"] for row in documents if row["verdict"] == "inconsistent"]
    shown = page.texts(".documents .wide a")
    assert set(shown[: len(expected)]) == set(expected)

    page.find("#search").send_keys("note 2507")
    page.until_text("#shown", "1 of")
    assert page.texts(".documents .wide a") == ["note 2507"]
    page.press("\ue00c")
    page.script(
        "const f = document.getElementById('filter'); f.value = 'unreadable'; f.dispatchEvent(new Event('change'))"
    )
    page.until_text("#shown", "1 of")
    assert "unreadable" in page.text(".documents .list-row")
    page.press("\ue00c")
    page.press("l", "\ue010")  # the End key
    page.until(
        "document.querySelector('.list-row.active').getAttribute('aria-rowindex') == arguments[0]", len(documents) + 1
    )
    page.press("\ue011", DOWN, DOWN)  # Home
    assert page.attribute(".list-row.active", "aria-rowindex") == "4"
    assert page.complaints() == []


def test_a_document_with_800_links_stays_quick(page, server):
    page.visit(server, "document", document="large").until_text("#facts", f"{LINKS} links")
    page.until("document.querySelectorAll('svg.timeline .bar-row').length", reason="no timeline")
    assert page.script("return document.querySelectorAll('.links .list-row').length") < 60
    page.find("#link-filter").send_keys("l777")
    page.until("document.querySelectorAll('.links .list-row').length == 1")
    page.click(".links .list-row")
    page.until_text(".pair .stated code", "l777")
    stated = page.text(".pair .stated b")
    page.until_text(".labels .present", stated)
    other = "AFTER" if stated == "BEFORE" else "BEFORE"
    page.click(f".labels button[data-label='{other}']")
    page.until_text("#spoken", f"Changed l777 to {other}.")
    page.press("u")
    page.until_text("#spoken", "Undid the last edit. The document is consistent.")
    took = page.script(
        "return performance.getEntriesByType('resource').filter(e => e.name.includes('/edit')).map(e => e.duration)"
    )
    assert len(took) == 1
    assert page.complaints() == []


def test_script_in_every_field_of_a_document_is_harmless(page, server):
    documents = [row for row in server.get("/api/documents") if "hostile" in row["path"]]
    assert {row["verdict"] for row in documents} == {"consistent", "inconsistent", "unreadable"}
    page.visit(server).until_text("#progress-words", "documents checked")
    page.find("#search").send_keys("hostile")
    page.until_text("#shown", f"{len(documents)} of")
    check_harmless(page)
    for row in documents:
        if row["verdict"] == "unreadable":
            continue
        page.visit(server, "document", document=row["id"]).until_text("#facts", "links")
        assert page.text("h1") == row["id"]
        page.click(".links .list-row")
        page.until("document.querySelector('.labels li')")
        page.press("c", *"<img src=x onerror=alert(1)>", ENTER)
        page.until_text("#spoken", "Commented on")
        check_harmless(page)
        written = "document.querySelector('form.comment input')?.value === arguments[0]"
        page.until(written, "<img src=x onerror=alert(1)>")


def test_script_in_the_documents_of_two_annotators_is_harmless(page, tmp_path):
    first, second = (write_hostile_corpus(tmp_path / name) for name in ("one<b>", "two<script>alert(3)<"))
    for file in second.rglob("*.jsonl"):
        file.write_text(file.read_text().replace("BEFORE", "AFTER"))
    with running("--compare", first, second, "-o", tmp_path / "out", "--port", "0") as server:
        [row] = [row for row in server.get("/api/documents") if row.get("differences")]
        page.visit(server, "adjudicate", document=row["id"]).until_text("#progress-words", "0 of 1 difference decided")
        check_harmless(page)
        page.press("2")
        page.until_text(".done", "All 1 difference is decided.")
        check_harmless(page)


def check_harmless(page):
    assert page.script("return document.querySelectorAll('img, iframe, object, script:not([src])').length") == 0
    assert page.script("return document.scripts.length") == 1
    assert page.driver.title != "owned"
    assert page.complaints() == []  # the policy found nothing to stop


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, TABLET], ids=["desktop", "tablet"])
def test_pages_fit_in_both_schemes(page, server, size, scheme):
    page.visit(server, size=size, scheme=scheme).until_text("#progress-words", "documents checked")
    check_look(page, size, scheme, "corpus")
    page.visit(server, "document", document="council", size=size, scheme=scheme).until_text("#verdict", "inconsistent")
    page.click(".conflict [data-link='l1']")
    page.until_text(".pair .strongest", "is after")
    check_look(page, size, scheme, "document")
    parts = [page.find(f".{part}-pane").rect for part in ("text", "pair", "findings", "links", "timeline")]
    assert all(part["x"] >= 0 and part["x"] + part["width"] <= size[0] for part in parts)
    assert all(part["height"] > 100 for part in parts)
    page.press("?")
    page.until("document.querySelector('dialog.help[open]')")
    assert page.find("dialog.help").rect["width"] <= size[0]


def check_look(page, size, scheme, name):
    assert page.width() <= size[0]
    background = page.script("return getComputedStyle(document.body).backgroundColor")
    red = int(background.removeprefix("rgb(").split(",")[0])
    assert red < 60 if scheme == "dark" else red > 200
    assert page.complaints() == []
    page.keep_screenshot(f"workbench-{name}-{size[0]}-{scheme}")


def test_screen_readers_get_names_and_answers(page, server):
    page.visit(server, "document", document="council").until_text("#verdict", "inconsistent")
    page.click(".conflict [data-link='l6']")
    page.until_text(".labels", "AFTER")
    nameless = page.script(
        "return [...document.querySelectorAll('button, input, select, a[href], section, [role=grid], [role=listbox]')]"
        ".filter(e => !(e.getAttribute('aria-label') ?? '').trim() && !e.textContent.trim() && !e.labels?.length)"
        ".map(e => e.outerHTML)"
    )
    assert nameless == []
    assert page.attribute("#spoken", "aria-live") == "polite"
    assert page.attribute("#spoken", "role") == "status"
    assert page.script("return document.documentElement.lang") == "en"
    spoken = page.attribute("[data-entity='ei4'].tag", "aria-label")
    assert spoken == "announced ei4 (event), chosen first, in a conflict"
    assert page.script("return [...document.querySelectorAll('h1')].length") == 1
