"""Links between pages lead somewhere, and the glossary explains words that the pages use."""

import re

import pytest
from documentation import PAGES, ROOT, prose, text_of, without_fences

GLOSSARY = next(page for page in PAGES if page.name == "glossary.md")
TERMS = re.findall(r"^## (.+)$", text_of(GLOSSARY), re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(path):
    """Return the anchors of a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", without_fences(path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page):
    for link in LINK.findall(without_fences(text_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if page.parts[0] == "docs" and target.suffix == ".md":
            assert target.resolve().is_relative_to(ROOT / "docs"), f"the site lacks {link}"
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("term", TERMS)
def test_terms_of_the_glossary_are_used(term):
    others = " ".join(prose(text_of(page)).lower() for page in PAGES if page != GLOSSARY)
    assert re.search(rf"\b{term.lower()[:-1]}", " ".join(others.split())), term


def test_the_glossary_is_in_alphabetical_order():
    assert sorted(TERMS, key=str.lower) == TERMS


def test_the_glossary_is_linked():
    linking = [page for page in PAGES if "glossary.md" in text_of(page)]
    assert PAGES[0] in linking
    assert len(linking) > 8


def test_every_page_is_reachable_from_the_readme():
    reached, todo = set(), [(ROOT / PAGES[0]).resolve()]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        links = (link.partition("#")[0] for link in LINK.findall(page.read_text("utf-8")))
        todo += [(page.parent / link).resolve() for link in links if link and ":" not in link]
    assert {(ROOT / page).resolve() for page in PAGES} <= reached
