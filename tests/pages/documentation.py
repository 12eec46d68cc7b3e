"""The pages of the documentation and the code blocks in them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    Path("README.md"),
    Path("CONTRIBUTING.md"),
    *(path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md"))),
]


def text_of(page):
    """Return the text of a page."""
    return (ROOT / page).read_text("utf-8")


def code_blocks(text):
    """Return the code blocks of a page as (language, content); an indented block has the language ''."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    rest = without_fences(text)
    indented = re.findall(r"(?:^\n|\A)((?:^(?: {4}.*)?\n)+)", rest, re.MULTILINE)
    return fenced + [("", re.sub(r"^ {4}", "", block, flags=re.MULTILINE)) for block in indented]


def without_fences(text):
    """Return the text without its fenced code blocks."""
    return re.sub(r"^```\w*\n.*?^```$\n?", "", text, flags=re.DOTALL | re.MULTILINE)


def prose(text):
    """Return the text without code: no fenced or indented block, no inline code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^ {4}.*$", "", without_fences(text), flags=re.MULTILINE))
