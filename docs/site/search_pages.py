"""A Sphinx extension: excerpts in search results, also from file://.

Sphinx's search fetches each page that it found, to show where the words stand; browsers refuse that between
local files. So the text of all pages goes into one script that the search page loads, which answers fetch()
for them. Searching itself needs nothing of this: its index is a script already.
"""

import json
from pathlib import Path

from lxml import html

SCRIPT = "search-pages.js"

ANSWER = """
(() => {
    const network = window.fetch;
    window.fetch = (address, options) => {
        const root = new URL(document.documentElement.dataset.content_root || "./", location.href).href;
        const asked = new URL(address, location.href).href.split(/[?#]/)[0];
        const page = gndPages[decodeURI(asked.slice(root.length))];
        return page === undefined ? network(address, options)
            : Promise.resolve({ ok: true, text: () => Promise.resolve(page) });
    };
})();
"""


def load_pages(app, page, template, context, doctree):
    if page == "search":
        app.add_js_file(SCRIPT, priority=100)


def write_pages(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    output, pages = Path(app.outdir), {}
    for path in sorted(output.rglob("*.html")):
        root = html.parse(str(path), html.HTMLParser(encoding="utf-8")).getroot()
        for main in root.xpath("//*[@role='main']"):
            pages[path.relative_to(output).as_posix()] = html.tostring(main, encoding="unicode")
    text = "const gndPages = " + json.dumps(pages, ensure_ascii=False) + ";" + ANSWER
    (output / "_static" / SCRIPT).write_text(text, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", load_pages)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
