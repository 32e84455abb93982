#!/usr/bin/env python3
"""Times every row of the operator table on the CPU beside NumPy (SciPy where NumPy has none), both on
one thread of one process, by turns.

    cpu_operators.py [--sizes 100,10000,1000000] [--dtypes float32,float64] [--only exp,power]
                     [--rounds 7] [--json FILE] [--top 60] [--check]

GND_LIBRARY names the library, else the newest build of this tree; GND_CPU_ISA an instruction set. Each
time is the least of some rounds, in which gnd and NumPy alternate; results go into given outputs, so no
time is spent on memory. What is printed: nanoseconds an element of both and gnd's over NumPy's, the worst
first. --check also says where results differ by more than 4 units in the last place.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

for variable in ("GND_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GND_DEVICE"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import numpy as np  # noqa: E402
import scipy.special  # noqa: E402

import gnd  # noqa: E402
import headers  # noqa: E402

# Calls a function of the library again and again: a loop in Python would cost more than small calls.
SHIM = r"""
#include <gnd.h>
typedef gnd_status (*one)(gnd_array *, gnd_arg);
typedef gnd_status (*two)(gnd_array *, gnd_arg, gnd_arg);
typedef gnd_status (*three)(gnd_array *, gnd_arg, gnd_arg, gnd_arg);
typedef gnd_status (*one_two)(gnd_array *, gnd_array *, gnd_arg);
typedef gnd_status (*two_two)(gnd_array *, gnd_array *, gnd_arg, gnd_arg);
typedef gnd_status (*with_int)(gnd_array *, gnd_arg, int);
typedef gnd_status (*with_bool)(gnd_array *, gnd_arg, bool);
typedef gnd_status (*close)(gnd_array *, gnd_arg, gnd_arg, double, double, bool);
typedef gnd_status (*nan)(gnd_array *, gnd_arg, gnd_arg, gnd_arg, gnd_arg);
int repeat(const char *form, void *f, long calls, gnd_array **o, const gnd_arg *x) {
    gnd_status s = GND_OK;
    for (long i = 0; i < calls; i++)
        switch (form[0]) {
        case '1': s |= ((one)f)(o[0], x[0]); break;
        case '2': s |= ((two)f)(o[0], x[0], x[1]); break;
        case '3': s |= ((three)f)(o[0], x[0], x[1], x[2]); break;
        case 'a': s |= ((one_two)f)(o[0], o[1], x[0]); break;
        case 'b': s |= ((two_two)f)(o[0], o[1], x[0], x[1]); break;
        case 'r': s |= ((with_int)f)(o[0], x[0], 2); break;
        case 'd': s |= ((with_bool)f)(o[0], x[0], false); break;
        case 'c': s |= ((close)f)(o[0], x[0], x[1], 1e-5, 1e-8, false); break;
        case 'n': s |= ((nan)f)(o[0], x[0], GND_NONE, GND_NONE, GND_NONE); break;
        }
    return s;
}
/* The same in calls of one; and each in a block of its own. */
int repeat_alone(const char *form, void *f, long calls, gnd_array **o, const gnd_arg *x) {
    int s = 0;
    for (long i = 0; i < calls; i++) s |= repeat(form, f, 1, o, x);
    return s;
}
int repeat_fused(const char *form, void *f, long calls, gnd_array **o, const gnd_arg *x) {
    int s = 0;
    for (long i = 0; i < calls; i++)
        GND_FUSE s |= repeat(form, f, 1, o, x);
    return s;
}
"""

DTYPES = ("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "bool", "complex64", "complex128")
OTHER = {  # what NumPy calls otherwise, or SciPy has
    "erf": scipy.special.erf, "erfc": scipy.special.erfc, "erfinv": scipy.special.erfinv,
    "gamma": scipy.special.gamma, "lgamma": scipy.special.gammaln, "i0": scipy.special.i0,
    "rsqrt": lambda x, out: np.divide(1, np.sqrt(x, out=out), out=out),
    "fma": lambda x, y, z, out: np.add(np.multiply(x, y, out=out), z, out=out),
    "sinc": lambda x, out: np.sinc(x), "angle": lambda x, out: np.angle(x),
    "isclose": lambda x, y, out: np.isclose(x, y), "nan_to_num": lambda x, out: np.nan_to_num(x),
    "round": lambda x, out: np.round(x, 2, out=out), "where": lambda c, x, y, out: np.where(c, x, y),
    "fix": lambda x, out: np.fix(x, out=out), "isneginf": lambda x, out: np.isneginf(x, out),
    "isposinf": lambda x, out: np.isposinf(x, out),
}
FORMS = {"round": "r", "angle": "d", "isclose": "c", "nan_to_num": "n"}
BETWEEN_ONES = {"arcsin", "arccos", "arctanh", "erfinv"}
POSITIVE = {"log", "log2", "log10", "sqrt", "rsqrt", "gamma", "lgamma", "power", "float_power"}
ABOVE_ONE = {"arccosh"}
SHIFTS = {"left_shift", "right_shift"}
LONG = 10**6  # no more numbers than this are drawn
AHEAD, SECONDS = 0.6, 0.01  # a ratio below the one, of runs longer than the other, is not measured again


def domain(name, operand, dtype):
    """What numbers an operand of an operator takes: from, to."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return 0, 2
    if kind in "iu":
        if name in SHIFTS and operand == 1:
            return 0, 31
        if name == "power" and operand == 1:
            return 0, 12
        if operand == 1:
            return 1, min(1000, np.iinfo(dtype).max)
        most = min(100000, np.iinfo(dtype).max)
        return -most if kind == "i" else 0, most
    if name == "power" or name == "float_power":
        return (0.1, 10) if operand == 0 else (-3, 3)
    if name in BETWEEN_ONES:
        return -0.99, 0.99
    if name in ABOVE_ONE:
        return 1, 100
    if name in POSITIVE:
        return 0.01, 20
    if name == "log1p":
        return -0.9, 20
    return -8, 8


