"""Every C block of the guide and of the README is compiled and run, and prints what the page says.

A block that has `int main` is a whole program. Any other is a fragment: it stands in a main of its own,
inside GND_SCOPE with gnd_check() behind it, and <gnd.h>, <math.h>, <stdio.h> and <string.h> included. What
a fragment needs beside its own lines stands in a comment in front of it, which readers do not see:

    <!-- snippet WORDS
    gnd_array *x = gnd_ones(GND_SHAPE(3), GND_FLOAT32);
    -->

WORDS, each optional: `file`: the block stands at file scope, and the comment is the body of main;
`compile`: it is not run; `cpu`: it runs on the CPU, whatever GND_DEVICE says; `exit=1`: its exit status;
`needs=libzip`: it is skipped where gnd says that this library is missing; `NAME=value`: a variable of its
environment.

A `text` block right behind one is what it prints, standard error after standard output; "..." in it stands
for anything. All blocks are compiled together, as one program that is told which of them to run.
"""

import os
import re
import shutil
import subprocess
from collections import namedtuple

import pytest

import gnd
import headers

ROOT = headers.ROOT
PAGES = [ROOT / "README.md", ROOT / "docs" / "index.md"] + sorted((ROOT / "docs" / "guide").glob("*.md"))
INCLUDES = "#include <gnd.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"

Snippet = namedtuple("Snippet", "page line code words hidden prints")

BLOCK = re.compile(r"(?:<!-- snippet\b(?P<words>[^\n]*?)(?:\n(?P<hidden>.*?))?-->\s*\n)?"
                   r"^```c\n(?P<code>.*?)^```$(?:\n\s*\n?```text\n(?P<prints>.*?)^```$)?", flags=re.S | re.M)


def read_snippets(pages):
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start("code")) + 1
            found.append(Snippet(page, line, match["code"], (match["words"] or "").split(),
                                 match["hidden"] or "", match["prints"]))
    return found


DIST = os.path.join(os.path.dirname(os.path.realpath(gnd.LIBRARY)), "libgnd_dist.so")  # of guide/many.md
SNIPPETS = read_snippets(page for page in PAGES if page.stem != "many" or os.path.exists(DIST))


def name_of(snippet):
    return f"{snippet.page.stem}:{snippet.line}"


def function_of(number, snippet):
    """The snippet as a function of its own in the common program."""
    place = f'#line {snippet.line} "{snippet.page.relative_to(ROOT)}"\n'
    opened, closed = f"static int run_{number}(void) {{\nGND_SCOPE {{\n", "\n}\ngnd_check();\nreturn 0;\n}\n"
    if re.search(r"\bint main\(", snippet.code):
        declaration = f"static int program_{number}();\n#define main program_{number}\n"
        # A main that ends returns 0; another function would have to say so.
        code = re.sub(r"^(int main\(.*?)^}$", r"static \1return 0; }", snippet.code, flags=re.M | re.S)
        return (declaration + place + code
                + f'\n#line 1 "end"\n#undef main\nstatic int run_{number}(void) {{ return program_{number}(); }}\n')
    if "file" in snippet.words:
        return place + snippet.code + '\n#line 1 "hidden"\n' + opened + snippet.hidden + closed
    return f'#line 1 "hidden"\n{opened}{snippet.hidden}\n{place}{snippet.code}\n#line 1 "end"\n{closed}'


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """All snippets in one program, and what the compiler said; its argument is the number of one to run."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    folder = tmp_path_factory.mktemp("snippets")
    source = INCLUDES + "\n".join(function_of(n, s) for n, s in enumerate(SNIPPETS))
    rows = ", ".join(f"run_{n}" for n in range(len(SNIPPETS)))
    source += ('#line 1 "choice"\nint main(int count, char **words) {\n'
               f"    static int (*const all[])(void) = {{{rows}}};\n"
               "    return count == 2 ? all[atoi(words[1])]() : 2;\n}\n")
    (folder / "snippets.c").write_text(source, encoding="utf-8")
    library = os.path.abspath(gnd.LIBRARY)
    libraries = [DIST, library] if os.path.exists(DIST) else [library]
    done = subprocess.run(
        [compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-strict-prototypes", "-I",
         ROOT / "include", folder / "snippets.c", "-o", folder / "snippets", *libraries,
         "-Wl,-rpath," + os.path.dirname(library), "-lm"],
        capture_output=True, text=True)
    return folder / "snippets", done.stderr


def test_all_snippets_compile(built):
    assert len(SNIPPETS) > 30
    assert built[1] == "", built[1]


def pattern_of(text):
    lines = [".*(?:\n.*)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*?")
             for line in text.rstrip().split("\n")]
    return "\n".join(lines)


@pytest.mark.parametrize("number", range(len(SNIPPETS)), ids=[name_of(s) for s in SNIPPETS])
def test_snippet(built, number, tmp_path):
    program, problem = built
    if problem:
        pytest.skip("the snippets do not compile")
    snippet = SNIPPETS[number]
    if "compile" in snippet.words:
        return  # the fixture has compiled it
    settings = dict(word.split("=", 1) for word in snippet.words if "=" in word)
    status, needs = int(settings.pop("exit", 0)), settings.pop("needs", None)
    environment = {**os.environ, "GND_DEVICE": os.environ.get("GND_DEVICE", "cpu"), "GND_LEAKS": "", **settings}
    if "cpu" in snippet.words:
        environment["GND_DEVICE"] = "cpu"
    shutil.copyfile(ROOT / "examples" / "data" / "hubble_deep_field.pgm", tmp_path / "picture.pgm")
    done = subprocess.run([program, str(number)], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          timeout=120)
    printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).rstrip().split("\n"))
    if needs and f"needs {needs}, which is missing" in printed:
        pytest.skip(printed)
    assert done.returncode == status, printed
    if snippet.prints is not None:
        assert re.fullmatch(pattern_of(snippet.prints), printed), f"it printed:\n{printed}"
