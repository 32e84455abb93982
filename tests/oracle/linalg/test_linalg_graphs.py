"""Linear algebra and transforms captured into a CUDA graph, whose replays compute with what the operands hold by
then; and the calls that would have to wait, which a capture outlives."""

import numpy as np
import pytest

import gnd
from check import refused
from graphs import Graph, own_stream
from test_solve import results
from values import generator

pytestmark = pytest.mark.gpu_only

SHAPES = [(8, 8), (5, 33, 33), (130, 130), (7, 130, 130), (600, 600)]
SMALL = [(8, 8), (5, 33, 33), (7, 130, 130)]  # whose eigenvalues gnd's kernels or XsyevBatched find
CALLS = {
    "matmul": (SHAPES, lambda a: [gnd.matmul(a, a)]),
    "solve": (SHAPES, lambda a: [gnd.solve(a, a)]),
    "inv": (SHAPES, lambda a: [gnd.inv(a)]),
    "slogdet": (SHAPES, lambda a: results(2, gnd.slogdet, a)),
    "cholesky": (SHAPES, lambda a: [gnd.cholesky(a, False)]),
    "lu_factor": (SHAPES, lambda a: results(2, gnd.lu_factor, a)),
    "qr": (SHAPES, lambda a: results(2, gnd.qr, a, gnd.QR_REDUCED)),
    "svd": (SHAPES[:4], lambda a: results(3, gnd.svd, a, False)),
    "eigh": (SMALL, lambda a: results(2, gnd.eigh, a, False)),
    "pinv": (SHAPES[:4], lambda a: [gnd.pinv(a, None)]),
    "lstsq": (SHAPES[:4], lambda a: results(4, gnd.lstsq, a, a, None)[:1]),
    "matrix_rank": (SHAPES[:4], lambda a: [gnd.matrix_rank(a, None)]),
    "fft": (SHAPES, lambda a: [gnd.fft(a, -1, -1, gnd.FFT_BACKWARD)]),
}


def positive_definite(shape, g):
    x = g.normal(size=shape)
    return (x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1])).astype("float32")


@pytest.mark.parametrize("name,shape", [(name, shape) for name, (shapes, _) in CALLS.items() for shape in shapes])
def test_replays(name, shape):
    """To the bit what the call gives outside of the graph, of other operands than those of the capture."""
    work = CALLS[name][1]
    g = generator("graphs", name, shape)
    with own_stream() as native:
        first, second = positive_definite(shape, g), positive_definite(shape, g)
        a = gnd.from_numpy(first)
        outs = [gnd.zeros(got.shape, got.dtype) for got in (r.numpy() for r in work(a))]

        def step():
            for out, result in zip(outs, work(a)):
                gnd.copyto(out, result)

        step()  # whatever happens at first calls has happened
        gnd.sync()
        graph = Graph(native, step)
        for x in (second, first):
            gnd.copyto(a, gnd.from_numpy(x))
            graph.launch()
            for out, want in zip(outs, work(a)):
                got, want = out.numpy(), want.numpy()
                assert got.tobytes() == want.tobytes() and got.any(), f"{np.abs(got - want).max()}"


@pytest.mark.parametrize("name,shape,work", [
    ("eigh", (130, 130), lambda a: results(2, gnd.eigh, a, False)),
    ("eigvalsh", (600, 600), lambda a: [gnd.eigvalsh(a, False)]),
    ("svd", (600, 600), lambda a: results(3, gnd.svd, a, False)),
    ("svdvals", (1100, 1100), lambda a: [gnd.svdvals(a)]),
    ("eigvals", (8, 8), lambda a: [gnd.eigvals(a)]),
    ("eig", (3, 20, 20), lambda a: results(2, gnd.eig, a)),
    ("expm", (8, 8), lambda a: [gnd.expm(a)]),
    ("to_host", (8, 8), lambda a: [a.numpy()]),
    ("from_host", (8, 8), lambda a: [gnd.from_numpy(np.ones((3, 3), "float32"))]),
])
def test_what_waits_is_refused(name, shape, work):
    g = generator("graphs", name, shape)
    host = lambda x: x if isinstance(x, np.ndarray) else x.numpy()
    with own_stream() as native:
        a = gnd.from_numpy(positive_definite(shape, g))
        out = gnd.zeros(shape, "float32")
        before = [host(r) for r in work(a)]
        gnd.add(a, a)
        gnd.sync()

        def step():
            refused(lambda: work(a), gnd.ERROR_INVALID, "being captured into a CUDA graph")
            gnd.copyto(out, gnd.add(a, a))

        graph = Graph(native, step)
        graph.launch()
        assert (out.numpy() == 2 * a.numpy()).all()
        for got, want in zip(work(a), before):
            assert host(got).tobytes() == want.tobytes()
