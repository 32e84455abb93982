"""Kalman filters against NumPy, a track and a step at a time, in float64: sizes, matrices of all tracks and of each,
control inputs, states that go on, and what is refused."""

import numpy as np
import pytest

import gnd
from check import refused
from test_faults import run_with_failures
from values import generator

PARTS = {"x": gnd.KALMAN_STATE, "P": gnd.KALMAN_COVARIANCE, "F": gnd.KALMAN_TRANSITION, "B": gnd.KALMAN_CONTROL,
         "H": gnd.KALMAN_MEASUREMENT, "Q": gnd.KALMAN_NOISE, "R": gnd.KALMAN_MEASUREMENT_NOISE}
BOUND = {"float32": 2e-4, "float64": 1e-11}
# (dim_x, dim_z): those that a thread of a GPU has, others, and one that no shared memory holds.
SIZES = [(2, 1), (2, 2), (4, 1), (4, 2), (6, 2), (6, 3), (9, 3), (1, 1), (3, 2), (4, 4), (2, 5), (12, 4), (16, 16)]


def covariance(g, n, count=()):
    a = g.normal(size=(*count, n, n)) / n
    return a @ a.swapaxes(-1, -2) + 0.5 * np.eye(n)


def model(g, tracks, nx, nz, nu, each=""):
    """Parts by name: those in `each` have an axis of tracks."""
    def lead(name):
        return (tracks,) if name in each else ()

    return {"x": g.normal(size=(*lead("x"), nx)), "P": covariance(g, nx, lead("P")),
            "F": np.eye(nx) + 0.2 * g.normal(size=(*lead("F"), nx, nx)) / nx,
            "B": g.normal(size=(*lead("B"), nx, nu)), "H": g.normal(size=(*lead("H"), nz, nx)),
            "Q": covariance(g, nx, lead("Q")), "R": covariance(g, nz, lead("R"))}


class Filter:
    """A gnd_kalman with the parts of a model, of a dtype."""

    def __init__(self, parts, tracks, nx, nz, nu, dtype):
        self.pointer = gnd.kalman_new(tracks, nx, nz, nu, dtype)
        for name, value in parts.items():
            gnd.kalman_set(self.pointer, PARTS[name], gnd.from_numpy(value.astype(dtype)))

    def __enter__(self):
        return self.pointer

    def __exit__(self, *_):
        gnd.kalman_release(self.pointer)


class Reference:
    def __init__(self, parts, tracks, alpha=1.0):
        def each(a, ndim):
            return np.broadcast_to(a, (tracks, *a.shape[-ndim:])).copy()

        self.x, self.alpha = each(parts["x"], 1), alpha
        self.P, self.F, self.B, self.H, self.Q, self.R = (each(parts[name], 2) for name in "PFBHQR")

    def predict(self, u=None):
        turned = self.F.swapaxes(1, 2)
        self.x = (self.F @ self.x[..., None])[..., 0]
        if u is not None:
            self.x = self.x + (self.B @ np.broadcast_to(u, (len(self.x), u.shape[-1]))[..., None])[..., 0]
        self.P = self.alpha**2 * self.F @ self.P @ turned + self.Q

    def update(self, z):
        turned = self.H.swapaxes(1, 2)
        gain = self.P @ turned @ np.linalg.inv(self.H @ self.P @ turned + self.R)
        self.x = self.x + (gain @ (z - (self.H @ self.x[..., None])[..., 0])[..., None])[..., 0]
        rest = np.eye(self.x.shape[1]) - gain @ self.H
        self.P = rest @ self.P @ rest.swapaxes(1, 2) + gain @ self.R @ gain.swapaxes(1, 2)

    def run(self, z, u=None):
        states, covariances = [], []
        for t in range(len(z)):
            self.predict(None if u is None else u[t])
            self.update(z[t])
            states.append(self.x), covariances.append(self.P)
        return np.array(states), np.array(covariances)


def near(got, want, dtype, context):
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    error = np.abs(got.numpy() - want).max(initial=0)
    assert error <= BOUND[dtype] * max(1, np.abs(want).max(initial=0)), f"{context}: off by {error}"


def rounded(parts, dtype):
    """The parts as the filter has them."""
    return {name: value.astype(dtype).astype("float64") for name, value in parts.items()}