def draw(dtype, least, most, operand, n):
    """Numbers of a range, for each operand others; beyond LONG the same LONG numbers again and again."""
    if n > LONG:
        return held.get((dtype, least, most, operand, n), lambda: np.resize(draw(dtype, least, most, operand, LONG), n))
    g = np.random.default_rng(operand)
    kind = np.dtype(dtype).kind
    if kind in "biu":
        return g.integers(least, most, n).astype(dtype)
    x = g.uniform(least, most, n)
    if kind == "c":
        x = x + 1j * g.uniform(-4, 4, n)
    return x.astype(dtype)


def values(name, operand, dtype, n):
    return draw(dtype, *domain(name, operand, dtype), operand, n)


class Held:
    """Large operands and results, and gnd's copies of them, which take longer to make than most operators: the last
    few of them are kept, BYTES at most."""

    BYTES = 10 * 2**30

    def __init__(self):
        self.kept = {}

    def get(self, key, make):
        """What was made for the key, or is made now; the key may hold what must live as long."""
        if key not in self.kept:
            self.kept[key] = make()
        self.kept[key] = self.kept.pop(key)
        while sum(map(self.bytes, self.kept.values())) > self.BYTES and len(self.kept) > 1:
            self.kept.pop(next(iter(self.kept)))
        return self.kept[key]

    @staticmethod
    def bytes(made):
        return made.nbytes if isinstance(made, np.ndarray) else made[1].nbytes

    def gnd(self, x):
        """gnd's copy of an array."""
        if x.size <= LONG:
            return gnd.from_numpy(x)
        return self.get(("gnd", id(x)), lambda: (gnd.from_numpy(x), x))[0]


held = Held()


class Case:
    """One row: the function of gnd and NumPy's, on the same numbers, into outputs that are made here."""

    def __init__(self, label, name, form, call, inputs, views=None, dtype=None):
        self.label, self.form, self.call, self.inputs = label, form.encode(), call, inputs
        self.function = ctypes.cast(getattr(gnd.lib, name), ctypes.c_void_p)
        shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
        some = [x[tuple(slice(2) for _ in x.shape)] if isinstance(x, np.ndarray) else x for x in inputs]
        if isinstance(call, np.ufunc):
            result = call(*some)
        else:
            arrays = [x for x in some if isinstance(x, np.ndarray)]
            result = call(*some, out=np.empty(arrays[0].shape, dtype or np.result_type(*arrays)))
        results = result if isinstance(result, tuple) else (result,)
        self.outs = tuple(held.get(("out", k, shape, r.dtype), lambda r=r: np.full(shape, 0, r.dtype))
                          if math.prod(shape) > LONG else np.empty(shape, r.dtype) for k, r in enumerate(results))
        self.size = max(self.outs[0].size, 1)
        views = views or {}
        self.arrays = [gnd.view(*views[k]) if k in views else held.gnd(x) if isinstance(x, np.ndarray) else x
                       for k, x in enumerate(inputs)]
        self.results = [held.gnd(o) for o in self.outs]
        self.pointers = (ctypes.c_void_p * 2)(*[r.pointer for r in self.results])
        self.arguments = gnd.args(self.arrays)

    def run_gnd(self, calls):
        return shim.repeat(self.form, self.function, calls, self.pointers, self.arguments)

    def run_numpy(self, calls):
        call, inputs = self.call, self.inputs
        out = self.outs if isinstance(call, np.ufunc) else self.outs[0]
        for _ in range(calls):
            call(*inputs, out=out)


