"""Puts the report's page together: page.py report.html report.css report.js chart.js out.c

The page's lines @STYLE@, @CHART@ and @REPORT@ are replaced by the files; at @DATA@ it is cut in two, and
out.c has the halves as strings, page_before and page_behind: gnd-bench writes its measurements in between.
"""

import sys


def c_array(name, text):
    data = text.encode()
    values = [str(byte if byte < 128 else byte - 256) for byte in data]  # of a char
    rows = [",".join(values[i:i + 24]) for i in range(0, len(values), 24)]
    return f"const char {name}[] = {{" + ",\n".join(rows + ["0"]) + "};\n"


def main(page, style, report, chart, out):
    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    scripts = {"@STYLE@": read(style), "@CHART@": read(chart), "@REPORT@": read(report)}
    text = read(page)
    for mark, part in scripts.items():
        if "</script" in part or "</style" in part:
            sys.exit(f"page.py: what goes to {mark} would end its element")
        text = text.replace(mark, part)
    before, behind = text.split("@DATA@")
    with open(out, "w", encoding="ascii") as file:
        file.write("/* Made by page.py. */\n"
                   "extern const char page_before[], page_behind[];\n")
        file.write(c_array("page_before", before) + c_array("page_behind", behind))


main(*sys.argv[1:])
