"""The house's rules, read off the tree and the built library: where CUDA may be included, which way
includes point, what is documented, exported and tested, and how sources look."""

import pathlib
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

import gnd
import headers
from folds import FOLDS

ROOT = headers.ROOT
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "tools"))

import compile_commands  # noqa: E402
import elementwise_header  # noqa: E402
import mutate_topics  # noqa: E402
import where  # noqa: E402

SOURCE = ROOT / "src"
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".def", ".inc"}
SOURCES = sorted(p for p in SOURCE.rglob("*") if p.suffix in SUFFIXES)
PUBLIC = sorted(headers.INCLUDE.glob("*.h")) + [ROOT / "include" / "gnd.h"]
PYTHON = sorted((ROOT / "tests").rglob("*.py"))
C_TESTS = sorted((ROOT / "tests" / "c").rglob("*.[ch]*"))

# The order of docs/architecture.md, lowest first: each folder may use itself and those before it.
LAYERS = ["core", "libraries", "runtime", "array", "jit", "kernels", "elementwise", "reduce", "scan", "statistics",
          "rearrange", "index", "ufunc", "sort", "quantile", "pad", "histogram", "sets", "signal", "linalg", "fft",
          "polynomial", "windows", "filter_design", "systems", "convolve", "filter", "resample", "spectral",
          "waveforms", "splines", "transforms", "peaks", "labels", "ndimage", "radar", "kalman", "audio", "random",
          "fuse", "special_functions", "user_kernel", "io", "samples", "benchmark", "backend", "dist"]

# The names that a folder takes from above, with the reason.
ACCEPTED_UPWARD = {
    # The tables of the backends. Tables that registered themselves would be missing in programs that link the
    # static library: nothing there refers to them.
    ("runtime", "gndi_backend_of"),
}


def relative(path):
    return str(path.relative_to(ROOT))


def includes(path):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), flags=re.M)


def is_cuda_file(path):
    return path.suffix in (".cu", ".cuh") or re.search(r"_cuda\.\w+$", path.name) is not None


def test_cuda_headers_stay_in_cuda_files():
    pattern = re.compile(r"^(cuda|cublas|cusolver|cufft|curand|cusparse|nvrtc|nvtx|cub/|thrust/|"
                         r"cooperative_groups|mma\.h|nvJitLink)")
    found = [f"{relative(path)} includes {name}" for path in SOURCES + PUBLIC
             if not is_cuda_file(path) for name in includes(path)
             if pattern.match(name) and not (SOURCE / name).exists()]
    assert not found, "\n".join(found)


def points_upward(layer, other):
    return layer in LAYERS and other in LAYERS and LAYERS.index(other) > LAYERS.index(layer)


def test_every_folder_has_its_place_in_the_order():
    folders = {p.name for p in SOURCE.iterdir() if p.is_dir()} - {"cuda_toolkit"}
    assert folders == set(LAYERS)


def test_the_architecture_page_lists_the_folders_in_order():
    text = (ROOT / "docs" / "architecture.md").read_text()
    blocks = re.findall(r"^```\n(.*?)^```$", text, flags=re.M | re.S)
    assert LAYERS in [re.findall(r"^(\w+) ", block, flags=re.M) for block in blocks]


def test_every_folder_has_a_page_and_every_header_a_folder():
    """docs/topics/index.md lists both, and all pages. A header is in the row of a folder that makes functions of it."""
    text = (ROOT / "docs" / "topics" / "index.md").read_text()
    rows = re.findall(r"^\| (\w+) \| (\[.*\)) \| ([\w, ]*) \|$", text, flags=re.M)
    assert [folder for folder, _, _ in rows] == LAYERS
    pages = {name for _, links, _ in rows for name in re.findall(r"\[(\w+)\]\(\1\.md\)", links)}
    assert pages == {path.stem for path in (ROOT / "docs" / "topics").glob("*.md")} - {"index"}
    listed = {header: folder for folder, _, names in rows for header in names.split(", ") if header}
    assert sorted(listed) == sorted(path.stem for path in headers.INCLUDE.glob("*.h"))
    assert sum(len(names.split(", ")) for _, _, names in rows if names) == len(listed), "a header in two rows"
    for header, folder in listed.items():
        assert header == folder or not (SOURCE / header).is_dir(), header
    made, makers = where.definitions(), {}
    for function in headers.read_functions().values():
        makers.setdefault(pathlib.Path(function.header).stem, set()).add(made[function.name][0].split("/")[1])
    assert not [header for header, found in makers.items() if listed[header] not in found]


def test_includes_point_downward():
    found = [f"{relative(path)} includes {name}" for path in SOURCES for name in includes(path)
             if "/" in name and points_upward(path.relative_to(SOURCE).parts[0], name.split("/")[0])]
    assert not found, "\n".join(found)


