"""The playground: reading needs neither NumPy nor pandas nor PyTerrier, and works in a browser without a server."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from chromium import needs_chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from served import served_folder

import pyterrier_quantity as ptq

SITE = Path(__file__).parents[2] / "docs/site"
sys.path.insert(0, str(SITE))
import playground  # noqa: E402 - found by the line above

TEXT = "A 😀 café sold 3.1 mln tonnes for $15, up 5-1/4 pct, <b>on</b> 3 May 2019."
QUERY = "used BMW above 530hp below €40k"

needs_pyodide = pytest.mark.skipif(
    not playground.PYODIDE.is_dir(), reason="Pyodide is not here and could not be installed: make pyodide"
)


def test_reading_imports_nothing_heavy() -> None:
    script = (
        "import sys, pyterrier_quantity as ptq; ptq.extract('5 kg'); ptq.RuleExtractor().trace('5 kg');"
        "plan = ptq.plan.plan_query('how many BMW above 530hp'); plan.terms(); plan.answer;"
        "print(sorted({'numpy', 'pandas', 'pyterrier', 'tqdm', 'joblib', 'ir_measures'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_archive_alone_reads_as_the_package_does(tmp_path: Path) -> None:
    playground.write_reading(tmp_path / "reading.zip")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import in_browser;"
        "print(in_browser.read_text(sys.argv[2])); print(in_browser.read_query(sys.argv[3]))"
    )
    zipfile.ZipFile(tmp_path / "reading.zip").extractall(tmp_path / "unpacked")
    # Neither the environment's packages nor this folder's are seen.
    command = [sys.executable, "-I", "-S", "-c", script, str(tmp_path / "unpacked"), TEXT, QUERY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    text, query = map(json.loads, done.stdout.splitlines())
    assert [one["words"] for one in text["quantities"]] == ["3.1 mln tonnes", "$15", "5-1/4 pct", "3 May 2019"]
    assert [one["text"] for one in text["quantities"][:3]] == [str(one) for one in ptq.extract(TEXT)]
    assert text["changes"][0]["step"] == "find_numbers"
    terms, constraints = ptq.parse_query(QUERY)
    assert (query["search"][0]["terms"], [one["text"] for one in query["conditions"]]) == (
        terms,
        list(map(str, constraints)),
    )
    assert len(constraints) == 2


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory):
    """The page, served as files are; its folder holds no Pyodide where none is installed."""
    folder = tmp_path_factory.mktemp("site")
    fragment = (SITE / "playground.html").read_text(encoding="utf-8")
    (folder / "playground.html").write_text(f"<!doctype html><meta charset=utf-8>{fragment}", encoding="utf-8")
    (folder / "_static").mkdir()
    for file in playground.playground_files(tmp_path_factory.mktemp("written")):
        shutil.copy(file, folder / "_static")
    (folder / "without").mkdir()
    (folder / "without/playground.html").write_text((folder / "playground.html").read_text(encoding="utf-8"))
    with served_folder(folder) as url:
        yield url


def state_of(browser, part: str, seconds: int = 60) -> str:
    """Wait until the status line contains `part`, and return the status line."""
    state = browser.find_element(By.ID, "state")
    WebDriverWait(browser, seconds).until(lambda _: part in state.text, f"the page never says {part!r}")
    return state.text


def rows(browser, table: str) -> list[list[str]]:
    found = browser.find_elements(By.CSS_SELECTOR, f"#{table} tr")
    return [[cell.get_attribute("textContent") for cell in row.find_elements(By.TAG_NAME, "td")] for row in found]


@needs_chromium
@needs_pyodide
def test_a_text_and_a_query_are_read_in_the_browser(browser, address) -> None:
    browser.get_log("browser")
    browser.get(f"{address}/playground.html")
    state_of(browser, "Ready", 120)
    for name, typed in (("text", TEXT), ("query", QUERY)):
        script = "const box = arguments[0]; box.value = arguments[1]; box.dispatchEvent(new Event('input'));"
        browser.execute_script(script, browser.find_element(By.ID, name), typed)
    quantities = ptq.RuleExtractor(dates=True).extract(TEXT)
    assert [row[1] for row in rows(browser, "quantities")[1:]] == [str(one) for one in quantities]
    marked = browser.find_elements(By.CSS_SELECTOR, "#text-marked mark")
    assert [one.text.split("\n")[0].startswith(TEXT[q.start : q.end])
            for one, q in zip(marked, quantities, strict=True)] == [True] * 4  # fmt: skip
    assert browser.find_elements(By.CSS_SELECTOR, "#text-marked b") == []
    assert any(row[:1] == ["find_numbers"] for row in rows(browser, "changes"))
    terms, constraints = ptq.parse_query(QUERY)
    assert [row[1] for row in rows(browser, "conditions")[1:]] == list(map(str, constraints))
    assert rows(browser, "search")[1:] == [[terms]]
    assert [one for one in browser.get_log("browser") if "favicon" not in one["message"]] == []


@needs_chromium
def test_a_page_that_cannot_start_says_why(browser, address, tmp_path) -> None:
    browser.get(f"{address}/without/playground.html")
    assert "make docs" in state_of(browser, "cannot start")
    page = tmp_path / "playground.html"
    page.write_text((SITE / "playground.html").read_text(encoding="utf-8"), encoding="utf-8")
    browser.get(page.as_uri())
    assert "http.server" in state_of(browser, "cannot start")