def numpy_call(name):
    return OTHER.get(name) or getattr(np, name, None)


def table_cases(dtype, n):
    """Every row of ops.def that has a public function and takes this dtype: (label, what Case is made of, on call)."""
    for row in headers.read_operators():
        if row.name == "copy":
            continue

        def case(row=row):
            inputs = [values(row.name, k, "bool" if letter == "B" else "int64" if letter == "I" else dtype, n)
                      for k, letter in enumerate(row.inputs)]
            if row.name == "ldexp":
                inputs[1] = draw("int64", -20, 20, 1, n)
            if len(row.outputs) == 2:
                form = "a" if len(inputs) == 1 else "b"
            else:
                form = FORMS.get(row.name, str(len(inputs)))
            return row.name, f"gnd_{row.name}_into", form, numpy_call(row.name), inputs, None

        if numpy_call(row.name):
            yield row.name, case


def other_cases(dtype, n):
    """Numbers as operands, and views: what the table's rows are often called with."""
    if dtype == "bool":
        return
    kind = np.dtype(dtype).kind
    integer = kind in "iu"

    def x():
        return values("add", 0, dtype, n)

    def y():
        return values("add", 1, dtype, n)

    def positive():
        return np.abs(x()) % 100 + 1 if integer else np.abs(x()) + 1

    def row(label, name, call, inputs, views=lambda: None):
        """Operands and views are made on call."""
        def case():
            made = inputs()
            return label, f"gnd_{name}_into", str(len(made)), call, made, views()
        return label, case

    for e in (2, 3, 1, 0) if integer else (2, 3, 0.5, -1, 1, 0, 2.5):
        yield row(f"power(x, {e})", "power", np.power, lambda e=e: [positive(), e])
    for e in (2,) if integer else (2.0, 0.5):
        yield row(f"power(x, array of {e})", "power", np.power, lambda e=e: [positive(), np.full(n, e, dtype)])
    for name in ("add", "multiply", "floor_divide", "remainder", "maximum", "less"):
        if kind != "c" or name not in ("floor_divide", "remainder"):
            yield row(f"{name}(x, 3)", name, getattr(np, name), lambda: [x(), 3])
    if kind != "c":
        yield row("clip(x, -1, 1)", "clip", np.clip, lambda: [x(), -1, 1])
    side = math.isqrt(n)
    if side * side == n:
        def a():
            return x().reshape(side, side)

        def b():
            return y().reshape(side, side)

        def turned():
            return b(), [("permute", (1, 0))]

        yield row("a + b.T", "add", np.add, lambda: [a(), b().T], lambda: {1: turned()})
        yield row("copy of a.T", "positive", np.positive, lambda: [b().T], lambda: {0: turned()})
        yield row("a + row", "add", np.add, lambda: [a(), b()[0].copy()])
        yield row("a + column", "add", np.add, lambda: [a(), b()[0].copy()[:, None]])

    def twice():
        return np.repeat(x(), 2)

    yield row("x[::2] + y", "add", np.add, lambda: [twice()[::2], y()], lambda: {0: (twice(), [("slice", "::2")])})
    yield row("x[::-1] + y", "add", np.add, lambda: [x()[::-1], y()], lambda: {0: (x(), [("slice", "::-1")])})
    if kind == "f" and dtype != "float16":
        yield row("exp(x[::2])", "exp", np.exp, lambda: [twice()[::2]], lambda: {0: (twice(), [("slice", "::2")])})


def cast_cases(dtype, n):
    """Copies into arrays of every dtype, with the numbers of the first operand of add."""
    for to in DTYPES:
        def case(to=to):
            least, most = domain("add", 0, dtype)
            if np.dtype(dtype).kind in "fc":
                least = 0  # no negative number to an unsigned integer, which C leaves undefined
            return f"cast to {to}", "gnd_copyto", "1", copy, [draw(dtype, least, most, 0, n)], None, to
        yield f"cast to {to}", case


def cases(dtype, n):
    """All rows of a dtype."""
    yield from table_cases(dtype, n)
    yield from other_cases(dtype, n)
    yield from cast_cases(dtype, n)


def copy(x, out):
    np.copyto(out, x, casting="unsafe")
    return out


def least_time(run, calls):
    start = time.thread_time()
    run(calls)
    return (time.thread_time() - start) / calls