def folder_of_object(name):
    folders = [folder for folder in LAYERS if name.startswith(folder + "_")]
    return max(folders, key=len) if folders else "elementwise"  # loops of a family of operators


def object_name(path):
    """Meson names an object after its source, with _ for /; generated sources have more in front."""
    return path.name.removeprefix("meson-generated_").replace(".._", "").removesuffix(".o")


def symbols_of_objects():
    """Where each symbol of the library is defined, and which ones each object uses: [(object, symbol), ...]."""
    objects = [p for p in pathlib.Path(gnd.LIBRARY).resolve().parent.rglob("*.o") if "libgnd" in p.parent.name]
    if not objects or shutil.which("nm") is None:
        pytest.skip("the library's objects are not here")
    listing = subprocess.run(["nm", "--print-file-name", *map(str, objects)], check=True, capture_output=True,
                             text=True)
    home, used = {}, []
    for line in listing.stdout.splitlines():
        path, _, rest = line.rpartition(":")
        *_, kind, symbol = rest.split()
        if kind in "TDBR":
            home[symbol] = object_name(pathlib.Path(path))
        elif kind == "U":
            used.append((object_name(pathlib.Path(path)), symbol))
    return home, used


def test_symbols_point_downward():
    """What an object of a folder calls lies in that folder or below: prototypes of its own would deceive the test
    of the includes."""
    home, used = symbols_of_objects()
    upward = {(folder_of_object(name), symbol) for name, symbol in used
              if symbol in home and points_upward(folder_of_object(name), folder_of_object(home[symbol]))}
    assert upward == ACCEPTED_UPWARD


def test_no_circles_between_files():
    """Inside fuse, user_kernel and elementwise files call each other in one direction."""
    home, used = symbols_of_objects()
    calls = {}
    for name, symbol in used:
        other = home.get(symbol, name)
        inside = name.startswith(("fuse_", "user_kernel_", "elementwise_"))
        if other != name and inside:
            calls.setdefault(name, set()).add(other)

    def reachable(start):
        seen, left = set(), [start]
        while left:
            for other in calls.get(left.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    left.append(other)
        return seen

    circles = {name for name in calls if name in reachable(name)}
    assert not circles, sorted(circles)


def test_folders_are_small():
    """No folder has more than 45 files of its own, but for the public headers, which programs include by their names,
    and tables of runs; and none of src (with its cpu and cuda) 15% of the lines."""
    files, lines = Counter(), Counter()
    for path in tracked_files():
        parts = path.relative_to(ROOT).parts
        if path.parent != headers.INCLUDE and path.parent.name != "results":
            files[relative(path.parent)] += 1
        if parts[0] == "src" and len(parts) > 2:
            lines[parts[1]] += len(path.read_text().split("\n"))
    if not files:
        pytest.skip("no list of files")
    large = {folder: count for folder, count in files.items() if count > 45}
    assert not large, f"over 45 files: {large}"
    assert max(lines.values()) < 0.15 * sum(lines.values()), lines


def test_every_test_is_in_the_folder_of_a_topic():
    """Topics are the folders of src; common has tests of all functions, project those of headers, pages and sources."""
    strange = [relative(path) for path in C_TESTS + PYTHON
               if path.name.startswith("test_") and path.parent.name not in [*LAYERS, "common", "project"]]
    assert not strange, strange


def test_every_lock_knows_of_forks():
    """core/lock.c takes them all before a fork; others would stay locked in the child. (A child has no use for a mesh
    over NCCL, whose watching thread it has not.)"""
    pattern = re.compile(r"pthread_(mutex|spin|rwlock|once|atfork|barrier)|std::(mutex|once_flag)|call_once")
    found = [f"{relative(path)}: {match.group()}" for path in SOURCES
             if path.parent.name + "/" + path.stem not in ("core/lock", "dist/watch")
             for match in pattern.finditer(path.read_text())]
    assert not found, "\n".join(found)


def test_quoted_includes_name_existing_files():
    found = []
    for path in SOURCES:
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), flags=re.M):
            made = [name + ".in"] + ["kernels/parts.h.in"] * name.endswith("_parts.h")  # by Meson
            if not any((folder / n).exists() for folder in (SOURCE, path.parent) for n in (name, *made)):
                found.append(f"{relative(path)} includes {name}")
    assert not found, "\n".join(found)


def test_every_public_function_is_documented():
    # A GND_API declaration stands under its own doc comment, or with others under one they share.
    missing = [f"{f.header}: {f.name}" for f in headers.read_functions().values()
               if not f.doc and not f.name.endswith("_")]
    assert not missing, "\n".join(missing)


def exported_symbols():
    listing = subprocess.run(["nm", "-D", "--defined-only", gnd.LIBRARY], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()}


