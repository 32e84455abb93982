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


def values(name, operand, dtype, n, g):
    """Numbers that an operand of an operator takes; beyond LONG the same LONG numbers again and again."""
    if n > LONG:
        return np.resize(values(name, operand, dtype, LONG, g), n)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return g.integers(0, 2, n).astype(bool)
    if kind in "iu":
        if name in SHIFTS and operand == 1:
            return g.integers(0, 31, n).astype(dtype)
        if name == "power" and operand == 1:
            return g.integers(0, 12, n).astype(dtype)
        if operand == 1:
            return g.integers(1, min(1000, np.iinfo(dtype).max), n).astype(dtype)
        most = min(100000, np.iinfo(dtype).max)
        return g.integers(-most if kind == "i" else 0, most, n).astype(dtype)
    if name == "power" or name == "float_power":
        x = g.uniform(0.1, 10, n) if operand == 0 else g.uniform(-3, 3, n)
    elif name in BETWEEN_ONES:
        x = g.uniform(-0.99, 0.99, n)
    elif name in ABOVE_ONE:
        x = g.uniform(1, 100, n)
    elif name in POSITIVE:
        x = g.uniform(0.01, 20, n)
    elif name == "log1p":
        x = g.uniform(-0.9, 20, n)
    else:
        x = g.uniform(-8, 8, n)
    if kind == "c":
        x = x + 1j * g.uniform(-4, 4, n)
    return x.astype(dtype)


class Case:
    """One row: the function of gnd and NumPy's, on the same numbers, into outputs that are made here."""

    def __init__(self, label, name, form, call, inputs, views=None, dtype=None):
        self.label, self.form, self.call, self.inputs = label, form.encode(), call, inputs
        self.function = ctypes.cast(getattr(gnd.lib, name), ctypes.c_void_p)
        arrays = [x for x in inputs if isinstance(x, np.ndarray)]
        if isinstance(call, np.ufunc):
            result = call(*inputs)
        else:
            result = call(*inputs, out=np.empty(arrays[0].shape, dtype or np.result_type(*arrays)))
        results = result if isinstance(result, tuple) else (result,)
        self.outs = tuple(np.empty(r.shape, r.dtype) for r in results)
        self.size = max(self.outs[0].size, 1)
        views = views or {}
        self.arrays = [gnd.view(*views[k]) if k in views else
                       gnd.from_numpy(x) if isinstance(x, np.ndarray) else x
                       for k, x in enumerate(inputs)]
        self.results = [gnd.from_numpy(o) for o in self.outs]
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


def table_cases(dtype, n, g, wanted=lambda name: True):
    """Every row of ops.def that has a public function and takes this dtype; only for those are there operands."""
    for row in headers.read_operators():
        if row.name == "copy" or not wanted(row.name):
            continue
        inputs = [values(row.name, k, "bool" if letter == "B" else "int64" if letter == "I" else dtype, n, g)
                  for k, letter in enumerate(row.inputs)]
        if row.name == "ldexp":
            inputs[1] = g.integers(-20, 20, n)
        if len(row.outputs) == 2:
            form = "a" if len(inputs) == 1 else "b"
        else:
            form = FORMS.get(row.name, str(len(inputs)))
        yield row.name, f"gnd_{row.name}_into", form, numpy_call(row.name), inputs, None


def other_cases(dtype, n, g):
    """Numbers as operands, and views: what the table's rows are often called with."""
    x, y = values("add", 0, dtype, n, g), values("add", 1, dtype, n, g)
    if dtype == "bool":
        return
    integer = np.dtype(dtype).kind in "iu"
    positive = np.abs(x) + 1 if not integer else np.abs(x) % 100 + 1
    for e in (2, 3, 1, 0) if integer else (2, 3, 0.5, -1, 1, 0, 2.5):
        yield f"power(x, {e})", "gnd_power_into", "2", np.power, [positive, e], None
    for e in (2,) if integer else (2.0, 0.5):
        full = np.full(n, e, dtype)
        yield f"power(x, array of {e})", "gnd_power_into", "2", np.power, [positive, full], None
    for name in ("add", "multiply", "floor_divide", "remainder", "maximum", "less"):
        if np.dtype(dtype).kind == "c" and name in ("floor_divide", "remainder"):
            continue
        yield f"{name}(x, 3)", f"gnd_{name}_into", "2", getattr(np, name), [x, 3], None
    if np.dtype(dtype).kind != "c":
        yield "clip(x, -1, 1)", "gnd_clip_into", "3", np.clip, [x, -1, 1], None
    side = int(n ** 0.5)
    if side * side == n:
        a, b = x.reshape(side, side), y.reshape(side, side)
        turned = {1: (b, [("permute", (1, 0))])}
        yield "a + b.T", "gnd_add_into", "2", np.add, [a, b.T], turned
        yield "copy of a.T", "gnd_positive_into", "1", np.positive, [b.T], {0: turned[1]}
        row = b[0].copy()
        yield "a + row", "gnd_add_into", "2", np.add, [a, row], None
        yield "a + column", "gnd_add_into", "2", np.add, [a, row[:, None]], None
    twice = np.repeat(x, 2)
    yield "x[::2] + y", "gnd_add_into", "2", np.add, [twice[::2], y], {0: (twice, [("slice", "::2")])}
    yield "x[::-1] + y", "gnd_add_into", "2", np.add, [x[::-1], y], {0: (x, [("slice", "::-1")])}
    if not integer and dtype != "float16" and np.dtype(dtype).kind != "c":
        yield "exp(x[::2])", "gnd_exp_into", "1", np.exp, [twice[::2]], {0: (twice, [("slice", "::2")])}


def cast_cases(dtype, n, g):
    """Copies into arrays of every dtype, with the numbers of the first operand of add."""
    x = values("add", 0, dtype, n, g)
    if np.dtype(dtype).kind in "fc":
        x = np.abs(x).astype(dtype)  # no negative number to an unsigned integer, which C leaves undefined
    for to in DTYPES:
        def copy(x, out):
            np.copyto(out, x, casting="unsafe")
            return out
        yield f"cast to {to}", "gnd_copyto", "1", copy, [x], None, to


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
    calls = []
    for run in runs:
        once = least_time(run, 1)
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
            g = np.random.default_rng(1)
            for label, name, form, call, inputs, *more in (*table_cases(dtype, size, g), *other_cases(dtype, size, g),
                                                           *cast_cases(dtype, size, g)):
                if call is None or (only and not any(w in label for w in only)):
                    continue
                try:
                    case = Case(label, name, form, call, inputs, *more)
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
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", str(ROOT / "include"), str(source), "-o", str(library),
                    "-Wl,--unresolved-symbols=ignore-all"], check=True)
    ctypes.CDLL(gnd.LIBRARY, mode=ctypes.RTLD_GLOBAL)  # where the blocks of GND_FUSE are
    loaded = ctypes.CDLL(str(library))
    for repeat in (loaded.repeat, loaded.repeat_alone, loaded.repeat_fused):
        repeat.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return loaded


shim = load_shim()
if __name__ == "__main__":
    main()
