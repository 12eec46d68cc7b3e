"""The site has every page and every public name once, no broken link, and no internals."""

import html
import inspect
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest
from browser.chromium import start
from documentation import ROOT

import temporacle
from bench.site import NOTEBOOKS, assemble
from temporacle.rules import RuleKind, rules, schema_names

CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]


def pages(entries):
    for entry in entries:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from pages(value)


def test_every_page_is_in_the_menu_once():
    listed = list(pages(CONFIG["nav"]))
    audits = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs" / "audits").glob("*.md")}
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    made = {"messages/index.md", *(f"notebooks/{path.stem}.md" for path in NOTEBOOKS)}
    reached = audits - {"audits/README.md"}  # from the page that lists them
    assert sorted(listed) == sorted(there - reached - {"rules.md"} | made)


def test_the_home_page_lists_the_pages_as_the_menu_does():
    listed = (ROOT / "docs" / "index.md").read_text("utf-8").partition("## All pages\n")[2]
    groups = re.findall(r"^- \*\*(.+?)\*\*: (.+)$", listed, re.MULTILINE)
    found = {name: re.findall(r"\[(.+?)\]\((.+?)\)", links) for name, links in groups}
    menu = {
        name: [(title, page.replace("messages/index", "rules")) for each in entries for title, page in each.items()]
        for group in CONFIG["nav"][1:]
        for name, entries in group.items()
    }
    menu["Tutorial"] = menu["Tutorial"][:1]  # notebooks are made for the site
    assert found == menu


def test_the_title_has_the_version():
    assert CONFIG["site_name"] == f"Temporacle {temporacle.__version__}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if find_spec("zensical") is None or find_spec("matplotlib") is None:
        pytest.skip("the site needs extras: pip install -e '.[docs,figures]'")
    folder = tmp_path_factory.mktemp("site")
    for name in ("bench", "temporacle"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.gz"))
    shutil.copy(ROOT / "zensical.toml", folder)
    with pytest.MonkeyPatch.context() as here:
        here.chdir(ROOT)
        assemble(folder / CONFIG["docs_dir"])
    program = Path(sys.executable).parent / "zensical"
    done = subprocess.run([program, "build", "--strict"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "griffe:" not in done.stdout + done.stderr
    return folder / CONFIG["site_dir"]


@pytest.mark.slow
def test_the_site_has_every_public_name_and_no_internals(site):
    page = (site / "api.html").read_text("utf-8")
    headings = re.findall(r'<h2 id="temporacle[\w.]*\.(\w+)" class="doc', page)
    assert sorted(headings) == sorted(temporacle.__all__)
    words = re.sub(r"<[^>]+>", "", page)
    assert not re.findall(r" object at 0x|DocumentOracle|SILENT|observer=|\*\*shared", words)


def test_results_of_all_functions_are_on_their_page():
    page = (ROOT / "docs" / "api-results.md").read_text("utf-8")
    shown = set(re.findall(r"^::: temporacle\.[\w.]*?(\w+)$", page, re.MULTILINE))
    functions = [value for name in temporacle.__all__ if inspect.isfunction(value := getattr(temporacle, name))]
    returned = {inspect.formatannotation(inspect.signature(each).return_annotation) for each in functions}
    named = {name for each in returned for name in re.findall(r"[A-Z]\w+", each)} - {"Any", "Iterator", "None"}
    assert len(named) > 20
    assert named - set(temporacle.__all__) - {"ValueReading"} <= shown


@pytest.mark.slow
def test_fields_of_classes_are_listed_with_their_meaning(site):
    page = (site / "api.html").read_text("utf-8")
    words = re.sub(r"<[^>]+>", " ", page)
    assert re.search(r"f1\s+float\s+\|\s+None\s+None without gold\.", words)
    assert re.search(r"ENTAILED\s+True in every model\.", words)
    assert "_known" not in words
    assert "<p>-</p>" not in page, "write a comment behind the field"


@pytest.mark.slow
def test_every_code_has_a_page_and_every_notebook_its_output(site):
    assert {path.stem for path in (site / "messages").glob("*.html")} == {*rules(), "index"}
    for rule in rules().values():
        page = html.unescape(re.sub(r"<[^>]+>", "", (site / "messages" / f"{rule.code}.html").read_text("utf-8")))
        assert (rule.file is None) == ("prints:" not in page), rule.code
        if rule.file is not None and rule.kind is not RuleKind.ERROR:
            assert f": {rule.kind}[{rule.code}]: " in page.partition("prints:")[2], rule.code
    for notebook in NOTEBOOKS:
        assert (site / "notebooks" / f"{notebook.stem}.html").read_text("utf-8").count('class="output"') > 4
    assert {path.stem for path in (site / "schemas").glob("*.json")} == set(schema_names())


@pytest.mark.slow
def test_every_link_between_files_of_the_site_leads_somewhere(site):
    linked = {
        (page.parent / html.unescape(link).partition("#")[0].partition("?")[0]).resolve()
        for page in site.rglob("*.html")
        if page.name != "404.html"
        for link in re.findall(r'(?:href|src)="([^"#][^"]*)"', page.read_text("utf-8"))
        if not re.match(r"[a-z]+:|//", link)
    }
    assert len(linked) > 200
    assert not [path for path in linked if not path.exists()]


SEARCHED = {
    "kappa": "agreement.html",
    "inconsistent": "messages/inconsistent.html",
    "MATRES": "matres.html",
    "exit code": "exit-codes.html",
}


@pytest.fixture
def driver():
    found = start()
    found.set_window_size(1300, 900)
    yield found
    found.quit()


@pytest.mark.slow
def test_a_search_finds_the_right_page_first(site, driver):
    """The search of the site is asked in a browser, without a network."""
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        found = {word: first_found(driver, address, word) for word in SEARCHED}
        server.shutdown()
    assert found == {word: f"{address}{page}" for word, page in SEARCHED.items()}


def first_found(driver, address, word):
    """Type a word into the search and return the address of the first page in the list."""
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(f"{address}index.html")
    buttons = driver.find_elements("css selector", "button.md-search__button")
    next(each for each in buttons if each.is_displayed()).click()
    listed = WebDriverWait(driver, 60)
    waiting = "return ['BODY', 'BUTTON'].includes(document.activeElement.tagName)"
    listed.until_not(lambda _: driver.execute_script(waiting))
    driver.switch_to.active_element.send_keys(word)
    script = IN_SHADOWS + "return walk('a').map(each => each.href).filter(each => each.includes('?h='))"
    return listed.until(lambda _: driver.execute_script(script))[0].partition("?")[0]


IN_SHADOWS = """
const walk = (tag, root = document) => [...root.querySelectorAll('*')].flatMap(each =>
  [...(each.matches(tag) ? [each] : []), ...(each.shadowRoot ? walk(tag, each.shadowRoot) : [])]);
"""
