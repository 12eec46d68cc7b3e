"""Pages of a running workbench, as a person works with them."""

import time
from urllib.parse import urlencode

from browser.chromium import Browser

TAB, ENTER, ESCAPE, DELETE = "\ue004", "\ue007", "\ue00c", "\ue017"
UP, RIGHT, DOWN = "\ue013", "\ue014", "\ue015"
CONTROL = "\ue009"
PATIENCE = 30  # seconds, on a machine under load


class Page(Browser):
    """A page of a workbench."""

    def visit(self, server, page="", **how):
        """Open a page; ``document`` names one."""
        document = how.pop("document", None)
        query = {"token": server.token} if document is None else {"id": document, "token": server.token}
        self.open(f"http://{server.place}/{page}?{urlencode(query)}", **how)
        return self

    def until(self, script, *arguments, reason=""):
        """Wait for an expression to be true, and return it."""
        end = time.monotonic() + PATIENCE
        while True:
            found = self.script(f"return {script}", *arguments)
            if found:
                return found
            seen = self.script("return document.body.innerText")
            assert time.monotonic() < end, f"{reason or script}\n{self.complaints()}\n{seen[:800]}"
            time.sleep(0.02)

    def until_text(self, selector, words):
        return self.until(
            "[...document.querySelectorAll(arguments[0])].some(e => e.textContent.includes(arguments[1]))",
            selector,
            words,
            reason=f"{selector} never says {words!r}",
        )

    def attribute(self, selector, name):
        """Return an attribute, or a property such as value, of the first element, in one step: pages redraw."""
        script = "const e = document.querySelector(arguments[0]); const n = arguments[1];"
        return self.script(f"{script} return n in e ? e[n] : e.getAttribute(n)", selector, name)

    def shows(self, selector):
        """Return whether the first such element can be seen."""
        return self.script("return document.querySelector(arguments[0])?.checkVisibility() ?? false", selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector):
        return self.script("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def click(self, selector):
        """Click on an element when it is there; once more if the page drew it anew at that moment."""
        from selenium.common.exceptions import StaleElementReferenceException

        self.until("document.querySelector(arguments[0])", selector)
        try:
            self.find(selector).click()
        except StaleElementReferenceException:
            self.find(selector).click()

    def press(self, *keys, control=False):
        """Press keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        actions = ActionChains(self.driver)
        if control:
            actions.key_down(CONTROL)
        for key in keys:
            actions.send_keys(key)
        if control:
            actions.key_up(CONTROL)
        actions.perform()

    def focused(self):
        """Return what the focus is on: the label that a screen reader speaks."""
        return self.script(
            "const e = document.activeElement;"
            "const spoken = document.getElementById(e.getAttribute('aria-activedescendant')) ?? e;"
            "return spoken.getAttribute('aria-label') ?? spoken.textContent"
        )

    def width(self):
        return self.script("return document.documentElement.scrollWidth")
