"""The annotation page in headless Chromium: read, mark by key and by click, leave and come back."""

import time
from contextlib import ExitStack

import pytest
from browser_page import Page
from chromium import needs_chromium
from collecting_material import HOSTILE, saved, sheet
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from served import annotated

pytestmark = needs_chromium


class MarkingPage(Page):
    """The page as a person sees and uses it."""

    def open(self, url=None):
        # A page that differs by what follows # only would not be loaded again.
        self.browser.get("about:blank")
        self.browser.get(url or self.server.url)
        return self

    def press(self, *keys):
        body = self.one("body")
        for key in keys:
            body.send_keys(key)

    def text(self, name):
        return self.one(f"#{name}").text

    def marks(self):
        """Return the mark shown for each candidate of the open query, or None."""
        pressed = (row.find_elements(By.CSS_SELECTOR, "[aria-pressed=true]") for row in self.all("#candidates li"))
        return [buttons[0].text if buttons else None for buttons in pressed]

    def current(self):
        return [row.get_attribute("aria-current") == "true" for row in self.all("#candidates li")].index(True)


@pytest.fixture
def serve(tmp_path):
    """Starts servers; `serve.stop` ends all that run."""
    with ExitStack() as servers:

        def start(annotator="anna"):
            return servers.enter_context(annotated(sheet(), tmp_path / "marks", annotator))

        start.stop = servers.close
        yield start


@pytest.fixture
def page(browser, serve):
    browser.get_log("browser")
    page = MarkingPage(browser, serve()).open()
    page.until(lambda: page.all("#candidates li"), "no candidates are shown")
    return page


def test_it_shows_query_sentences_and_quantities(page):
    assert page.text("query") == "load factor of 50%"
    assert page.text("asked") == "= 50 percentage"
    assert page.text("count") == "0 of 5 marked"
    assert [button.text.split("\n") for button in page.all("#queries button")] == [
        ["load factor of 50%", "3"], ["lake deeper than 100 m", "2"],
    ]  # fmt: skip
    assert [(m.text, m.get_attribute("class")) for m in page.all("#candidates mark")] == [
        ("50 percent", "met"), ("40 percent", "other"), ("50 percent", "met"),
    ]  # fmt: skip
    page.press("]")
    assert page.text("query") == "lake deeper than 100 m"
    assert page.all("#candidates .text")[0].text == "It is 500 feet [= 152.4 metre] deep."
    assert page.all("#candidates mark")[0].get_attribute("class") == "converted"
    assert page.browser.get_log("browser") == []


def test_markup_in_a_text_stays_text(page):
    assert page.all("#candidates .text")[1].text == HOSTILE.replace("  ", " ")
    assert page.all("#candidates img") == []
    assert page.browser.title == "Relevant or not?"


def test_keys_mark_and_go_on(page, tmp_path):
    page.press("r")
    page.until(lambda: page.text("saved") == "saved", "the mark is not saved")
    assert saved(tmp_path) == {("q1", "d1"): "relevant"}
    assert page.current() == 1
    page.press("n", "d")
    page.until(lambda: len(saved(tmp_path)) == 3, "the marks are not saved")
    assert page.marks() == ["relevant", "not", "doubtful"]
    assert page.browser.find_element(By.ID, "done").is_displayed()
    page.press(Keys.SPACE)
    assert page.text("query") == "lake deeper than 100 m"
    page.press("1", "2")
    page.until(lambda: len(saved(tmp_path)) == 5, "the marks are not saved")
    assert saved(tmp_path) == {("q1", "d1"): "relevant", ("q1", "d2"): "not", ("q1", "d3"): "doubtful",
                               ("q2", "d1"): "relevant", ("q2", "d4"): "not"}  # fmt: skip
    assert page.text("count") == "5 of 5 marked"
    assert [left.text for left in page.all("#queries .left")] == ["✓", "✓"]


def test_clicks_mark(page, tmp_path):
    page.all("#candidates li:nth-child(3) button")[2].click()
    page.until(lambda: saved(tmp_path) == {("q1", "d3"): "doubtful"}, "the click is not saved")
    assert page.current() == 0
    page.all("#candidates li:nth-child(3) button")[2].click()
    page.until(lambda: saved(tmp_path) == {}, "the second click does not take the mark back")
    page.all("#candidates li:nth-child(2) .text")[0].click()
    assert page.current() == 1
    page.press(Keys.SPACE)
    assert page.marks() == [None] * 3
    page.all("#queries button")[1].click()
    assert page.text("query") == "lake deeper than 100 m"


def test_a_mark_that_is_not_saved_is_said_so(page, tmp_path, serve):
    page.press("r")
    page.until(lambda: len(saved(tmp_path)) == 1, "the mark is not saved")
    serve.stop()
    page.press("n")
    page.until(lambda: "d2 is not saved" in page.text("trouble"), "nothing says that the mark is lost")
    assert page.text("saved") == "not all saved"
    assert "unsaved" in page.all("#candidates li")[1].get_attribute("class")
    assert saved(tmp_path) == {("q1", "d1"): "relevant"}


def test_it_asks_for_the_name(browser, serve, tmp_path):
    page = MarkingPage(browser, serve(None)).open()
    page.until(lambda: page.browser.find_element(By.ID, "start").is_displayed(), "nothing asks for the name")
    page.browser.find_element(By.ID, "name").send_keys("Bert", Keys.ENTER)
    page.until(lambda: page.all("#candidates li"), "no candidates are shown")
    assert page.text("who").endswith("bert")
    page.press("d")
    page.until(lambda: saved(tmp_path, "bert") == {("q1", "d1"): "doubtful"}, "the mark is not saved")
    page.browser.refresh()
    page.until(lambda: page.all("#candidates li"), "the name is lost on reload")
    assert page.marks()[0] == "doubtful"


def test_another_sites_page_cannot_mark(browser, serve, tmp_path):
    """A page of another origin tries what a form and a script can do, with the token known even."""
    server, other = serve(), serve()
    MarkingPage(browser, other).open()
    target, token = f"http://127.0.0.1:{server.port}/api/mark", server.token
    body = '{"annotator":"anna","qid":"q1","docno":"d1","mark":"relevant"}'
    result = browser.execute_async_script(
        """const [target, token, body, done] = arguments;
        const tries = [
          {method: "POST", mode: "no-cors", body},
          {method: "POST", mode: "no-cors", body, headers: {"Content-Type": "text/plain"}},
          {method: "POST", body, headers: {"Content-Type": "application/json", "X-Token": token}},
        ];
        Promise.all(tries.map((options) => fetch(target, options).then(() => "sent", () => "refused"))).then(done);""",
        target, token, body,
    )  # fmt: skip
    time.sleep(0.5)
    assert "refused" in result
    assert saved(tmp_path) == {}
