"""libgnd_dist as a library: what it exports and needs, and that its headers compile everywhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gnd
import headers

sys.path[:0] = [str(headers.ROOT / "tools"), str(headers.ROOT / "packaging")]

import dist_header  # noqa: E402
import symbols as released  # noqa: E402

FUNCTIONS = headers.read_functions(headers.DIST)
SOURCES = sorted((headers.ROOT / "src" / "dist").rglob("*.[ch]"))
PEDANTIC = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only", "-I",
            str(headers.ROOT / "include")]


def library():
    path = Path(gnd.LIBRARY).resolve().parent / "libgnd_dist.so"
    if not path.exists() or shutil.which("nm") is None:
        pytest.skip("libgnd_dist.so is not built beside libgnd.so")
    return path


def symbols(path, *options):
    listing = subprocess.run(["nm", "-D", *options, str(path)], check=True, capture_output=True, text=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


def test_it_exports_what_its_headers_declare():
    exported = {name for name in symbols(library(), "--defined-only") if name.startswith("gnd")}
    assert exported == set(FUNCTIONS) | {"gndi_dist_fail_alloc_at", "gndi_dist_window_from"}


def test_it_uses_the_public_functions_alone():
    used = {name for name in symbols(library(), "--undefined-only") if name.startswith("gnd")}
    assert used and used <= set(headers.read_functions()) | headers.read_data()
    found = [f"{path.name} includes {name}" for path in SOURCES
             for name in re.findall(r"#\s*include\s*\"([^\"]+)\"", path.read_text()) if not name.startswith("dist/")]
    assert not found, found


def test_it_needs_no_other_library():
    dynamic = subprocess.run(["readelf", "-d", str(library())], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    allowed = ("libgnd.", "libc.", "libdl.", "libpthread.", "ld-linux", "libasan", "libubsan", "libtsan")
    assert not [n for n in needed if not n.startswith(allowed)], needed
    assert "[libgnd_dist.so.0]" in dynamic


def test_every_function_is_documented_and_tested():
    tests = "\n".join(p.read_text() for p in [*(headers.ROOT / "tests" / "c" / "dist").glob("*.[ch]")])
    assert not [f.name for f in FUNCTIONS.values() if not f.doc]
    words = set(re.findall(r"\w+", tests))
    assert not set(FUNCTIONS) - words, "in no test"


@pytest.mark.parametrize("compiler, standard", [("gcc", "c11"), ("gcc", "gnu17"), ("g++", "c++17"),
                                                ("g++", "gnu++20")])
def test_the_header_of_mpi_compiles_without_a_warning(compiler, standard, tmp_path):
    if shutil.which("mpicc") is None or shutil.which(compiler) is None:
        pytest.skip("MPI, or the compiler, is not installed")
    flags = subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True).stdout.split()
    program = tmp_path / ("use.c" if compiler == "gcc" else "use.cpp")
    program.write_text("#include <gnd_dist_mpi.h>\nint main(void) { return gnd_mesh_from_mpi(MPI_COMM_WORLD) != 0; }\n")
    folders = [word.replace("-I", "-isystem", 1) for word in flags]
    done = subprocess.run([compiler, f"-std={standard}", *PEDANTIC, *folders, "-x", "c" if compiler == "gcc" else "c++",
                           str(program)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_prototypes_of_nccl_are_those_of_the_library():
    """Every function of the table is in NCCL, where it is installed: loading it needs no driver."""
    text = (headers.ROOT / "src" / "dist" / "nccl_library.c").read_text()
    names = re.findall(r'"(nccl\w+)"', text[text.index("names[] = {"):text.index("enum { NAMES")])
    assert len(names) == 22
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/lib64")
    found = [p for folder in folders for p in Path(folder).glob("libnccl.so.2")]
    if not found:
        pytest.skip("NCCL is not installed")
    assert set(names) <= symbols(found[0], "--defined-only")


def test_the_header_is_what_the_table_makes():
    assert dist_header.header() == dist_header.HEADER.read_text()


def test_the_list_of_functions_is_that_of_the_headers():
    assert set(released.listed(released.DIST_LIST)) == set(FUNCTIONS)
