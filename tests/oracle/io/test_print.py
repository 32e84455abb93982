"""Arrays as text: gnd_to_string, gnd_to_repr and gnd_array2string against NumPy's str, repr and
array2string."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values

MODES = {0: "maxprec", 1: "unique", 2: "fixed", 3: "maxprec_equal"}
PRINTABLE = [n for n in dtypes.NAMES if n != "bfloat16"]


def text_of(name, *arguments):
    """Calls a function that returns a string to be freed."""
    pointer = gnd.function(name)(*arguments)
    if isinstance(pointer, str):
        raise AssertionError("expected an owned char *")
    text = ctypes.string_at(pointer).decode()
    gnd.string_free(pointer)
    return text


def same_text(a, x):
    assert text_of("gnd_to_string", a) == str(x)
    assert text_of("gnd_to_repr", a) == repr(x)


def options(**changed):
    made = gnd.get_printoptions()
    for name, value in changed.items():
        setattr(made, name, value.encode() if isinstance(value, str) else value)
    return made


@pytest.fixture(autouse=True)
def default_options():
    yield
    gnd.set_printoptions(None)


@pytest.mark.parametrize("dtype", PRINTABLE)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (2, 3), (0, 3), (3, 0), (2, 1, 3), (40,), (12, 13),
                                   (2, 3, 4, 5), (1001,), (7, 500), (11, 10, 12), (3, 2000)])
def test_shapes(shape, dtype):
    g = np.random.default_rng(1)
    x = values.random_values(dtype, shape, g)
    same_text(gnd.from_numpy(x), x)
    x = values.random_values(dtype, shape, g, 0)
    same_text(gnd.from_numpy(x), x)


@pytest.mark.parametrize("dtype", PRINTABLE)
def test_single_values(dtype):
    """Every special value alone, and beside its neighbour."""
    x = values.specials(dtype)
    for k in range(x.size):
        same_text(gnd.from_numpy(x[k]), np.array(x[k]))
        same_text(gnd.from_numpy(x[k:k + 2]), x[k:k + 2])


def test_layouts():
    for shape in ((3, 4), (40, 50), (2, 3, 4)):
        for layout in values.layouts(shape):
            base = np.random.default_rng(2).normal(size=layout.base)
            x = values.apply_numpy(base, layout.steps)
            same_text(gnd.view(base, layout.steps), np.array(x))


def array2string(a, made=None, separator=None, prefix=None):
    return text_of("gnd_array2string", a, ctypes.addressof(made) if made is not None else None,
                   separator, prefix)


@given(data=st.data())
def test_random_options(data):
    dtype = data.draw(st.sampled_from(PRINTABLE))
    shape = tuple(data.draw(st.lists(st.integers(0, 12), max_size=3)))
    g = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    x = values.random_values(dtype, shape, g, data.draw(st.sampled_from([0, 0.1, 0.5])))
    if data.draw(st.booleans()) and dtype in ("float32", "float64"):
        x = (x * 10.0**data.draw(st.integers(-12, 12))).astype(dtype)
    if data.draw(st.booleans()) and dtype in ("float32", "float64", "float16"):
        x = np.trunc(x)
    chosen = dict(precision=data.draw(st.integers(0, 18)), edgeitems=data.draw(st.integers(0, 4)),
                  threshold=data.draw(st.sampled_from([0, 5, 30, 1000])),
                  linewidth=data.draw(st.sampled_from([1, 10, 20, 40, 75, 200])),
                  suppress=data.draw(st.booleans()), sign=data.draw(st.sampled_from("-+ ")),
                  floatmode=data.draw(st.integers(0, 3)))
    theirs = dict(chosen, suppress_small=chosen.pop("suppress"), floatmode=MODES[chosen["floatmode"]],
                  max_line_width=chosen["linewidth"])
    theirs.pop("linewidth")
    made = options(suppress=theirs["suppress_small"], **chosen)
    separator, prefix = data.draw(st.sampled_from([" ", ", ", ","])), data.draw(
        st.sampled_from(["", "array("]))
    theirs.pop("suppress", None)
    with np.errstate(all="ignore"):
        want = np.array2string(x, separator=separator, prefix=prefix, **theirs)
    assert array2string(gnd.from_numpy(x), made, separator, prefix) == want


def test_thread_options():
    x = np.array([1.123456789, 2e-9, np.nan, -np.inf, 1234567.0])
    a = gnd.from_numpy(x)
    for chosen in (dict(precision=3), dict(suppress=True), dict(sign="+"), dict(floatmode=2),
                   dict(nanstr="NA", infstr="Inf"), dict(precision=2, floatmode=3, sign=" ")):
        made = options(**chosen)
        gnd.set_printoptions(made)
        numpy_options = dict(chosen)
        if "floatmode" in chosen:
            numpy_options["floatmode"] = MODES[chosen["floatmode"]]
        with np.printoptions(**numpy_options):
            same_text(a, x)
        gnd.set_printoptions(None)
    same_text(a, x)


def test_options_at_their_bounds():
    """The least that each may be: no elements at the edges of what is cut short, a line without room."""
    x = np.arange(30.0).reshape(5, 6) / 7
    for chosen in (dict(edgeitems=0, threshold=5), dict(edgeitems=1, threshold=0), dict(linewidth=0),
                   dict(precision=0), dict(edgeitems=0, threshold=0, linewidth=0, precision=0)):
        gnd.set_printoptions(options(**chosen))
        with np.printoptions(**chosen):
            for part in (x, x[0], x[0, 0], x[:0]):
                same_text(gnd.from_numpy(part), np.array(part))
        gnd.set_printoptions(None)
    for name in ("edgeitems", "threshold", "linewidth", "precision"):
        with pytest.raises(gnd.Error, match=name):
            gnd.set_printoptions(options(**{name: -1}))


def test_bad_options():
    for chosen in (dict(precision=-1), dict(sign="x"), dict(floatmode=9), dict(edgeitems=-2),
                   dict(precision=2000), dict(linewidth=-1), dict(threshold=-5)):
        with pytest.raises(gnd.Error) as caught:
            gnd.set_printoptions(options(**chosen))
        assert caught.value.code == gnd.ERROR_INVALID
    assert text_of("gnd_to_string", gnd.ones((2,), None)) == "[1. 1.]"


def test_bfloat16():
    """By float16's rules: as few digits as tell a bfloat16 from its neighbours."""
    x = dtypes.cast(np.array([1.0, 2.5, 0.1, -3.140625, 1e30, np.nan]), "bfloat16")
    text = text_of("gnd_to_string", gnd.from_numpy(x))
    shown = [float(t) for t in text.strip("[]").split()]
    back = dtypes.from_bfloat16(dtypes.cast(np.array(shown), "bfloat16"))
    assert np.array_equal(back, dtypes.from_bfloat16(x), equal_nan=True), text
    assert "bfloat16" in text_of("gnd_to_repr", gnd.from_numpy(x))


