"""Files of text against numpy.loadtxt, numpy.genfromtxt and numpy.savetxt."""

import ctypes
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from check import assert_same, refused

g = np.random.default_rng(0)
PLAIN = [n for n in dtypes.NAMES if n != "bfloat16"]


class Kept(gnd.STRUCTS["gnd_text_options"]):
    """The options, with the list that they point to."""


def read_options(dtype=None, delimiter=None, comments=None, columns=None, missing=None, filling=None, **others):
    """A gnd_text_options."""
    o = Kept()
    o.dtype = gnd.dtype_code(dtype)
    o.delimiter = delimiter.encode() if delimiter is not None else None
    o.comments = comments.encode() if comments is not None else None
    o.missing = missing.encode() if missing is not None else None
    if columns is not None:
        o.kept = (ctypes.c_int * len(columns))(*columns)
        o.columns, o.column_count = ctypes.addressof(o.kept), len(columns)
    if filling is not None:
        o.fill, o.filling = True, filling
    for name, value in others.items():
        setattr(o, name, value)
    return o


def write_options(**texts):
    """A gnd_savetxt_options."""
    o = gnd.STRUCTS["gnd_savetxt_options"]()
    for name, value in texts.items():
        setattr(o, name, value.encode())
    return o


# ---- writing ----------------------------------------------------------------------------------------------


def same_text(tmp_path, x, a, **texts):
    ours, theirs = tmp_path / "a.txt", tmp_path / "b.txt"
    named = {"fmt" if k == "format" else k: v for k, v in texts.items()}
    np.savetxt(theirs, x, **named)
    gnd.savetxt(str(ours), a, write_options(**texts))
    assert ours.read_bytes() == theirs.read_bytes(), f"{x.dtype} {x.shape} {texts}"


@pytest.mark.parametrize("name", PLAIN)
def test_savetxt(tmp_path, name):
    formats = ["%.18e", "%g", "%10.4f", "%-12.3E", "%+.2e", "% .3G", "%#.3g", "%012.5f", "%s", "%20s", "a%gb"]
    if dtypes.DTYPES[name].kind in "biu":
        formats += ["%d", "%5d", "%-5d|", "%+d", "%05d", "% i"]
    for shape in [(5,), (3, 4), (0,), (0, 3), (2, 0)]:
        for layout in values.layouts(shape):
            base = values.random_values(name, layout.base, g)
            x, a = values.apply_numpy(base, layout.steps), gnd.view(base, layout.steps)
            for fmt in formats if layout.name == "C" or shape == (3, 4) else formats[:2]:
                if x.dtype.kind == "c" and ("s" in fmt or "a" in fmt):
                    continue  # NumPy writes its scalars' parts otherwise
                if fmt.startswith("%0") and not np.isfinite(x).all():
                    continue  # Python fills with zeros before nan, printf with blanks
                same_text(tmp_path, x, a, format=fmt)


def test_savetxt_options(tmp_path):
    x = g.normal(size=(3, 4))
    a = gnd.from_numpy(x)
    same_text(tmp_path, x, a, delimiter=",", newline="\r\n", header="one\ntwo", footer="end", comments="% ")
    same_text(tmp_path, x, a, header="a,b,c,d", comments="", delimiter=";", format="%.3f")
    same_text(tmp_path, x, a, format="%d %e:%f,%g")
    same_text(tmp_path, x[:, :1], a[":, :1"], format="%d!", delimiter="no")
    z = g.normal(size=(3, 2)) + 1j * g.normal(size=(3, 2))
    same_text(tmp_path, z, gnd.from_numpy(z), format="%8.2f", delimiter="; ")
    same_text(tmp_path, z, gnd.from_numpy(z), format="%g_%g %e_%e")
    big = np.array([1e15, -1e18, 2.5, -0.5, 0.0])
    same_text(tmp_path, big, gnd.from_numpy(big), format="%d")


# ---- reading ----------------------------------------------------------------------------------------------


def same_array(path, load, theirs, options, dtype, **named):
    if dtype != "float64":
        named["dtype"] = dtypes.DTYPES[dtype]
    want = theirs(path, **named)
    got = load(str(path), options)
    assert_same(got, want, f"{named}", strides=False)


@pytest.mark.parametrize("name", PLAIN)
def test_loadtxt(tmp_path, name):
    path = tmp_path / "a.txt"
    kind = dtypes.DTYPES[name].kind
    for shape in [(5,), (3, 4), (1, 5), (5, 1), (1, 1), (40, 7)]:
        x = np.asarray(values.random_values(name, shape, g))
        for delimiter in (None, ",", ";", " | "):
            np.savetxt(path, x, fmt="%d" if kind in "biu" else "%.17g", delimiter=delimiter or " ")
            for ndmin in (0, 1, 2):
                named = {"delimiter": delimiter} if delimiter != " | " else {}
                if delimiter == " | ":  # NumPy has delimiters of one character
                    assert_same(gnd.loadtxt(str(path), read_options(name, delimiter, ndmin=2)),
                                x if x.ndim == 2 else x[:, None])
                    continue
                same_array(path, gnd.loadtxt, np.loadtxt, read_options(name, delimiter, ndmin=ndmin), name,
                           ndmin=ndmin, **named)


