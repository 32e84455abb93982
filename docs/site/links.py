"""A Sphinx extension: names of gnd in code are links to the reference, wherever code stands.

In inline code and in highlighted blocks each identifier that has an entry of the C domain becomes a link;
so neither the guide nor the headers' comments need to write any. Not inside links and headings. Powers in
prose, 10^8, are set as such.
"""

import re

WORD = re.compile(r"\b(?:gnd|GND)_\w+")
# Inline code, blocks, and what must stay as it is.
PIECE = re.compile(r"<a\b.*?</a>|<h[1-6]\b.*?</h[1-6]>|<dt\b.*?</dt>"
                   r"|<code\b[^>]*>.*?</code>|<pre\b[^>]*>.*?</pre>", flags=re.S)
POWER = re.compile(r"(?<=[\w)])\^(-?\d+)(?![^<]*>)")


def targets(app):
    """name -> (document, anchor) of all entries of the C domain; functions before other kinds."""
    found = {}
    for name, _, kind, document, anchor, _ in app.env.get_domain("c").get_objects():
        name = name.rsplit(".", 1)[-1]
        if WORD.fullmatch(name) and (name not in found or kind == "function"):
            found[name] = (document, anchor)
    return found


def link_names(app, page, template, context, doctree):
    if "body" not in context or doctree is None:
        return
    known = app.gnd_targets = getattr(app, "gnd_targets", None) or targets(app)

    def link(match):
        entry = known.get(match.group())
        if entry is None:
            return match.group()
        to = f"#{entry[1]}" if entry[0] == page else f"{app.builder.get_relative_uri(page, entry[0])}#{entry[1]}"
        return f'<a class="name" href="{to}">{match.group()}</a>'

    def linked(code):
        # Only what is text, not what stands inside of tags. In tables names may break behind "_" (gnd.css).
        inline = code.startswith("<code")

        def text(match):
            if match.group(1):
                return match.group(1)
            parts = WORD.split(match.group(2))
            names = [link(m) for m in WORD.finditer(match.group(2))] + [""]
            if inline:
                parts = [part.replace("_", "_<wbr>") for part in parts]
                names = [re.sub(r"_(?=[^<>]*(?:</a>)?$)", "_<wbr>", n) for n in names]
            return "".join(part + n for part, n in zip(parts, names))

        return re.sub(r"(<[^>]*>)|([^<]+)", text, code)

    parts, at = [], 0
    for match in PIECE.finditer(context["body"]):
        parts.append(POWER.sub(r"<sup>\1</sup>", context["body"][at:match.start()]))
        parts.append(linked(match.group()) if match.group().startswith(("<code", "<pre")) else match.group())
        at = match.end()
    context["body"] = "".join(parts) + POWER.sub(r"<sup>\1</sup>", context["body"][at:])


def setup(app):
    app.connect("html-page-context", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
