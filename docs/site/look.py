"""Looks at the built site as a reader does: in Chromium, from file://, wide and narrow, light and dark.

    python docs/site/look.py out/docs [--pictures DIRECTORY] [page.html ...]

Every page is opened at 1280 and 390 pixels in both colour schemes. What is wrong is printed, and the exit
status is 1: messages on the console, anything fetched from the network, pages that scroll sideways, a search
that does not find. Needs playwright from PyPI and Debian's chromium.
"""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTHS = {"wide": (1280, 900), "phone": (390, 844)}
# What is searched for, and the page that must be among the results.
SEARCHES = {"gnd_cumsum": "reference/scan.html", "broadcast": "guide/arrays.html", "leak": "guide/errors.html"}


def watch(page, problems):
    def say(what):
        problems.append(f"{page.url.rsplit('/docs/', 1)[-1]}: {what}")

    page.on("console", lambda m: say(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: say(f"error: {e}"))
    page.on("requestfailed", lambda r: say(f"not loaded: {r.url}"))
    page.on("request", lambda r: say(f"from the network: {r.url}") if r.url.startswith("http") else None)


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def search(page, site, problems):
    for query, wanted in SEARCHES.items():
        page.goto((site / "index.html").as_uri())
        box = page.locator("input[name=q]").first
        if not box.is_visible():  # in the drawer, on a phone
            page.locator("label[for=__navigation]").first.click()
            page.wait_for_timeout(400)
        box.fill(query)
        box.press("Enter")
        page.wait_for_selector("#search-results ul.search li", timeout=10000)
        links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
        if not any(wanted in link for link in links):
            problems.append(f"search for {query} does not find {wanted}")


def look(site, names, pictures):
    problems = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for width, (across, down) in WIDTHS.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport={"width": across, "height": down}, color_scheme=scheme)
                page = context.new_page()
                watch(page, problems)
                for name in names:
                    page.goto((site / name).as_uri())
                    if overflow(page) > 0:
                        problems.append(f"{name}: scrolls sideways by {overflow(page)} pixels ({width})")
                    if pictures:
                        place = pictures / f"{name.replace('/', '-').removesuffix('.html')}-{width}-{scheme}.png"
                        page.screenshot(path=place, full_page=False)
                search(page, site, problems)
                if pictures:
                    page.screenshot(path=pictures / f"search-{width}-{scheme}.png")
                context.close()
        browser.close()
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_intermixed_args()
    site = options.site.resolve()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    names = options.pages or sorted(str(p.relative_to(site)) for p in site.rglob("*.html"))
    problems = look(site, names, options.pictures)
    print("\n".join(sorted(set(problems))) or f"{len(names)} pages: nothing wrong")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