@pytest.mark.parametrize("dtype", BOUND)
@pytest.mark.parametrize("nx,nz", SIZES)
def test_run(dtype, nx, nz):
    g = generator("kalman", dtype, nx, nz)
    for tracks, nu, each in ((1, 0, ""), (7, 2, ""), (150, 1, "FHQR"), (33, 3, "xPFBHQR"), (16, 0, "R")):
        parts = rounded(model(g, tracks, nx, nz, nu, each), dtype)
        z = g.normal(size=(6, tracks, nz)).astype(dtype).astype("float64")
        for u_shape in ([None, (6, nu), (6, tracks, nu)] if nu else [None]):
            u = None if u_shape is None else g.normal(size=u_shape).astype(dtype).astype("float64")
            reference = Reference(parts, tracks)
            states, covariances = reference.run(z, u)
            with Filter(parts, tracks, nx, nz, nu, dtype) as k:
                room = gnd.outputs(1)
                controls = None if u is None else gnd.from_numpy(u.astype(dtype))
                context = (tracks, nu, each, u_shape)
                near(gnd.kalman_run(k, gnd.from_numpy(z.astype(dtype)), controls, room), states, dtype, context)
                near(gnd.take(room)[0], covariances, dtype, context)
                near(gnd.kalman_get(k, gnd.KALMAN_STATE), reference.x, dtype, context)
                near(gnd.kalman_get(k, gnd.KALMAN_COVARIANCE), reference.P, dtype, context)


@pytest.mark.parametrize("dtype", BOUND)
@pytest.mark.parametrize("nx,nz", [(4, 2), (5, 3)])
def test_single_steps(dtype, nx, nz):
    """Predictions and updates in any order; the bits of a run."""
    g = generator("steps", dtype, nx, nz)
    tracks, nu = 20, 2
    parts = rounded(model(g, tracks, nx, nz, nu, "xF"), dtype)
    z, u = (g.normal(size=(4, tracks, n)).astype(dtype) for n in (nz, nu))
    with Filter(parts, tracks, nx, nz, nu, dtype) as k, Filter(parts, tracks, nx, nz, nu, dtype) as other:
        gnd.kalman_fading(k, 1.25)
        gnd.kalman_fading(other, 1.25)
        reference = Reference(parts, tracks, 1.25)
        whole = gnd.kalman_run(other, gnd.from_numpy(z), gnd.from_numpy(u), None).numpy()
        for t in range(4):
            gnd.kalman_predict(k, gnd.from_numpy(u[t]))
            reference.predict(u[t])
            near(gnd.kalman_get(k, gnd.KALMAN_COVARIANCE), reference.P, dtype, t)
            gnd.kalman_update(k, gnd.from_numpy(z[t]))
            reference.update(z[t])
            got = gnd.kalman_get(k, gnd.KALMAN_STATE)
            near(got, reference.x, dtype, t)
            assert (got.numpy() == whole[t]).all()
        gnd.kalman_predict(k, None)
        gnd.kalman_predict(k, gnd.from_numpy(u[0, 0]))
        gnd.kalman_update(k, gnd.from_numpy(z[1]))
        gnd.kalman_update(k, gnd.from_numpy(z[2]))
        reference.predict(), reference.predict(u[0, 0]), reference.update(z[1]), reference.update(z[2])
        near(gnd.kalman_get(k, gnd.KALMAN_STATE), reference.x, dtype, "mixed")


def test_defaults():
    k = gnd.kalman_new(3, 4, 2, 1, "float64")
    want = {"x": np.zeros((3, 4)), "P": np.broadcast_to(np.eye(4), (3, 4, 4)), "F": np.eye(4), "B": np.zeros((4, 1)),
            "H": np.zeros((2, 4)), "Q": np.eye(4), "R": np.eye(2)}
    for name, value in want.items():
        got = gnd.kalman_get(k, PARTS[name])
        assert got.shape == value.shape and got.dtype == "float64" and (got.numpy() == value).all(), name
    gnd.kalman_release(k)
    gnd.kalman_release(None)


def test_casts_strides_and_lower_triangles():
    g = generator("casts")
    parts = rounded(model(g, 5, 4, 2, 0), "float32")
    z = g.integers(-5, 5, (8, 5, 2))
    spread = np.tril(parts["P"]) + np.triu(np.full((4, 4), np.nan), 1)
    with Filter(parts, 5, 4, 2, 0, "float32") as k:
        gnd.kalman_set(k, gnd.KALMAN_COVARIANCE, gnd.from_numpy(spread))
        gnd.kalman_set(k, gnd.KALMAN_TRANSITION, gnd.from_numpy(parts["F"][::-1].copy())["::-1"])
        twice = gnd.from_numpy(np.repeat(z, 2, axis=0).astype("int16"))["::2"]
        near(gnd.kalman_run(k, twice, None, None), Reference(parts, 5).run(z)[0], "float32", "casts")
        empty = gnd.kalman_run(k, gnd.from_numpy(np.ones((0, 5, 2))), None, None)
        assert empty.shape == (0, 5, 4)


