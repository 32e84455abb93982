"""The array API standard 2024.12: every function of the namespace and its extensions, against array-api-strict (names,
signatures, results), and data-apis/array-api-tests, where a copy of it is (FETCH_ARRAY_API_TESTS=1 ./dev test python
fetches it)."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import PACKAGE, ROOT

import gnd

strict = pytest.importorskip("array_api_strict",
     reason="array-api-strict has the standard's signatures: pip install it")
OWN = {
    "set_array_api_strict_flags",
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
     "ArrayAPIStrictFlags"}
MODULES = {"": (gnd, strict), "linalg": (gnd.linalg, strict.linalg), "fft": (gnd.fft, strict.fft)}
NAMES = [(module, name) for module, (_, theirs) in MODULES.items() for name in theirs.__all__ if name not in OWN]


@pytest.mark.parametrize("module, name", NAMES)
def test_names_and_signatures(module, name):
    """Each name is there, and takes the arguments of the standard the way the standard passes them."""
    mine, theirs = (getattr(m, name) for m in MODULES[module])
    if not inspect.isfunction(theirs):
        return
    signature = inspect.signature(mine)
    positional, named = [], {}
    for parameter in inspect.signature(theirs).parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            positional.append(0)
        elif parameter.kind == parameter.KEYWORD_ONLY:
            named[parameter.name] = None
        else:
            positional.append(None)
    signature.bind(*positional, **named)
    signature.bind(*positional[:sum(p.default is p.empty and p.kind != p.KEYWORD_ONLY
                                    for p in inspect.signature(theirs).parameters.values())])


REAL, WHOLE = np.array([[1.5, -2.0], [0.25, 3.0]]), np.array([[3, 1], [2, 7]])
TRUTH = np.array([[True, False], [True, True]])
SQUARE = np.array([[4.0, 1], [1, 3]])
CALLS = {  # what differs from f(real) or f(real, real)
    "arange": (3,), "asarray": (REAL,), "astype": (REAL, "float32"), "broadcast_arrays": (REAL, REAL[0]),
    "broadcast_to": (REAL, (3, 2, 2)), "can_cast": ("int8", "int16"), "clip": (REAL, -1.0, 2.0),
    "concat": ([REAL, REAL],),
    "empty": ((0,),), "empty_like": (REAL[:0],), "expand_dims": (REAL, 1), "eye": (3,), "finfo": ("float32",),
    "flip": (REAL,), "full": ((2,), 3), "full_like": (REAL, 2.0), "iinfo": ("int8",), "isdtype": ("int8", "integral"),
    "linspace": (0.0, 1.0, 5), "matrix_transpose": (REAL,), "meshgrid": (REAL[0], REAL[1]), "moveaxis": (REAL, 0, 1),
    "nonzero": (REAL,), "ones": ((2, 3),), "permute_dims": (REAL, (1, 0)), "repeat": (REAL, 2), "reshape": (REAL, (4,)),
    "result_type": ("int8", "uint8"), "roll": (REAL, 1), "searchsorted": (np.sort(REAL.ravel()), REAL.ravel()),
    "squeeze": (REAL[None], 0),
    "stack": ([REAL, REAL],), "take": (REAL[0], np.array([1, 0])), "isin": (WHOLE, WHOLE[0]),
    "tensordot": (REAL, REAL), "tile": (REAL, (2, 1)), "where": (TRUTH, REAL, -REAL),
    "zeros": ((2,),), "cumulative_sum": (REAL[0],), "cumulative_prod": (REAL[0],), "take_along_axis": (REAL, WHOLE % 2),
    "from_dlpack": (), "linalg.cross": (np.eye(3), np.ones((3, 3))), "linalg.matrix_power": (REAL, 3),
    "linalg.outer": (REAL[0], REAL[1]),
    "fft.fftfreq": (4,), "fft.rfftfreq": (4,), "linalg.tensordot": (REAL, REAL), "fft.irfft": (REAL + 0j,),
    "fft.hfft": (REAL + 0j,),
    "fft.irfftn": (REAL + 0j,), "imag": (REAL + 2j,), "real": (REAL + 2j,), "fft.fft": (REAL + 0j,),
    "fft.ifft": (REAL + 0j,),
    "fft.fftn": (REAL + 0j,), "fft.ifftn": (REAL + 0j,), "bitwise_left_shift": (WHOLE, WHOLE),
    "bitwise_right_shift": (WHOLE, WHOLE),
    "unstack": (REAL,), "diff": (REAL,), "conj": (REAL + 2j,), "count_nonzero": (REAL,), "round": (REAL,)}
SKIP = {"empty": "its elements are not said", "empty_like": "its elements are not said",
        "linalg.svd": "signs of vectors",
        "linalg.eigh": "signs of vectors", "linalg.qr": "signs of vectors", "from_dlpack": "test_array.py"}


def arguments(full, theirs):
    if full in CALLS:
        return CALLS[full]
    name = full.rpartition(".")[2]
    value = TRUTH if name.startswith("logical") or name in (
    "all", "any") else WHOLE if name.startswith("bitwise") else REAL
    if full.startswith("linalg."):
        value = SQUARE
    required = [p for p in inspect.signature(theirs).parameters.values()
                if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (np.abs(value) if name in ("sqrt", "log", "log2", "log10", "log1p", "acosh") else value,) * len(required)


def convert(module, value):
    """NumPy arrays and dtypes by name as a module has them."""
    if isinstance(value, np.ndarray):
        return module.asarray(value) if module is gnd else module.asarray(
            value.tolist(), dtype=getattr(module, value.dtype.name))
    if isinstance(value, list):
        return [convert(module, item) for item in value]
    return getattr(module, value) if isinstance(value, str) and value != "integral" else value


def compare(got, want):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compare(g, w)
    elif isinstance(want, strict._array_object.Array):
        assert got.shape == want.shape and str(got.dtype) == str(want.dtype).rpartition(".")[2]
        np.testing.assert_allclose(got.get(), np.asarray(want._array), rtol=1e-6, atol=1e-7)
    elif isinstance(want, bool):
        assert got is want


@pytest.mark.parametrize("full", [f"{module}.{name}".lstrip(".") for module, name in NAMES])
def test_results(full):
    """A call of each function gives what array-api-strict (that is, NumPy) gives."""
    module, _, name = full.rpartition(".")
    mine, theirs = (getattr(m, name) for m in MODULES[module])
    if full in SKIP or not inspect.isfunction(theirs):
        return
    given = arguments(full, theirs)
    with np.errstate(all="ignore"):
        want = theirs(*[convert(strict, value) for value in given])
    compare(mine(*[convert(gnd, value) for value in given]), want)


def test_namespace():
    x = gnd.ones(2)
    assert x.__array_namespace__() is gnd and x.__array_namespace__(api_version="2024.12") is gnd
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version="1999.1")
    info = gnd.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == gnd.float64 and info.default_device() == gnd.current_device()
    assert info.dtypes(kind="integral").keys() == {f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)}
    assert info.capabilities()["max dimensions"] == 64 and gnd.current_device() in info.devices()
    for constant in ("e", "inf", "nan", "newaxis", "pi"):
        assert hasattr(gnd, constant)


SUITE = os.environ.get("ARRAY_API_TESTS", ROOT / "out" / "array-api-tests")


@pytest.mark.skipif(not os.path.exists(SUITE), reason="no copy of data-apis/array-api-tests in out/array-api-tests")
def test_array_api_tests():
    """The suite of the consortium, but for what skips.txt gives a reason for."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "array_api_tests", "--max-examples=20",
               "--derandomize", "--disable-deadline", f"--skips-file={PACKAGE / 'tests' / 'skips.txt'}"]
    environment = os.environ | {
    "ARRAY_API_TESTS_MODULE": "gnd",
    "ARRAY_API_TESTS_VERSION": "2024.12",
     "PYTHONPATH": str(PACKAGE)}
    made = subprocess.run(command, cwd=SUITE, env=environment, text=True, capture_output=True)
    assert made.returncode == 0, made.stdout[-20000:] + made.stderr[-2000:]
