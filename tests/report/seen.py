"""A page as a browser would see it."""

import re
from html.parser import HTMLParser


class Seen(HTMLParser):
    """Elements, attributes and texts of a page, as a browser would see them."""

    def __init__(self):
        super().__init__()
        self.elements = []
        self.texts = []
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "input", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        self.texts.append(data)


def seen(path_or_text):
    parser = Seen()
    parser.feed(path_or_text if isinstance(path_or_text, str) else path_or_text.read_text("utf-8"))
    parser.close()
    assert not parser.open
    return parser


def assert_inert(page):
    """One script, ours; no element or attribute that could run another or load anything."""
    scripts = [attrs for tag, attrs in page.elements if tag == "script"]
    assert len(scripts) <= 1
    for tag, attrs in page.elements:
        assert tag not in {
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "foreignobject",
            "image",
            "use",
            "audio",
            "video",
        }
        assert not [name for name in attrs if name.startswith("on")]
        for name in ("href", "src", "xlink:href", "action"):
            target = attrs.get(name, "")
            assert target == "data:," or not re.match(r"\s*[a-z][a-z0-9+.-]*:", target, re.IGNORECASE), target
            assert not target.startswith("//")
