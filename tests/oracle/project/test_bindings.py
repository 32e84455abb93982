"""gnd.hpp and the Fortran module: made of the headers whole, without a warning, quickly compiled; and the program that
the guide shows in several languages. Their tours are tests/cxx and tests/fortran."""

import os
import re
import resource
import shutil
import subprocess
import sys
from importlib.metadata import version

import pytest

import gnd
import headers

ROOT = headers.ROOT
BINDINGS = ROOT / "tools" / "bindings"
PROGRAMS = ROOT / "examples" / "languages"
sys.path[:0] = [str(ROOT / "tools"), str(BINDINGS)]

import cxx  # noqa: E402
import defaults  # noqa: E402
import fortran  # noqa: E402
import interface  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with gnd.hpp and gnd.f90."""
    folder = tmp_path_factory.mktemp("made")
    for module, name in ((cxx, "gnd.hpp"), (fortran, "gnd.f90")):
        module.main(BINDINGS / f"{name}.in", folder / name)
    return folder


def compiled(command):
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-4000:]


def link_flags():
    library = os.path.realpath(gnd.LIBRARY)
    return [library, f"-Wl,-rpath,{os.path.dirname(library)}"]


def test_every_function_is_in_each(made):
    header, module = (made / "gnd.hpp").read_text(), (made / "gnd.f90").read_text()
    assert not re.search(r"@[A-Z]+@", header + module)
    inlines = set(re.findall(r"^(?:template <class F> )?inline .*?\b(\w+)\(", header, flags=re.M))
    procedures = set(re.findall(r"^  (?:function|subroutine) (\w+)\(", module, flags=re.M))
    functions = interface.read_functions()
    assert cxx.LEFT_OUT <= set(functions) and fortran.LEFT_OUT <= set(functions)
    for name in functions:
        if name not in cxx.LEFT_OUT and not cxx.is_release(functions[name]):
            assert cxx.short(name) in inlines, name
        if name in fortran.FUNCTIONS:
            assert name in procedures, name
    assert set(functions) - fortran.LEFT_OUT - set(fortran.FUNCTIONS) == set()


def test_a_new_function_appears(tmp_path):
    for folder in ("tools", "include", "src/kernels/ops", "src/core"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    scan = tmp_path / "include" / "gnd" / "scan.h"
    text = scan.read_text()
    new = ("/** New. */\nGND_API gnd_status gnd_new_thing(gnd_array *out[], gnd_array **rest, const gnd_array *x, "
           "int count, const double *widths, gnd_dtype dtype);\n\nGND_END")
    scan.write_text(text.replace("GND_END", new))
    for script, name in (("cxx.py", "gnd.hpp"), ("fortran.py", "gnd.f90")):
        folder = tmp_path / "tools" / "bindings"
        subprocess.run([sys.executable, folder / script, folder / f"{name}.in", tmp_path / name], check=True)
    assert ("inline new_thing_result new_thing(const array &x, const detail::list<double> &widths, "
            "gnd_dtype dtype = GND_DTYPE_NONE)") in (tmp_path / "gnd.hpp").read_text()
    assert "subroutine gnd_new_thing(out, rest, x, widths, dtype, stat)" in (tmp_path / "gnd.f90").read_text()


def test_each_list_has_a_length():
    """Or is one of those whose length the function knows: strides, shifts, the state of a shift register."""
    without = {(f.name, a.name) for f in interface.read_functions().values()
               for a in interface.arguments(f) if a.kind == "list" and a.count is None}
    assert without == {("gnd_roll_each", "shifts"), ("gnd_as_strided", "strides"), ("gnd_from_host_strided", "strides"),
                       ("gnd_wrap", "strides"), ("gnd_max_len_seq", "state")} | {
        # A number for each of the input's axes.
        *((f"gnd_fourier_{name}", parameter) for name, parameter in (("gaussian", "sigma"), ("uniform", "size"),
                                                                     ("ellipsoid", "size"), ("shift", "shift"))),
        ("gnd_distance_transform_bf", "sampling"), ("gnd_distance_transform_edt", "sampling"),
        ("gnd_shift", "shift"), ("gnd_zoom", "factor"), ("gnd_affine_transform", "matrix"),
        ("gnd_affine_transform", "offset"), ("gnd_random_fill_part", "start"),
        ("gnd_load_part", "start"), ("gnd_save_part", "start"), ("gnd_value_indices", "ignored")}


@pytest.mark.skipif(version("scipy").split(".")[:2] != ["1", "17"], reason="the file was made with SciPy 1.17")
def test_defaults_are_numpys():
    assert defaults.FILE.read_text() == defaults.text(defaults.made()), "python3 tools/defaults.py --write"


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_header_has_no_warnings(made, compiler, standard):
    include = [f"-I{made}", f"-I{ROOT / 'include'}", f"-I{ROOT / 'tests' / 'c'}"]
    for program in (PROGRAMS / "density.cpp", ROOT / "tests" / "cxx" / "test_cxx.cpp"):
        compiled([compiler, f"-std={standard}", "-fsyntax-only", *WARNINGS, *include, program])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_options_by_name_in_cxx20(made, tmp_path, compiler):
    program = tmp_path / "options.cpp"
    program.write_text("#include <gnd.hpp>\nint main() {\n    gnd::array sos = "
                       "gnd::butter(4, 1000, {.output = GND_SOS, .fs = 48e3}).sos;\n"
                       "    return sos.dim(0) == 2 ? 0 : 1;\n}\n")
    compiled([compiler, "-std=c++20", *WARNINGS, f"-I{made}", f"-I{ROOT / 'include'}", program, "-o",
              tmp_path / "options", *link_flags()])
    subprocess.run([tmp_path / "options"], check=True)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_header_compiles_within_a_second(made, compiler):
    command = [compiler, "-std=c++17", "-O0", "-fsyntax-only", f"-I{made}", f"-I{ROOT / 'include'}",
               PROGRAMS / "density.cpp"]
    compiled(command)
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        compiled(command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert min(times) < 1, times


def test_page_shows_the_programs():
    page = (ROOT / "docs" / "guide" / "languages.md").read_text()
    for suffix, language in (("c", "c"), ("cpp", "cpp"), ("f90", "fortran"), ("py", "python")):
        assert f"```{language}\n{(PROGRAMS / f'density.{suffix}').read_text()}```" in page, suffix


@pytest.mark.parametrize("language", ["c", "cpp", "f90"])
def test_programs_print_the_same(made, tmp_path, language):
    compiler = {"c": "cc", "cpp": "g++", "f90": "gfortran"}[language]
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler} here")
    program, include = tmp_path / "program", [f"-I{made}", f"-I{ROOT / 'include'}"]
    first = [made / "gnd.f90", "-J", tmp_path, "-std=f2018"] if language == "f90" else []
    standard = ["-std=c++17"] if language == "cpp" else []
    compiled([compiler, *standard, *first, PROGRAMS / f"density.{language}", *include, "-o", program, *link_flags()])
    run = subprocess.run([program], capture_output=True, text=True, check=True)
    page = (ROOT / "docs" / "guide" / "languages.md").read_text()
    assert run.stdout == re.search(r"^```text\n(.*?)^```$", page, flags=re.S | re.M)[1]