def test_many_steps_stay_positive():
    """A thousand float32 steps with little noise: covariances stay symmetric and positive."""
    tracks, dt = 40, 0.1
    f = np.kron(np.array([[1, dt], [0, 1]]), np.eye(2))
    parts = {"x": np.zeros(4), "P": 1000 * np.eye(4), "F": f, "H": np.eye(2, 4), "Q": 1e-4 * np.eye(4),
             "R": 0.01 * np.eye(2)}
    g = generator("long")
    truth = np.cumsum(np.full((1000, tracks, 2), 0.05), axis=0)
    z = (truth + 0.1 * g.normal(size=truth.shape)).astype("float32")
    with Filter(parts, tracks, 4, 2, 0, "float32") as k:
        room = gnd.outputs(1)
        states = gnd.kalman_run(k, gnd.from_numpy(z), None, room).numpy()
        covariances = gnd.take(room)[0].numpy()
    assert (covariances == covariances.swapaxes(-1, -2)).all()
    assert np.linalg.eigvalsh(covariances[::100]).min() > 0
    assert np.abs(states[-1, :, :2] - truth[-1]).max() < 0.15 and np.abs(states[-1, :, 2:] - 0.5).max() < 0.2


def test_no_memory():
    """A failed allocation leaves the filter as it was."""
    g = generator("memory")
    parts = model(g, 5, 3, 2, 0)
    z = gnd.from_numpy(g.normal(size=(3, 5, 2)))

    def make():
        gnd.kalman_release(gnd.kalman_new(5, 3, 2, 0, "float64"))

    run_with_failures(make)
    def run(k):
        room = gnd.outputs(1)
        return gnd.kalman_run(k, z, None, room), gnd.take(room)

    with Filter(parts, 5, 3, 2, 0, "float64") as k:
        run_with_failures(lambda: run(k))


def test_refused():
    refused(lambda: gnd.kalman_new(0, 4, 2, 0, "float32"), gnd.ERROR_VALUE, "gnd_kalman_new", "0 tracks")
    refused(lambda: gnd.kalman_new(3, 4, 2, -1, "float32"), gnd.ERROR_VALUE, "-1 control")
    refused(lambda: gnd.kalman_new(3, 4, 2, 0, "complex64"), gnd.ERROR_DTYPE, "complex64")
    k = gnd.kalman_new(3, 4, 2, 1, "float32")
    ones = lambda *shape: gnd.from_numpy(np.ones(shape, "float32"))  # noqa: E731
    put = gnd.kalman_set
    refused(lambda: put(k, PARTS["F"], ones(4, 3)), gnd.ERROR_SHAPE, "gnd_kalman_set", "F", "(4, 3)", "(4, 4)")
    refused(lambda: put(k, PARTS["H"], ones(2, 2, 4)), gnd.ERROR_SHAPE, "H", "3 tracks")
    refused(lambda: put(k, 7, ones(4, 4)), gnd.ERROR_INVALID, "7")
    refused(lambda: put(k, PARTS["R"], gnd.from_numpy(np.ones((2, 2), "complex64"))), gnd.ERROR_DTYPE, "R")
    refused(lambda: put(k, PARTS["R"], None), gnd.ERROR_INVALID, "value")
    refused(lambda: gnd.kalman_get(k, -1), gnd.ERROR_INVALID, "gnd_kalman_get", "-1")
    refused(lambda: gnd.kalman_fading(k, 0.0), gnd.ERROR_VALUE, "gnd_kalman_fading", "0")
    refused(lambda: gnd.kalman_predict(k, ones(2)), gnd.ERROR_SHAPE, "gnd_kalman_predict", "(2,)", "1")
    refused(lambda: gnd.kalman_update(k, ones(2, 3)), gnd.ERROR_SHAPE, "gnd_kalman_update", "(2, 3)", "(3, 2)")
    refused(lambda: gnd.kalman_update(k, None), gnd.ERROR_INVALID, "z")
    refused(lambda: gnd.kalman_run(k, ones(3, 2), None, None), gnd.ERROR_SHAPE, "gnd_kalman_run", "(3, 2)")
    refused(lambda: gnd.kalman_run(k, ones(5, 3, 2), ones(4, 1), None), gnd.ERROR_SHAPE, "u", "(4, 1)")
    refused(lambda: gnd.kalman_run(None, ones(5, 3, 2), None, None), gnd.ERROR_INVALID, "filter")
    gnd.kalman_release(k)
    k = gnd.kalman_new(3, 4, 2, 0, "float32")
    refused(lambda: gnd.kalman_predict(k, ones(1)), gnd.ERROR_SHAPE, "no control inputs")
    gnd.kalman_release(k)
