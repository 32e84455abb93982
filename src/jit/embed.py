"""Writes gnd's headers for kernels, as text, into a C file: what the texts that are compiled while a
program runs may include. Arguments: the folder src, the C file, a depfile, and the headers to begin
with, as they are named in src; what they include in quotes comes along."""
import hashlib
import pathlib
import re
import sys

source, output, depfile, roots = (pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])


def included(name):
    """The headers that a header names in quotes: from src, or from beside it."""
    for other in re.findall(r'^\s*#\s*include\s*"([^"]+)"', texts[name], flags=re.M):
        beside = str(pathlib.PurePosixPath(name).parent / other)
        yield beside if (source / beside).exists() else other


texts, left = {}, list(roots)
while left:
    name = left.pop(0)
    if name not in texts:
        texts[name] = re.sub(r"^///.*\n", "", (source / name).read_text(), flags=re.M)  # without documentation
        left += included(name)


def literal(line):
    return '    "' + line.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?\\?') + '\\n"\n'


digest = hashlib.sha256("\0".join(f"{n}\0{t}" for n, t in sorted(texts.items())).encode()).hexdigest()
with open(output, "w") as out:
    out.write('/* Made by embed.py from the headers it names. */\n#include "jit/jit_headers.h"\n\n')
    out.write("const gndi_jit_header gndi_jit_headers[] = {\n")
    for name, text in sorted(texts.items()):
        out.write(f'    {{"{name}",\n' + "".join(literal(line) for line in text.split("\n")) + "    },\n")
    out.write("};\nconst int gndi_jit_header_count = sizeof gndi_jit_headers / sizeof *gndi_jit_headers;\n")
    out.write(f'const char gndi_jit_headers_digest[] = "{digest}";\n')
with open(depfile, "w") as out:
    out.write(f"{output}: " + " ".join(str(source / name) for name in sorted(texts)) + "\n")
