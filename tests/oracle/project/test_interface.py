"""The macros of the public headers under every C and C++ compiler found here: what must compile does, under
every standard and without a warning; what must not is refused, line by line; nested calls take no longer
than their length says; and <gnd.h> defines no name that does not begin with gnd_ or GND_."""

import collections
import re
import resource
import shutil
import subprocess

import pytest

import headers

INCLUDE = headers.ROOT / "include"
PROGRAMS = headers.ROOT / "tests" / "c" / "project"
PEDANTIC = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only", "-I", str(INCLUDE),
            "-I", str(PROGRAMS.parent)]
C = [(compiler, standard) for compiler in ("gcc", "clang") for standard in ("c11", "gnu11", "gnu17")]
CPP = [(compiler, standard) for compiler in ("g++", "clang++") for standard in ("c++17", "gnu++20")]


def compile_file(compiler, standard, path, *flags):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    return subprocess.run([compiler, f"-std={standard}", *flags, str(path)], capture_output=True, text=True,
                          timeout=60)


@pytest.mark.parametrize("compiler, standard", C)
@pytest.mark.parametrize("name", ["test_interface.c", "header_main.c"])
def test_c_programs_compile_without_a_warning(compiler, standard, name):
    done = compile_file(compiler, standard, PROGRAMS / name, *PEDANTIC)
    assert done.returncode == 0 and done.stderr == "", done.stderr


@pytest.mark.parametrize("compiler, standard", CPP)
def test_cpp_programs_compile_without_a_warning(compiler, standard):
    done = compile_file(compiler, standard, PROGRAMS / "header_use.cpp", *PEDANTIC)
    assert done.returncode == 0 and done.stderr == "", done.stderr


# ---- nested calls -------------------------------------------------------------------------------------------


def nested(form, depth, innermost="x"):
    for _ in range(depth):
        innermost = form.format(innermost)
    return innermost


DEEP = {
    "add on the left": nested("gnd_add({}, 1)", 40),
    "add on the right": nested("gnd_add(2.5, {})", 40),
    "horner": nested("gnd_add(gnd_multiply({}, x), 0.5)", 9, "1"),
    "where": nested("gnd_where(gnd_greater(x, 0), {}, 1)", 40),
    "get": nested("gnd_get(x, GND_INDICES({}))", 40),
    "interp": nested("gnd_interp({}, x, x, NULL)", 40),
    "stack": nested("gnd_stack(GND_ARRAYS({}, x), 0)", 40),
    "apply": nested('gnd_apply("add", GND_ARGS({}, x), NULL)', 40),
    "full": nested("gnd_full(GND_SHAPE(2), {}, GND_FLOAT32)", 40),
    "at": nested("gnd_full(GND_SHAPE(2), gnd_at_double({}, 0), GND_FLOAT32)", 40),
    "at of at": "gnd_full(GND_SHAPE(2), " + nested("gnd_at_int(x, {})", 40, "0") + ", GND_INT8)",
}


@pytest.mark.parametrize("compiler, standard", [("gcc", "c11"), ("clang", "c11"), ("g++", "c++17"),
                                                ("clang++", "c++17")])
