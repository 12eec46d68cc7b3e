"""Rules that every file of the workbench's pages keeps, checked without a browser."""

import re
from pathlib import Path

import pytest

import temporacle.workbench

STATIC = Path(temporacle.workbench.__file__).parent / "static"
MODULES = sorted(STATIC.glob("*.js"))
PAGES = sorted(STATIC.glob("*.html"))
SHARED = {"colours.css", "dark.css"}  # of the report


def names(paths):
    return [path.name for path in paths]


def code_of(module):
    """Return a module without its comments: those hold the types of its values."""
    return re.sub(r"/\*.*?\*/", "", module.read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("module", MODULES, ids=names(MODULES))
def test_modules_never_make_markup_or_code_from_data(module):
    code = module.read_text("utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|srcdoc"
    assert re.findall(forbidden, code) == []
    assert 'setAttribute("style"' not in code


@pytest.mark.parametrize("module", MODULES, ids=names(MODULES))
def test_modules_import_each_other_only(module):
    code = code_of(module)
    lines = [line for line in code.splitlines() if re.match(r"import\b|.*\bimport\(", line)]
    imported = [re.fullmatch(r'import (?:\{ [\w, ]+ \} from )?"\./([\w-]+\.js)";', line) for line in lines]
    assert all(imported), lines
    assert {found[1] for found in imported} <= set(names(MODULES))
    assert code.count("import {") == len(imported)
    addresses = re.findall(r"https?://[^\"'` ]*", code)
    assert [each for each in addresses if not each.startswith(("http://www.w3.org/", "http://127.0.0.1"))] == []


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_pages_hold_no_inline_script_or_style_and_load_only_files_of_ours(page):
    text = page.read_text("utf-8")
    assert re.findall(r"<style|\bon\w+=|style=|javascript:", text) == []
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    loaded = re.findall(r'(?:href|src)="([^"]*)"', text)
    assert all(re.fullmatch(r"static/[\w.-]+\?token=\{\{token\}\}", address) for address in loaded), loaded
    files = {address.removeprefix("static/").partition("?")[0] for address in loaded}
    assert files <= set(names(STATIC.iterdir())) | SHARED


def test_english_texts_stand_in_one_module():
    """A text is a string with two words of letters, one after the other; selectors, paths and class names are not."""
    text = re.compile(r"""(["'`])((?:(?!\1|\$\{|\n).)*)\1""")
    sentence = re.compile(r"^[A-Z]?[a-z]+(?: [a-z]+)+[.:?!]?$|^[A-Z][a-z]+$")
    known = {"AbortError", "Escape", "Enter", "Delete", "Authorization", "Tab", "Home", "End", "Bearer"}
    for module in MODULES:
        if module.name == "texts.js":
            continue
        code = re.sub(r"(?:class|css): [\"'`].*", "", re.sub(r"//.*", "", code_of(module)))
        found = [match[2] for match in text.finditer(code) if sentence.match(match[2]) and match[2] not in known]
        assert found == [], module.name


def test_every_text_that_is_used_exists():
    """``T.a.b`` names a text: its last name stands in texts.js as a key."""
    keys = set(re.findall(r"(?:^|[{,\s])\"?([\w-]+)\"?:", (STATIC / "texts.js").read_text("utf-8")))
    keys |= {"listing"}  # given by its name alone
    for module in MODULES:
        for path in re.findall(r"\bT((?:\.\w+)+)", module.read_text("utf-8")):
            first, *rest = path.strip(".").split(".")
            assert {first, *rest[:1]} <= keys, f"{module.name}: T{path}"