@given(st.lists(st.floats(width=64), min_size=1, max_size=4))
def test_float64_digits(numbers):
    x = np.array(numbers)
    gnd.set_printoptions(None)
    assert text_of("gnd_to_string", gnd.from_numpy(x)) == str(x)
    with np.printoptions(floatmode="unique"):
        gnd.set_printoptions(options(floatmode=1))
        assert text_of("gnd_to_repr", gnd.from_numpy(x)) == repr(x)


@given(st.lists(st.floats(width=32), min_size=1, max_size=4))
def test_float32_digits(numbers):
    x = np.array(numbers, np.float32)
    assert text_of("gnd_to_string", gnd.from_numpy(x)) == str(x)


def test_print_to_a_file(tmp_path):
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    path = tmp_path / "printed"
    file = libc.fopen(str(path).encode(), b"w")
    x = np.arange(2000.0).reshape(40, 50)
    gnd.fprint(file, gnd.from_numpy(x))
    libc.fclose(file)
    assert path.read_text() == f"{x}\n"
    full = libc.fopen(b"/dev/full", b"w")
    big = np.random.default_rng(0).random((30, 30))
    with pytest.raises(gnd.Error) as caught:
        gnd.fprint(full, gnd.from_numpy(big))
    libc.fclose(full)
    assert caught.value.code == gnd.ERROR_IO