def measure(case, rounds):
    """The least time of a call of gnd's and NumPy's, in seconds."""
    if case.run_gnd(1) != 0:
        error = gnd.pending_error()
        raise RuntimeError(f"{case.label}: {error}")
    return alternate((case.run_gnd, case.run_numpy), rounds)


def alternate(runs, rounds, seconds=0.0015):
    """The least time of a call of each of two, which take turns."""
    first = [least_time(run, 1) for run in runs]
    if first[0] > SECONDS and first[0] < AHEAD * first[1]:
        return first
    calls = []
    for run, once in zip(runs, first):
        once = min(once, least_time(run, max(1, int(2e-4 / max(once, 1e-7)))))
        calls.append(max(1, int(seconds / max(once, 1e-8))))
    best = [1e9, 1e9]
    for _ in range(rounds):
        for k, run in enumerate(runs):
            best[k] = min(best[k], least_time(run, calls[k]))
    return best


def worst_difference(case):
    """The largest difference of the results in units in the last place (floating ones), or 0 and 1."""
    case.run_gnd(1), case.run_numpy(1)
    worst = 0.0
    for mine, theirs in zip(case.results, case.outs):
        a = mine.numpy()
        call = case.call
        b = theirs if isinstance(call, np.ufunc) else np.asarray(call(*case.inputs, out=theirs))
        if a.dtype.kind in "fc" and b.dtype == a.dtype:
            spacing = np.spacing(np.maximum(np.abs(b), np.finfo(b.dtype).tiny).astype(b.real.dtype))
            d = np.where((a == b) | ((a != a) & (b != b)), 0, np.abs(a - b) / np.abs(spacing))
            worst = max(worst, float(np.max(d)))
        elif not np.array_equal(a, b):
            worst = max(worst, float("inf"))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,10000,1000000")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--only", default="", help="parts of rows' names")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--top", type=int, default=80)
    parser.add_argument("--check", action="store_true")
    o = parser.parse_args()
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    rows, skipped = [], []
    only = [w for w in o.only.split(",") if w]
    for size in map(int, o.sizes.split(",")):
        for dtype in o.dtypes.split(","):
            for label, make in cases(dtype, size):
                if only and not any(w in label for w in only):
                    continue
                try:
                    case = Case(*make())
                    mine, theirs = measure(case, o.rounds if size <= 10**6 else 3)
                except (TypeError, RuntimeError, ValueError) as reason:
                    skipped.append((label, dtype, str(reason)[:60]))
                    continue
                row = {"name": label, "dtype": dtype, "size": size, "gnd_ns": mine * 1e9,
                       "numpy_ns": theirs * 1e9, "ratio": mine / theirs}
                if o.check:
                    row["difference"] = worst_difference(case)
                rows.append(row)
    rows.sort(key=lambda r: -r["ratio"])
    print(f"{'row':28}{'dtype':11}{'size':>10}{'gnd ns/el':>11}{'NumPy':>9}{'ratio':>8}")
    for r in rows[:o.top]:
        print(f"{r['name']:28}{r['dtype']:11}{r['size']:>10}{r['gnd_ns'] / r['size']:11.3f}"
              f"{r['numpy_ns'] / r['size']:9.3f}{r['ratio']:8.2f}" +
              (f"  {r['difference']:.3g}" if r.get("difference", 0) > 4 else ""))
    slower = sum(r["ratio"] > 1.05 for r in rows)
    print(f"{len(rows)} rows, {slower} of them more than 5% slower than NumPy")
    if o.json:
        facts = {"library": gnd.LIBRARY, "isa": os.environ.get("GND_CPU_ISA", "best"),
                 "numpy": np.__version__, "rows": rows, "skipped": skipped}
        pathlib.Path(o.json).write_text(json.dumps(facts, indent=1))


def load_shim():
    folder = tempfile.mkdtemp()
    source, library = pathlib.Path(folder, "repeat.c"), pathlib.Path(folder, "repeat.so")
    source.write_text(SHIM)
    loaded_first = os.environ.get("LD_PRELOAD", "") == gnd.LIBRARY  # then its thread's state is found as by a program
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *["-ftls-model=initial-exec"] * loaded_first,
                    "-I", str(ROOT / "include"), str(source), "-o", str(library),
                    "-Wl,--unresolved-symbols=ignore-all"], check=True)
    ctypes.CDLL(gnd.LIBRARY, mode=ctypes.RTLD_GLOBAL)  # where the blocks of GND_FUSE are
    loaded = ctypes.CDLL(str(library))
    for repeat in (loaded.repeat, loaded.repeat_alone, loaded.repeat_fused):
        repeat.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return loaded


shim = load_shim()
if __name__ == "__main__":
    main()
