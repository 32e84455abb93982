"""Draws captured into a CUDA graph: each replay goes on with the numbers that follow, beside draws outside of it,
for every kind of generator."""

import ctypes
import threading

import numpy as np
import pytest

import gnd
from check import refused
from graphs import Graph, own_stream
from test_random import KINDS, SEED, fill, new, sobol

pytestmark = pytest.mark.gpu_only


def generator(kind):
    return sobol(3) if kind == "sobol" else new(kind)


# Odd sizes: no draw but the first begins where a block of words or a row of lanes does.
WORK = [("random", (), (10007,), "float32"), ("normal", (1.0, 2.0), (333,), "float64"),
        ("integers", (0, 100), (70001,), "int64"), ("integers", (-2**40, 2**62), (77,), "int64"),
        ("exponential", (2.0,), (1001,), "float32"), ("gamma", (2.5, 1.0), (501,), "float64"),
        ("poisson", (12.0,), (999,), "int64")]


def draw_all(gen, arrays):
    for (name, parameters, _, _), out in zip(WORK, arrays):
        fill(gen, out, name, *parameters)


def arrays():
    return [gnd.zeros(shape, dtype) for _, _, shape, dtype in WORK]


@pytest.mark.parametrize("kind", [*KINDS, "sobol"])
def test_replays_go_on(kind):
    with own_stream() as native:
        gen, reference, filled, want = generator(kind), generator(kind), arrays(), arrays()
        draw_all(generator(kind), filled)  # whatever happens at first calls has happened
        fill(gen, filled[0], "random"), fill(reference, want[0], "random")  # the host knows of these
        gnd.sync()
        graph = Graph(native, lambda: draw_all(gen, filled))

        def agree():
            for got, wanted, row in zip(filled, want, WORK):
                assert got.numpy().tobytes() == wanted.numpy().tobytes(), row

        for _ in range(3):
            graph.launch()
            draw_all(reference, want)
            agree()
        # Draws outside of the graph, between its replays.
        for array, gen_ in ((filled[3], gen), (want[3], reference)):
            fill(gen_, array, "integers", 0, 7)
        assert filled[3].numpy().tobytes() == want[3].numpy().tobytes()
        graph.launch()
        draw_all(reference, want)
        agree()
        # States: saved, and restored on both sides of a replay.
        saved = gnd.random_save(gen.pointer)
        assert saved.numpy().tobytes() == gnd.random_save(reference.pointer).numpy().tobytes()
        graph.launch()
        gnd.random_restore(gen.pointer, saved)
        graph.launch()
        draw_all(reference, want)
        agree()
        gnd.random_seed(gen.pointer, 77), gnd.random_seed(reference.pointer, 77)
        for _ in range(2):
            graph.launch()
            draw_all(reference, want)
            agree()
        if kind != "sobol":
            gnd.random_jump(gen.pointer, 3), gnd.random_jump(reference.pointer, 3)
            graph.launch()
            draw_all(reference, want)
            agree()


def test_a_seed_in_the_graph():
    with own_stream() as native:
        gen, out = new(seed=1), gnd.zeros((1001,), "float32")
        fill(gen, out, "random")
        gnd.sync()

        def work():
            gnd.random_seed(gen.pointer, SEED)
            fill(gen, out, "random")

        graph = Graph(native, work)
        want = new().random(1001, "float32")
        for _ in range(3):
            graph.launch()
            assert (out.numpy() == want).all()


def test_shuffles_in_a_graph():
    with own_stream() as native:
        x, y = gnd.from_numpy(np.arange(500)), gnd.from_numpy(np.arange(500))
        gen, reference = new(), new()
        for _ in range(3):  # memory for the steps in between is there afterwards
            gnd.random_shuffle(gen.pointer, x, 0), gnd.random_shuffle(reference.pointer, y, 0)
        gnd.sync()
        graph = Graph(native, lambda: gnd.random_shuffle(gen.pointer, x, 0))
        for _ in range(4):
            graph.launch()
            gnd.random_shuffle(reference.pointer, y, 0)
            assert (x.numpy() == y.numpy()).all()


def in_use():
    stats = gnd.STRUCTS["gnd_memory_stats"]()
    gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(stats))
    return stats.in_use


def test_memory_released_in_a_capture():
    """Arrays from before it: a large one, and one that two streams have read, of which one would have to wait for
    the other."""
    other = gnd.stream_new()
    with own_stream() as native:
        own, gen, out = gnd.current_stream(), new(), gnd.zeros((1001,), "float32")
        fill(gen, out, "random")
        before = in_use()
        large, shared = gnd.zeros((1 << 20,), "float32"), gnd.zeros((100,), "float32")
        for stream in (own, other, own):
            gnd.use_stream(stream)
            gnd.add(shared, shared)
        gnd.sync()

        def work():
            large.release(), shared.release()
            fill(gen, out, "random")

        graph = Graph(native, work)
        for _ in range(2):
            last = out.numpy()
            graph.launch()
            assert (out.numpy() != last).all()
        gnd.memory_trim(gnd.current_device())
        assert in_use() == before
    gnd.stream_release(other)


@pytest.mark.parametrize("launches", [0, 1, 3])
def test_memory_taken_in_a_capture(launches):
    """The pool has none then, so it is the graph's: no later array gets it, whether the graph ran or not, and the graph
    can run again."""
    def work():
        gnd.copyto(out, gnd.add(gnd.add(x, x), x))

    with own_stream() as native:
        numbers = np.arange(64.0)
        x, out = gnd.from_numpy(numbers), gnd.zeros((64,), "float64")
        work()
        gnd.memory_trim(gnd.current_device())
        before = in_use()
        graph = Graph(native, work)
        for _ in range(launches):
            gnd.copyto(out, x)
            graph.launch()
            assert (out.numpy() == 3 * numbers).all()
        for _ in range(2):
            made = [gnd.add(x, k) for k in range(6)]
            for k, array in enumerate(made):
                assert (array.numpy() == numbers + k).all()
            del made, array
            graph = None  # the second time it is gone
        assert in_use() == before


def test_default_generators_must_be_known():
    """The thread's own generator has its place on the device only once it has drawn there."""
    problems = []

    def thread():
        try:
            with own_stream() as native:
                out = gnd.zeros((64,), "float32")
                own = gnd.random_default()
                gnd.sync()
                Graph(native, lambda: refused(lambda: gnd.random_fill(own, out, "random", 0, None),
                                              gnd.ERROR_INVALID, "draw from it once"))
                gnd.random_fill(own, out, "random", 0, None)
                gnd.sync()
                before = out.numpy()
                graph = Graph(native, lambda: gnd.random_fill(own, out, "random", 0, None))
                seen = [before]
                for _ in range(3):
                    graph.launch()
                    seen.append(out.numpy())
                assert np.unique(np.concatenate(seen)).size > 250
        except BaseException as problem:
            problems.append(problem)

    worker = threading.Thread(target=thread)
    worker.start()
    worker.join()
    if problems:
        raise problems[0]