def test_nested_calls_compile_quickly(compiler, standard, tmp_path):
    """Calls nested 40 deep, all in one file: 2^40 copies of x if an argument were written twice."""
    lines = "".join(f"gnd_array *deep_{n}(gnd_array *x);\ngnd_array *deep_{n}(gnd_array *x) {{ return {call}; }}\n"
                    for n, call in enumerate(DEEP.values()))
    seconds = []
    for name, text in (("nothing", ""), ("deep", lines)):
        path = tmp_path / (name + (".cpp" if "++" in compiler else ".c"))
        path.write_text("#include <gnd.h>\n" + text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = compile_file(compiler, standard, path, *PEDANTIC)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0, done.stderr
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert seconds[1] - seconds[0] < 1 * len(DEEP), f"{seconds[1]:.2f} s, {seconds[0]:.2f} of them for the header"


# Macros that write a list of numbers twice, to count it. No call of their own kind stands in such a list.
NUMBERS = {"GND_SHAPE", "GND_AXES", "GND_AXES_KEEP", "GND_KTH", "GND_CUTS", "GND_PAD_WIDTHS", "GND_NAMED"}


def public_macros():
    """(name, parameters) of the function-like macros that users call."""
    found = {}
    for path in sorted(headers.INCLUDE.glob("*.h")):
        text = re.sub(r"\\\n", " ", path.read_text())
        for name, parameters in re.findall(r"^#\s*define (gnd_\w+|GND_\w+)\(([^)]*)\)", text, flags=re.M):
            if not name.endswith("_") and parameters and name not in NUMBERS | {"GND_PRINTF"}:
                found[name] = [p.strip() for p in parameters.split(",")]
    return found


def test_macros_write_each_argument_once(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    macros = public_macros()
    assert len(macros) > 150 and "gnd_add" in macros and "GND_ARRAYS" in macros
    words = {name: [f"word_{name}_{k}" for k in range(len(parameters))] for name, parameters in macros.items()}
    path = tmp_path / "macros.c"
    path.write_text("#include <gnd.h>\n" + "".join(f"{name}({', '.join(words[name])})\n" for name in macros))
    text = subprocess.run(["cc", "-E", "-P", "-I", str(INCLUDE), str(path)], capture_output=True, text=True,
                          check=True).stdout
    often = collections.Counter(re.findall(r"\bword_\w+", text))
    counts = {name: [often[word] for word in given] for name, given in words.items()}
    assert not {name: seen for name, seen in counts.items() if max(seen) != 1 or min(seen) != 1}


# ---- what must not compile ------------------------------------------------------------------------------------

GOOD = ["gnd_add(x, 1)", "gnd_add(x, x)", "gnd_add(x, c)", "gnd_get(x, GND_INDICES(1, text))",
        "gnd_stack(1, &x, 0)", "gnd_stack(1, &c, 0)", "gnd_at_double(x, 1, 2)"]
BAD = ["gnd_add(x, NULL)", "gnd_add(NULL, x)", "gnd_add(x, text)", 'gnd_add(x, "text")', "gnd_add(x, pair)",
                  "gnd_add(x, &x)", "gnd_add(x, numbers)", "gnd_add(x, other)", "gnd_add(x, long_number)",
                  "gnd_add(x, (void *)x)", "gnd_add(x, function)",  "gnd_add(x, 1, 2)", "gnd_add(x)",
                  "gnd_full(GND_SHAPE(2), NULL, GND_INT8)", "gnd_get(x, GND_INDICES(NULL))",
                  "gnd_get(x, GND_INDICES(truth))", "gnd_get(x, GND_INDICES(1.5))", "gnd_get(x, GND_INDICES(&x))",
                  "gnd_apply(\"add\", GND_ARGS(x, NULL), NULL)", "gnd_stack(1, x, 0)", "gnd_stack(1, text, 0)",
                  "gnd_stack(1, numbers, 0)", "gnd_einsum(\"i\", 1, x)", "gnd_concatenate(1, &text, 0)",
                  "gnd_stack(GND_ARRAYS(" + ", ".join(["x"] * 65) + "), 0)"]
FUNCTION = """#include <gnd.h>
struct pair {{ int a, b; }};
double function(void);
void calls(gnd_array *x, const gnd_array *c, const char *text, struct pair pair, double *numbers,
              struct pair *other, long double long_number, bool truth);
void calls(gnd_array *x, const gnd_array *c, const char *text, struct pair pair, double *numbers,
              struct pair *other, long double long_number, bool truth) {{
    (void)x, (void)c, (void)text, (void)pair, (void)numbers, (void)other, (void)long_number, (void)truth;
#line 1 "calls"
{calls}
}}
"""


@pytest.mark.parametrize("compiler, standard", C[:1] + C[3:4] + CPP[:1] + CPP[2:3])
def test_wrong_arguments_are_compile_errors(compiler, standard, tmp_path):
    """Each line on its own: those that must compile raise no error, every other one does."""
    lines = GOOD + BAD
    path = tmp_path / ("calls.cpp" if "++" in compiler else "calls.c")
    path.write_text(FUNCTION.format(calls="\n".join(f"(void){line};" for line in lines)))
    # Errors at the line of the call, all of them; what is a warning for its age alone is an error.
    flags = ["-ferror-limit=0"] if "clang" in compiler else ["-fmax-errors=0", "-ftrack-macro-expansion=0"]
    flags += ["-Werror=int-conversion"] if "++" not in compiler else ["-Werror=conversion-null"]
    done = compile_file(compiler, standard, path, "-fsyntax-only", "-I", str(INCLUDE), *flags)
    refused = {int(n) for n in re.findall(r"^calls:(\d+):\d+: error", done.stderr, flags=re.M)}
    wrong = [line for n, line in enumerate(lines, 1) if (n in refused) == (line in GOOD)]
    if compiler == "clang++":  # whose NULL is a number; nullptr is not
        wrong = [line for line in wrong if "NULL" not in line]
    assert not wrong, wrong


# ---- names ------------------------------------------------------------------------------------------------------


def macros_of(source, *flags):
    done = subprocess.run(["cc", "-dM", "-E", "-x", "c", *flags, "-I", str(INCLUDE), "-"], input=source,
                          capture_output=True, text=True, check=True)
    return set(re.findall(r"^#define (\w+)", done.stdout, flags=re.M))


@pytest.mark.parametrize("standard", ["c11", "gnu11"])
def test_the_header_brings_no_names_of_others(standard):
    """Not I and complex of <complex.h>, for instance, which are names of many a program's own."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    own = "".join(f"#include <{name}.h>\n" for name in ("stdbool", "stddef", "stdint", "stdio"))
    brought = macros_of("#include <gnd.h>\n", f"-std={standard}") - macros_of(own, f"-std={standard}")
    assert not {name for name in brought if not name.lower().startswith("gnd_")} - {"GND_H"}


def test_lists_of_arrays_have_their_type():
    """A parameter of a public function that is a list of arrays is a gnd_array_list, which const and other
    lists pass to, and the function has a macro of its name (see gnd/base.h)."""
    wrong = [path.name for path in headers.INCLUDE.glob("*.h")
             if re.search(r"GND_API[^;]*const gnd_array \*const",
                          re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S))]
    assert not wrong
    macros = "\n".join(path.read_text() for path in headers.INCLUDE.glob("*.h"))
    for function in headers.read_functions().values():
        if any(p.type == "const gnd_array * const *" for p in function.parameters):
            assert f"#define {function.name}(...) GND_WITH_LIST_({function.name})(__VA_ARGS__)" in macros
