"""One browser for all tests of pages."""

import pytest
from browser.chromium import Browser, start


@pytest.fixture(scope="session")
def driver():
    found = start()
    try:
        yield found
    finally:
        found.quit()


@pytest.fixture
def browser(driver):
    return Browser(driver)
