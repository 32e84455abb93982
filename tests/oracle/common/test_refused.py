"""Refused calls leave nothing behind: no fault for the next wait to report, nothing written, no step
of the generator."""

import ctypes

import numpy as np
import pytest

import gnd

THREE = np.arange(3.0)
FAR = np.array([0, 99, 1])  # an index out of range
POWERS = np.array([2, -1, -1])
ONES = np.ones((3, 3))
take = gnd.function("gnd_take")
put = gnd.function("gnd_put")


def array(values):
    return gnd.from_numpy(np.asarray(values))


def outs():
    """Arrays that are no place for three numbers: shapes, dtypes, views that are read-only."""
    for dtype in ("int8", "bool", "complex128"):
        for shape in ((), (3,), (4,), (2, 2), (7, 5)):
            yield array(np.zeros(shape, dtype))
    for dtype in ("float64", "int64"):
        for shape in ((3,), (4,), (2, 2)):
            yield gnd.broadcast_to(array(np.zeros(1, dtype)), shape)


# Calls that would report a fault, each with an array that it takes now and then.
CALLS = {
    "choose_into": lambda g, o: gnd.choose_into(o, array(FAR), 3, [1, 2, 3], gnd.RAISE),
    "choose_into of an array": lambda g, o: gnd.choose_into(o, array(FAR), 2, [array(THREE), 2],
                                                            gnd.RAISE),
    "take": lambda g, o: take(array(THREE), array(FAR), gnd.Axes(0, out=o), gnd.RAISE),
    "take_along_axis": lambda g, o: gnd.take_along_axis(array(THREE), array(FAR),
                                                        gnd.Axes(0, out=o)),
    "power_into": lambda g, o: gnd.power_into(o, array([2, 3, 4]), array([-1, -1, -1])),
    "put": lambda g, o: put(o, array(FAR), array([1 + 2j]), gnd.RAISE),
    "nanargmin": lambda g, o: gnd.nanargmin(array(THREE * np.nan), gnd.Axes(0, out=o)),
    "quantile": lambda g, o: gnd.quantile(array(THREE), array([2.0, 3, 4]), gnd.Axes(0, out=o), 0),
    "average": lambda g, o: gnd.average(array(THREE), gnd.Axes(0, out=o), array([1.0, -1, 0])),
    "accumulate": lambda g, o: gnd.accumulate("power", array(POWERS), gnd.Axes(0, out=o)),
    "reduce": lambda g, o: gnd.reduce("power", array(POWERS), gnd.Axes(0, out=o)),
    "reduceat": lambda g, o: gnd.reduceat("add", array(THREE), array(FAR), gnd.Axes(0, out=o)),
    "random_fill": lambda g, o: gnd.random_fill(g, o, "binomial", 2, [array(-3), array(0.5)]),
    "at": lambda g, o: gnd.at("add", o, 1, [array(FAR)], array([1 + 2j])),
    "place": lambda g, o: gnd.place(o, array([True] * 3), array([1 + 2j])),
    "solve": lambda g, o: gnd.solve(array(ONES), o),
    "cho_solve": lambda g, o: gnd.cho_solve(array(ONES * 0), o, True),
}


def check_refused(generator, out, call):
    """Whether it was refused; then nothing is to be seen of it."""
    before, state = gnd.to_numpy(out).copy(), gnd.to_numpy(gnd.random_save(generator)).copy()
    try:
        call()
    except gnd.Error as error:
        gnd.sync()  # which reports what an earlier call met
        np.testing.assert_array_equal(gnd.to_numpy(out), before, str(error))
        np.testing.assert_array_equal(gnd.to_numpy(gnd.random_save(generator)), state, str(error))
        return True
    try:
        gnd.sync()
    except gnd.Error:
        pass
    return False


@pytest.fixture
def generator():
    g = gnd.random_new(gnd.PHILOX, 1)
    yield g
    gnd.random_release(g)


@pytest.mark.parametrize("name", CALLS)
def test_out(generator, name):
    refused = [check_refused(generator, out, lambda out=out: CALLS[name](generator, out))
               for out in outs()]
    assert sum(refused) >= 3


@pytest.mark.parametrize("method", [gnd.BY_SVD, gnd.BY_EIGH, gnd.BY_CHOLESKY])
@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("scale", [-1, np.nan, 1])
@pytest.mark.parametrize("shape, dtype", [((2,), "int32"), ((-2,), "float64"),
                                          ((1 << 60, 1 << 60), "float32")])
def test_multivariate_normal(generator, method, check, scale, shape, dtype):
    options = gnd.STRUCTS["gnd_multivariate_normal_options"]()
    options.method, options.check = method, check
    cov, mean = array(np.eye(3) * scale), array(np.zeros(3))
    assert check_refused(generator, cov, lambda: gnd.random_multivariate_normal(
        generator, mean, cov, shape, ctypes.addressof(options), dtype))