@pytest.mark.filterwarnings("ignore:Input line")
def test_loadtxt_options(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"year,number # what it is\r\n#1,1\r\n1700, 5\r\n1701 ,11.5#x\n1702,\"16\"\r1703,23\n")
    for columns in ([0, 1], [1], [1, 0, 1], [-1], [-2, 1]):
        for max_rows in (1, 3, 100):
            same_array(path, gnd.loadtxt, np.loadtxt,
                       read_options(delimiter=",", skip_rows=1, columns=columns, max_rows=max_rows, quote=b'"'),
                       "float64", delimiter=",", skiprows=1, usecols=columns, max_rows=max_rows, quotechar='"')
    path.write_bytes(b"1 2 3\n4 5\n6 7 8 9\n")
    same_array(path, gnd.loadtxt, np.loadtxt, read_options(columns=[1, 0]), "float64", usecols=[1, 0])
    for load, theirs in ((gnd.loadtxt, np.loadtxt), (gnd.genfromtxt, np.genfromtxt)):
        with pytest.raises(ValueError):
            theirs(path)
        refused(lambda: load(str(path), None), gnd.ERROR_VALUE, "line 2")
    path.write_bytes(b"% c\n1 // 2\n2 3\n")
    same_array(path, gnd.loadtxt, np.loadtxt, read_options(comments="//", skip_rows=1, columns=[0]), "float64",
               comments="//", skiprows=1, usecols=[0])


def test_genfromtxt(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b,c\n1,,3\nx,5,NA\n , 6.5e1 ,#\n7,8,nan\nthe last\n")
    for dtype in ("float64", "float32", "int32", "complex128"):
        for filling in (None, 7):
            named = {"filling_values": filling} if filling is not None else {}
            same_array(path, gnd.genfromtxt, np.genfromtxt,
                       read_options(dtype, ",", comments="", filling=filling, skip_rows=1, skip_footer=1),
                       dtype, delimiter=",", skip_header=1, skip_footer=1, comments=None, **named)
    same_array(path, gnd.genfromtxt, np.genfromtxt,
               read_options(delimiter=",", columns=[2, 0], skip_rows=1, max_rows=2),
               "float64", delimiter=",", usecols=[2, 0], skip_header=1, max_rows=2)
    path.write_bytes(b"1 -999 3\n-999 5 6\n")
    want = np.genfromtxt(path, missing_values="-999", usemask=True).filled(np.nan)
    assert_same(gnd.genfromtxt(str(path), read_options(missing="-999")), want)


@given(st.lists(st.floats(width=64), min_size=1, max_size=40), st.integers(0, 20), st.sampled_from("efg"))
def test_numbers_are_rounded_once(tmp_path_factory, numbers, digits, letter):
    path = tmp_path_factory.getbasetemp() / "numbers.txt"
    words = [f"{x:.{digits}{letter}}" for x in numbers]
    path.write_text(" ".join(words))
    got = gnd.loadtxt(str(path), read_options(ndmin=1)).numpy()
    want = np.array([float(w) for w in words])
    assert np.array_equal(got.view(np.int64), want.view(np.int64)) or np.array_equal(got, want, equal_nan=True)


def test_hard_decimals(tmp_path):
    """Halfway cases and their neighbours, with more digits than 64 bits hold; Python rounds correctly."""
    path = tmp_path / "a.txt"
    draw = random.Random(1)
    words = ["9007199254740993", "9007199254740993.0000000000000000000001", "2.2250738585072011e-308",
             "2.4703282292062327208e-324", "2.4703282292062328e-324", "1.7976931348623158e308",
             "1.7976931348623159e308", "0." + "0" * 400 + "1e401", "1" + "0" * 400 + "e-400", "8" * 800]
    for _ in range(3000):
        digits = "".join(draw.choice("0123456789") for _ in range(draw.randint(1, 40)))
        point = draw.randint(0, len(digits))
        words.append(digits[:point] + "." + digits[point:] + draw.choice(["", f"e{draw.randint(-340, 330)}"]))
    for _ in range(500):  # exactly between two numbers
        x = draw.getrandbits(52) | 1 << 52
        words.append(str(2 * x + 1) + f"e{draw.randint(-30, 30)}")
    path.write_text("\n".join(words))
    got = gnd.loadtxt(str(path), None).numpy()
    want = np.array([float(w) for w in words])
    bad = [(w, x, y) for w, x, y in zip(words, got, want) if x != y]
    assert not bad, bad[:5]


def test_a_million_numbers(tmp_path):
    """As fast as the comment says, on the slowest machine that tests run on."""
    import time
    path = tmp_path / "a.csv"
    x = g.normal(size=(100000, 10))
    gnd.savetxt(str(path), gnd.from_numpy(x), write_options(delimiter=",", format="%.9g"))
    best = 1e9
    for _ in range(3):
        begin = time.perf_counter()
        got = gnd.loadtxt(str(path), read_options(delimiter=","))
        best = min(best, time.perf_counter() - begin)
    assert got.shape == x.shape and np.allclose(got.numpy(), x, rtol=1e-8, atol=0)
    assert best < 1.0, f"{best:.2f} s"
