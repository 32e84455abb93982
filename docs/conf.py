# Settings of the documentation website (./dev docs): the guide in Markdown, the reference that
# site/reference.py writes from the headers, and the pages about the source. Everything works from file://.
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

_base = (Path(__file__).parents[1] / "include" / "gnd" / "base.h").read_text(encoding="utf-8")

project = "gnd"
author = "the gnd authors"
release = ".".join(re.findall(r"#define GND_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", _base))
version = release

extensions = ["myst_parser", "forge", "links", "search_pages"]
exclude_patterns = ["site"]
root_doc = "index"
highlight_language = "none"
primary_domain = "c"
nitpicky = False
smartquotes = False  # "1:-1" and -- are code
maximum_signature_line_length = 88
c_extra_keywords = []  # "imaginary" is the name of a parameter

suppress_warnings = ["misc.highlighting_failure"]  # formulas and code in one block

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"gnd {release}"
html_static_path = ["static"]
html_css_files = ["gnd.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "sidebar_hide_name": False,
    "navigation_with_keys": True,
}