def test_exported_symbols():
    exported, declared = exported_symbols(), set(headers.read_functions()) | headers.read_data()
    assert not declared - exported, f"declared, not exported: {sorted(declared - exported)}"
    extra = exported - declared - {"gndi_fail_alloc_at", "gndi_test_kernel_nvrtc"} - {"_init", "_fini"}
    assert not extra, f"exported, not declared: {sorted(extra)}"


def test_every_public_function_is_found():
    """`git grep -n "gnd_NAME("` finds where it is made, and so does ./dev where: its definition, or the row of a table
    that makes it, which then has the name in a comment."""
    declared = set(headers.read_functions()) | set(headers.read_functions(headers.DIST))
    made = where.definitions()
    assert not declared - set(made), f"no definition that a search finds: {sorted(declared - set(made))}"
    assert not set(made) - declared, f"defined, not declared: {sorted(set(made) - declared)}"
    several = {name: places for name, places in made.items() if len(places) > 1}
    assert not several, several
    for name, (found,) in made.items():
        file, number = found.rsplit(":", 1)
        assert name + "(" in (ROOT / file).read_text().split("\n")[int(number) - 1]


@pytest.mark.parametrize("name, said", [
    ("gnd_sum",
     ["defined   src/reduce/reduce.c:", "header    include/gnd/reduce.h:", "test      tests/c/reduce/test_reduce.c:"]),
    ("sin", ["defined   src/kernels/ops/ops.def:", "header    include/gnd/elementwise.h:", "every row of ops.def"]),
    ("abs", ["gnd_abs is gnd_absolute", "defined   src/kernels/ops/ops.def:"]),
    ("irfft_into", ["defined   src/fft/fft.c:", "header    include/gnd/fft.h:"]),
    ("GND_SCOPE", ["header    include/gnd/scope.h:"]),
])
def test_where_says_where(name, said, capsys):
    assert where.main([name]) == 0
    output = capsys.readouterr().out
    assert not [text for text in said if text not in output], output


def test_where_knows_no_other_name(capsys):
    assert where.main(["ad"]) == 1
    assert "gnd_ad is not public; there is" in capsys.readouterr().err


