"""The pages in a real browser: no error, no request, by mouse and keyboard, at two widths, and no serious fault of axe.

Needs the library playwright (extra ``browser``) and a Chromium of the system; axe-core comes from npm.
"""

import shutil
import subprocess
import tarfile
import time
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from ragtrial.report.pages.answer import write_report
from ragtrial.trial.config import Trial
from ragtrial.trial.run import run

pytestmark = pytest.mark.slow

AXE = "axe-core@4.14.1"

WIDTHS = (360, 1440)


@pytest.fixture(scope="module")
def browser():
    library = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("needs a Chromium on the path")
    with library.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """Return the script of axe-core, from npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm, which axe-core comes from")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run([npm, "pack", AXE], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm gives no {AXE}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile("package/axe.min.js").read().decode("utf-8")


@pytest.fixture(scope="module")
def reports(tmp_path_factory, hostile):
    """Return the folders of the reports of the demo and of the hostile trial."""
    folder = tmp_path_factory.mktemp("reports")
    text = (files("ragtrial.datasets") / "samples" / "demo.toml").read_text(encoding="utf-8")
    quick = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("dense ", "hybrid ")))
    demo = run(Trial.of(tomllib.loads(quick)), folder / "record")
    for name, record in (("demo", demo), ("hostile", hostile)):
        write_report(record, folder / name)
    return {"demo": folder / "demo", "hostile": folder / "hostile"}


@pytest.fixture
def opened(browser):
    """Return a function that opens a page and gives it with all that it complained of or asked for."""
    pages = []

    def open_page(path, width=1440, **context):
        page = browser.new_page(viewport={"width": width, "height": 900}, **context)
        heard = []
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: heard.append("dialog"))
        page.on("request", lambda request: heard.append(request.url) if not request.url.startswith("file:") else None)
        name, _, anchor = str(path).partition("#")
        page.goto(Path(name).as_uri() + (f"#{anchor}" if anchor else ""))
        pages.append(page)
        return page, heard

    yield open_page
    for page in pages:
        page.close()


def all_pages(folder):
    return [folder / "report.html", *sorted((folder / "report").rglob("*.html"))]


@pytest.mark.parametrize("name", ["demo", "hostile"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_ask_for_nothing_complain_of_nothing_and_fit(name, width, reports, opened):
    for path in all_pages(reports[name]):
        page, heard = opened(path, width)
        assert heard == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate("[...document.scripts].length") == (path.name == "questions.html")


@pytest.mark.parametrize("name", ["demo", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(name, scheme, reports, opened, axe):
    paths = all_pages(reports[name])
    for path in [*paths[:3], paths[-1]]:
        page, _ = opened(path, color_scheme=scheme, bypass_csp=True)
        page.evaluate(axe)
        found = page.evaluate("axe.run()")
        serious = [row for row in found["violations"] if row["impact"] in ("serious", "critical")]
        assert not serious, [(path.name, row["id"], row["nodes"][0]["html"][:200]) for row in serious]


def test_questions_are_sorted_and_filtered_by_mouse(reports, opened):
    page, heard = opened(reports["hostile"] / "report" / "questions.html")
    first = "#questions tbody tr:not([hidden]) th"
    assert page.locator("#controls").is_visible()
    page.click("th:has-text('lowest') button")
    lowest = [
        float(text)
        for text in page.locator("#questions tbody td[data-value]").evaluate_all(
            "cells => cells.filter((_, i) => i % 4 === 1).map(cell => cell.dataset.value)"
        )
    ]
    assert lowest == sorted(lowest, reverse=True)
    page.click("th:has-text('lowest') button")
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("lowest")
    page.select_option("select >> nth=0", label="time")
    assert page.locator(first).all_inner_texts() == ["多久更换滤芯?"]
    assert page.locator("#shown").inner_text() == "1 of 4 questions"
    page.select_option("select >> nth=0", index=0)
    page.fill("input[type=search]", "когда")
    assert page.locator(first).all_inner_texts() == ["Когда проверять давление?"]
    assert heard == []


def test_questions_are_sorted_and_filtered_by_keyboard(reports, opened):
    page, _ = opened(reports["demo"] / "report" / "questions.html")
    first = page.locator("#questions tbody tr:not([hidden]) th")
    before = first.first.inner_text()

    def tab_to(condition):
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate(f"(() => {{ const e = document.activeElement; return {condition}; }})()"):
                return
        raise AssertionError(f"the keyboard does not reach {condition}")

    tab_to("e.type === 'search'")
    page.keyboard.type("what")
    assert all("what" in text.lower() for text in first.all_inner_texts())
    tab_to("e.tagName === 'BUTTON' && e.textContent.startsWith('question')")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    titles = [text.lower() for text in first.all_inner_texts()]
    assert titles == sorted(titles)
    assert titles[0] != before.lower()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('th') !== null")


def test_without_scripts_everything_is_there(reports, opened):
    page, heard = opened(reports["demo"] / "report" / "questions.html", java_script_enabled=False)
    assert page.locator("#questions tbody tr").count() == 86
    assert not page.locator("#controls").is_visible()
    assert page.locator("th button").count() == 0
    page, heard = opened(reports["demo"] / "report" / "documents" / "0001.html", java_script_enabled=False)
    assert heard == []
    page.check("#arm0")
    assert page.locator("#arm0").is_checked()


def test_the_document_view_shows_the_boundaries_of_the_chosen_arm(reports, opened):
    page, _ = opened(reports["demo"] / "report" / "documents" / "0001.html")
    shown = "i => getComputedStyle(i, '::before').content"
    cut = page.locator("i.g1").first
    assert cut.evaluate(shown) == "none"
    page.focus("#none")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("#arm1").is_checked()
    assert cut.evaluate(shown) not in ("none", "normal")
    assert page.locator("i.g0").first.evaluate(shown) == "none"
    assert page.locator("mark").count() > 0
    page.click("a.tag >> nth=0")
    assert page.evaluate("document.querySelector(':target').tagName") == "H2"


def test_the_demo_s_report_is_small_and_opens_at_once(reports, opened):
    assert (reports["demo"] / "report.html").stat().st_size <= 600_000
    for path in all_pages(reports["demo"]):
        start = time.perf_counter()
        opened(path)
        assert time.perf_counter() - start <= 2
