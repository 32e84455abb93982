"""additions.py: what docs/contributing.md says that an addition costs, tried: `python3 tests/additions.py [FOLDER]`.

In a copy of the tree it adds an elementwise operator, a reduction, a distribution and a backend hook, each in as few
files as the page names, runs `./dev symbols`, builds the CPU library without optimisation, and calls what is new. The
copy is FOLDER, which stays, or one that goes. It takes some minutes. Of CUDA it compiles nothing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What is added: the files that are written by hand, at most so many, as (file, before what, text).
ADDITIONS = {
    "an elementwise operator": (2, [
        ("src/kernels/ops/ops.def", "/// x * x.\n", """\
/// x + x + x.
OP(arith,   triple,        T_T,   L_NUMBER,        NONE,  0)            // gnd_triple(), gnd_triple_into()
"""),
        ("src/kernels/scalar/scalar_arith.h", "/* a^3 with one rounding", """\
template <class T> GNDI_FN T triple(T a) {
    return add(a, add(a, a));
}

"""),
    ]),
    "a reduction": (3, [
        ("src/reduce/reduce_nan.c", "gnd_array *gnd_nanprod(", """\
gnd_array *gnd_nanother(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_nanother", x, &axes, GNDI_OP_add);
}
"""),
        ("include/gnd/reduce.h", "/** gnd_sum of the elements that are not NaN", """\
/** gnd_nansum by another name. */
GND_API gnd_array *gnd_nanother(const gnd_array *x, gnd_axes axes);
"""),
        ("tests/oracle/folds.py", 'for _name in ("min", "max"):\n', """\
fold("nanother", np.nansum, "sum", COMMON + " dtype initial")
"""),
    ]),
    "a distribution": (3, [
        ("src/random/random.def", "DISTRIBUTION(simple, weibull,", """\
DISTRIBUTION(simple, constant,            F, REAL,  1, "T",    1, 2, // gnd_random_constant()
             "value must not be negative")
"""),
        ("src/random/random_simple.h", "/* E^(1 / a), as the exponential", """\
template <class T> struct random_constant {
    T value;
    GNDI_FN bool valid(T v) { return not_negative(v); }
    GNDI_METHOD explicit random_constant(T v) : value(v) {}
    template <class Source> GNDI_METHOD T draw(Source &) const { return value; }
};

"""),
        ("include/gnd/random_distributions.h", "/** Weibull's distribution", """\
/** Always the value, which is not negative. */
GND_API gnd_array *gnd_random_constant(gnd_random *g, gnd_arg value, gnd_shape shape, gnd_dtype dtype);

"""),
        ("include/gnd/random_distributions.h", "#define gnd_random_weibull(", """\
#define gnd_random_constant(g, value, ...) (gnd_random_constant)(g, GND_ARG(value), __VA_ARGS__)
"""),
    ]),
    "a backend hook": (4, [
        ("src/runtime/hooks.def", "HOOK(histogram, ", "HOOK(nothing,         gndi_nothing_plan)\n"),
        ("src/rearrange/bits_plan.h", "\n#endif\n", """
struct gndi_nothing_plan {
    char *data;
};
"""),
        ("src/rearrange/cpu/bits_cpu.c", "gnd_status gndi_cpu_bits(", """\
gnd_status gndi_cpu_nothing(gnd_stream *s, const gndi_nothing_plan *plan, const char *fn) {
    (void)s, (void)plan, (void)fn;
    return GND_OK;
}

"""),
        ("src/rearrange/cuda/bits_cuda.c", "gnd_status gndi_cuda_bits(", """\
gnd_status gndi_cuda_nothing(gnd_stream *s, const gndi_nothing_plan *plan, const char *fn) {
    (void)s, (void)plan, (void)fn;
    return GND_OK;
}

"""),
    ]),
}

# Run in the copy's tests/oracle, with the library that was built.
CALLS = """
import numpy as np, gnd
x = np.array([1, np.nan, 3], np.float32)
a, out = gnd.from_numpy(x), gnd.from_numpy(x)
gnd.triple_into(out, a)
for result in (gnd.triple(a), out):
    assert np.array_equal(result.numpy(), 3 * x, equal_nan=True)
assert gnd.nanother(a, None).numpy() == 4
numbers = gnd.random_new(gnd.PHILOX, 1)
assert (gnd.random_constant(numbers, 2.5, (4,), "float32").numpy() == 2.5).all()
try:
    gnd.random_constant(numbers, -1, (4,), "float32")
except gnd.Error as error:
    assert "value must not be negative" in error.message
else:
    raise AssertionError("nothing was refused")
gnd.random_release(numbers)
"""


def add(tree):
    """Writes the additions into the tree; sentences about those that cost more."""
    problems = []
    for what, (limit, edits) in ADDITIONS.items():
        files = {path for path, _, _ in edits}
        if len(files) > limit:
            problems.append(f"{what} takes {len(files)} files by hand, limit {limit}: {sorted(files)}")
        for path, before, text in edits:
            old = (tree / path).read_text()
            if old.count(before) != 1:
                sys.exit(f"additions.py: {path} has {before!r} {old.count(before)} times; it should have it once")
            (tree / path).write_text(old.replace(before, text + before))
        print(f"{what}: {len(files)} files: {', '.join(sorted(files))}", flush=True)
    return problems


def run(command, tree, **environment):
    subprocess.run(command, cwd=tree, check=True, env={**os.environ, **environment})


def main(tree):
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    for name in tracked.decode().split("\0")[:-1]:
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    problems = add(tree)
    run(["./dev", "symbols"], tree)
    build, library = tree / "build-additions", tree / "build-additions" / "src" / "libgnd.so"
    if not build.exists():
        run(["meson", "setup", build, "-Dcuda=disabled", "-Dcpu_isa=baseline", "-Dtests=false", "-Doptimization=0",
             "-Ddebug=false"], tree)
    run(["meson", "compile", "-C", build, "gnd:shared_library"], tree)
    oracle = tree / "tests" / "oracle"
    here = {"GND_LIBRARY": str(library), "GND_DEVICE": "cpu"}
    run([sys.executable, "-c", CALLS], oracle, **here)
    run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "project/test_release.py",
         "project/test_dictionary.py", "reduce/test_reduce.py", "project/test_structure.py", "-k",
         "release or dictionary or nanother or operator or table or found"], oracle, **here)
    print("\n".join(problems) or "additions.py: as docs/contributing.md says")
    return bool(problems)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        sys.exit(main(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(Path(folder)))
