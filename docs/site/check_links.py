"""Checks that every link inside the built site leads somewhere: the file is there, and has the anchor.

    python docs/site/check_links.py out/docs [src/gnd.symbols]

Also that no id stands twice on a page, and that nothing is loaded from the network when a page is opened
(ordinary links to the outside are not followed). With a list of functions, that the reference has them all.
"""

import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

LOADED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}


def read(path):
    return html.parse(str(path), html.HTMLParser(encoding="utf-8")).getroot()


def links(root):
    """(address, whether opening the page loads it) of each element that has one."""
    for element in root.iter("a", *LOADED):
        name = LOADED.get(element.tag, "href")
        if element.get(name):
            yield element.get(name), element.tag != "a"


def check(site):
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    anchors, problems, count = {}, [], 0
    for path, root in pages.items():
        ids = [e.get("id") for e in root.iter() if isinstance(e.tag, str) and e.get("id")]
        anchors[path] = set(ids) | {e.get("name") for e in root.iter("a") if e.get("name")}
        problems += [f"{path.relative_to(site)}: id {i} stands twice" for i in {i for i in ids if ids.count(i) > 1}]
    for path, root in pages.items():
        for address, loaded in links(root):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if loaded and parts.scheme != "data":
                    problems.append(f"{path.relative_to(site)}: loads {address}")
                continue
            count += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                problems.append(f"{path.relative_to(site)}: {address}: no such file")
            elif parts.fragment and target in anchors and unquote(parts.fragment) not in anchors[target]:
                problems.append(f"{path.relative_to(site)}: {address}: no such place on that page")
    return pages, count, problems


def missing_functions(pages, names):
    """Functions that no page of the reference describes."""
    described = {e.get("id", "") for root in pages.values() for e in root.iter("dt")}
    described |= {e.get("id", "") for root in pages.values() for e in root.iter("span")}
    return [f"the reference has no {name}" for name in names if f"c.{name}" not in described]


def main():
    site = Path(sys.argv[1]).resolve()
    pages, count, problems = check(site)
    if len(sys.argv) > 2:
        lines = Path(sys.argv[2]).read_text(encoding="utf-8").split("\n")
        names = [line.split()[0] for line in lines if line.strip()]
        problems += missing_functions(pages, [n for n in names if n.startswith("gnd_") and not n.endswith("_")])
    for problem in sorted(set(problems)):
        print(problem)
    print(f"{len(pages)} pages, {count} links inside the site, {len(set(problems))} wrong")
    sys.exit(bool(problems) or not count)


if __name__ == "__main__":
    main()