def test_needs_no_heavy_library():
    """What libgnd.so needs at load time: nothing but the C and C++ runtime."""
    dynamic = subprocess.run(["readelf", "-d", gnd.LIBRARY], check=True, capture_output=True,
                             text=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    allowed = ("libc.", "libm.", "libmvec.", "libdl.", "libpthread.", "librt.",
               "libstdc++.", "libgcc_s.", "ld-linux", "libasan", "libubsan", "libtsan")
    assert not [n for n in needed if not n.startswith(allowed)], needed
    assert re.search(r"SONAME.*\[libgnd\.so\.\d+\]", dynamic)


def test_every_public_function_is_tested():
    """Every function is named in a test in C or Python; operators are tested by the table, reductions
    and scans by folds.py."""
    text = "\n".join(p.read_text() for p in C_TESTS + PYTHON if p.name != "test_structure.py")
    words, called = set(re.findall(r"\w+", text)), set(re.findall(r"\bgnd\.(\w+)", text))
    rows = headers.read_operators() + headers.read_operators(headers.SPECIAL)
    by_table = {"gnd_" + row.name for row in rows}
    by_table |= {"gnd_" + f.name for f in FOLDS.values()}
    untested = [name for name in headers.read_functions()
                if name not in words and name not in by_table
                and name.removeprefix("gnd_") not in called
                and not (name.endswith("_into") and name.removesuffix("_into") in by_table)]
    assert not untested, f"in no test: {sorted(untested)}"


# ---- the operator table -----------------------------------------------------------------------------------

@pytest.mark.parametrize("path", elementwise_header.TABLES, ids=lambda path: path.name)
def test_the_header_is_what_the_table_makes(path):
    assert elementwise_header.header(path.read_text(), path) == path.read_text()


def test_a_new_row_makes_its_prototypes(monkeypatch):
    rows = [row._replace(documentation="(a, b, int places): a and b.", name="both", inputs="TT", flags={"PARAMS"})
            for row in headers.read_operators() if row.name == "cbrt"]
    monkeypatch.setattr(headers, "read_operators", lambda table: rows)
    text = elementwise_header.header(elementwise_header.HEADER.read_text())
    for line in ("/** a and b. */", "GND_API gnd_array *gnd_both(gnd_arg a, gnd_arg b, int places);",
                 "GND_API gnd_status gnd_both_into(gnd_array *out, gnd_arg a, gnd_arg b, int places);",
                 "#define gnd_both(a, b, ...) (gnd_both)(GND_ARG(a), GND_ARG(b), __VA_ARGS__)"):
        assert f"\n{line}\n" in text
    assert "gnd_cbrt(" not in text and "gnd_apply(" in text


@pytest.mark.parametrize("row", headers.read_operators() + headers.read_operators(headers.SPECIAL),
                         ids=lambda row: row.name)
def test_the_row_of_an_operator_is_documented(row):
    names, text = elementwise_header.documented(row)
    assert row.section and text
    results = 2 if len(row.outputs) == 2 else 0
    numbers = [name for name in names if " " in name]
    assert len(names) - len(numbers) - results >= len(row.inputs), names
    assert "PARAMS" in row.flags or not numbers and len(names) == results + len(row.inputs)


def test_no_elementwise_function_outside_the_table():
    names = {"gnd_" + row.name for row in headers.read_operators()}
    others = {name for name, function in headers.read_functions().items() if function.header == "elementwise.h"
              if name.removesuffix("_into") not in names} - {"gnd_apply"}
    assert not {o for o in others if not re.match(r"gnd_(apply|ew)_", o)}, sorted(others)


# ---- sources ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SOURCES + PUBLIC + C_TESTS, ids=relative)
def test_source_file(path):
    text = path.read_text()
    lines = text.split("\n")
    assert len(lines) <= 800, f"{len(lines)} lines: split it"
    # Generated sources and the one-line template aside, a file says first what it is for.
    assert re.match(r"\s*(/\*|//)", text), "no opening comment"
    assert text.endswith("\n") and not text.endswith("\n\n"), "ends in no newline, or in several"
    assert not any(line.rstrip() != line for line in lines), "trailing blanks"
    assert "\t" not in text, "tabs"


def test_every_source_has_a_topic():
    """mutate.py knows which tests look at each source that it may change, and there are such tests."""
    mutated = [p for p in SOURCES if "cuda" not in relative(p) and p.suffix in (".c", ".cpp", ".h")]
    missing = [relative(p) for p in mutated if not mutate_topics.tests_of(relative(p), ROOT / "tests")]
    assert not missing, f"add to tests/mutate_topics.py: {missing}"
    known = {p.stem.removeprefix("test_") for p in [*C_TESTS, *PYTHON]}
    strange = {topic for _, topics in mutate_topics.ROWS for topic in topics.split()} - known
    assert not strange, f"tests/mutate_topics.py names tests that there are not: {sorted(strange)}"


def test_topics_are_found_by_name(capsys):
    """Those of ./dev test NAME..."""
    tests = ROOT / "tests"
    assert mutate_topics.tests_named("scan", tests) == ["c/scan/test_scan.c", "oracle/scan/test_scan.py"]
    folder = set(mutate_topics.tests_named("linalg", tests))
    assert {"c/linalg/test_solve.c", "oracle/linalg/test_norms.py", "oracle/linalg/test_linalg_graphs.py"} <= folder
    assert "oracle/project/test_structure.py" in mutate_topics.tests_named("project", tests)
    assert mutate_topics.main(["scan", "no_such_topic"]) == 1
    error = capsys.readouterr().err
    assert "no topic is called no_such_topic" in error and " einsum " in error


def tracked_files():
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.split("\n") if name and (ROOT / name).exists()]


def test_editors_know_how_sources_are_compiled():
    build = pathlib.Path(gnd.LIBRARY).resolve().parents[1]
    if not (build / "compile_commands.json").exists() or shutil.which("ninja") is None:
        pytest.skip("the library's build directory is not here")
    files = [(build / entry["file"]).resolve() for entry in compile_commands.merged(build)]
    assert SOURCE / "core" / "shape.c" in files
    if re.search(r"nvcc\b.* -c ", (build / "build.ninja").read_text()):
        assert SOURCE / "elementwise" / "cuda" / "sequence_kernels.cu" in files


def test_the_repository_is_light():
    """Of a run only its table stays (bench/results, tests/results); its report and its numbers as JSON do not."""
    pictures = (".png", ".svg", ".pgm", ".jpg")
    heavy = [relative(p) for p in tracked_files() if p.stat().st_size > 300_000 and p.suffix not in pictures
             and ROOT / "examples" / "data" not in p.parents]
    assert not heavy, f"over 300 KB: {heavy}"
    reports = [relative(p) for p in tracked_files() if "results" in p.parts and p.suffix in (".html", ".json")]
    assert not reports, f"generated reports: {reports}"


def test_no_leftovers():
    """No path of a developer's machine, no conflict marker, no note to self, no debris."""
    words = ["/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/", "<<" + "<<<<<", ">>" + ">>>>>",
             "FIX" + "ME", "X" + "XX", "TO" + "DO", "HA" + "CK", "not imple" + "mented"]
    found = []
    for path in tracked_files():
        if re.search(r"\.(orig|rej|swp|o|so|pyc)$|~$", path.name):
            found.append(f"{relative(path)} is debris")
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for word in words:
            if word in text:
                line = text[:text.index(word)].count("\n") + 1
                found.append(f"{relative(path)}:{line}: {word}")
    assert not found, "\n".join(found)
