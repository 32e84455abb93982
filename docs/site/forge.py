"""A Sphinx extension: pages are plain Markdown, which a forge shows as well as the site does.

What only Sphinx understands stands in comments, `<!-- sphinx ... -->`, and is put in their place here. A link
to a program or to its output that is a paragraph of its own becomes the text of that file. A link to a
header, or to the folder of headers, becomes one to its page in the reference. A link to another folder of the
repository, which the site has not, becomes its text.
"""

import os
import re
from pathlib import Path

COMMENT = re.compile(r"<!-- sphinx\s(.*?)-->", flags=re.S)
FILE = re.compile(r"(?<=\n\n)\[[^\]\n]*\]\((?P<path>[^)\s]+)(?P<suffix>\.c|\.txt)\)(?=\n\n)")
HEADER = re.compile(r"\]\((?:\.\./)+include/gnd(?:/(?P<name>\w+)\.h)?\)")
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]\n]*)\]\((?P<path>\.\./[^)\s#]+)\)")
LANGUAGES = {".c": "c", ".txt": "text"}


def included(match):
    suffix = match["suffix"]
    return f"```{{literalinclude}} {match['path']}{suffix}\n:language: {LANGUAGES[suffix]}\n```"


def read(app, name, source):
    page = Path(app.env.doc2path(name))
    if page.suffix != ".md":
        return

    def reference(match):
        target = Path(app.srcdir) / "reference" / f"{match['name'] or 'overview'}.rst"
        return f"]({os.path.relpath(target, page.parent)})"

    def folder(match):
        return match["text"] if (page.parent / match["path"]).is_dir() else match.group()

    text = FILE.sub(included, COMMENT.sub(r"\1", source[0]))
    source[0] = LINK.sub(folder, HEADER.sub(reference, text))


def setup(app):
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
