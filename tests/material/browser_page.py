"""A page in a browser, as its tests see it."""

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait


class Page:
    """A page in a browser, whose elements are found by CSS selectors.

    Args:
        server: has the `url`.
    """

    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def until(self, condition, what):
        waiting = WebDriverWait(self.browser, 20, ignored_exceptions=(StaleElementReferenceException,))
        waiting.until(lambda _: condition(), what)
