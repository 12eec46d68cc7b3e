"""A real browser: Debian's chromium, headless, driven by Selenium, and the few things the tests do with a page."""

import json
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = Path(os.environ.get("TEMPORACLE_SCREENSHOTS", ROOT / "build" / "screenshots"))
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
PHONE, TABLET, DESKTOP = (390, 844), (800, 1180), (1280, 900)


def start():
    """Return a driver; skip the test where the browser is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs Selenium: pip install -e '.[browser]'")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("needs Debian's chromium: apt-get install chromium chromium-driver")
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(chromedriver))


class Browser:
    """The few things the tests do with a page."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, *, size=DESKTOP, scheme="light", scripts=True):
        """Open a file or an address."""
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        width, height = size
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.command(
            "Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)  # forget what happened before
        self.driver.get(path if isinstance(path, str) else path.as_uri())
        return self

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def find_all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def requests(self):
        """Addresses asked for since the page was opened."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def keep_screenshot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        assert self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))
