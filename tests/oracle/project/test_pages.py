"""README, changelog, guide and pages about the source as a forge shows them: plain Markdown, whose links lead to files
of the repository and to headings that are there. What only Sphinx understands stands in comments
(docs/site/forge.py)."""

import re

import pytest

import headers

ROOT = headers.ROOT
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")),
         *sorted((ROOT / "docs" / "topics").glob("*.md")),
         *sorted((ROOT / "docs" / "guide").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
# Fences with directives, colon fences, roles, labels of headings.
DIRECTIVE = re.compile(r"^\s*(?:```|~~~)\{|^:::|\{[a-z:]+\}`|^\([\w-]+\)=$", flags=re.M)


def name_of(page):
    return str(page.relative_to(ROOT))


def text_of(page):
    return re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.S)


def prose_of(page):
    return re.sub(r"^```.*?^```$", "", text_of(page), flags=re.S | re.M)


def anchors_of(page):
    """What a forge names the headings of a page, as Sphinx does: words in lower case with - between them."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}


def test_there_are_pages():
    assert len(PAGES) > 40


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page_is_plain_markdown(page):
    found = DIRECTIVE.search(text_of(page))
    assert not found, f"{name_of(page)}: {found.group()!r} is for Sphinx: put it in <!-- sphinx ... -->"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_of_a_page_lead_somewhere(page):
    wrong = []
    for address in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        path, _, anchor = address.partition("#")
        target = (page.parent / path).resolve() if path else page
        if re.match(r"\w+:", address):
            continue
        if ROOT not in target.parents or not target.exists() or "reference" in target.relative_to(ROOT).parts:
            wrong.append(f"{address}: no such file in the repository")
        elif anchor and anchor not in anchors_of(target):
            wrong.append(f"{address}: no such heading")
    assert not wrong, wrong


def test_the_readme_has_one_short_table_of_speed():
    """Its figures are those of the page that has all of them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| \| floor \| gnd \|.*?\n\n", text, flags=re.M | re.S).group().strip().split("\n")[2:]
    assert len(table) == 10
    figures = [re.findall(r"\|([\d., ]*)(?=\|)", row) for row in table]
    rows = (ROOT / "docs" / "guide" / "measurements.md").read_text(encoding="utf-8").split("\n")
    known = [re.findall(r"\|([\d., ]*)(?=\|)", row) for row in rows]
    # A fused row has one column more, of the interpreter.
    known += [row[:1] + row[2:] for row in known if len(row) == 5]
    assert not [row for row, numbers in zip(table, figures) if numbers not in known]
