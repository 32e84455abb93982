"""gnd_graph: recorded work launched again gives what the same calls give, on both devices."""

import ctypes
import gc
import threading

import numpy as np
import pytest

import gnd
from check import refused
from graphs import recorded, recording

RNG = np.random.default_rng(23)


def numbers(*shape, dtype="float32"):
    return gnd.from_numpy(RNG.standard_normal(shape).astype(dtype))


def info(graph):
    result = gnd.STRUCTS["gnd_graph_info"]()
    gnd.graph_info_of(graph, ctypes.addressof(result))
    return result


def launch(graph, times=1):
    for _ in range(times):
        gnd.graph_launch(graph)


def same(got, want, tolerance=0):
    np.testing.assert_allclose(gnd.to_numpy(got), want, rtol=tolerance, atol=tolerance)


def test_nothing_runs_before_a_launch():
    x, y = numbers(1000), gnd.zeros((1000,), "float32")
    graph, _ = recorded(lambda: gnd.add_into(y, y, x))
    same(y, np.zeros(1000, "float32"))
    launch(graph, 3)
    want = gnd.to_numpy(x)
    same(y, want + want + want)
    assert info(graph).recorded and info(graph).launches == 3 and info(graph).arrays == 2
    gnd.graph_release(graph)


# Each of these calls a different kind of plan; those with memory on the host beside it (filters, sorts, windows,
# interpolation) are copied when they are recorded.
SOS = [[0.02, 0.04, 0.02, 1.0, -1.56, 0.64]]
WORK = {
    "elementwise": lambda x: gnd.multiply(gnd.sin(x), gnd.add(x, 0.5)),
    "where": lambda x: gnd.where(gnd.greater(x, 0.0), x, -1.0),
    "sum": lambda x: gnd.sum(x, (1,)),
    "std": lambda x: gnd.std(x, (0,), 0.0),
    "cumsum": lambda x: gnd.cumsum(x, (1,)),
    "sort": lambda x: gnd.sort(x, (1,), gnd.ASCENDING),
    "argsort": lambda x: gnd.argsort(x, (0,), gnd.ASCENDING),
    "partition": lambda x: gnd.partition(x, 2, (ctypes.c_int64 * 2)(7, 20), (1,)),
    "matmul": lambda x: gnd.matmul(gnd.transpose(x), x),
    "astype": lambda x: gnd.astype(x, "float64"),
    "roll": lambda x: gnd.roll(x, 3, 1),
    "concatenated": lambda x: gnd.flip(gnd.transpose(x), ()),
    "median": lambda x: gnd.median(x, (1,)),
    "linspace": lambda x: gnd.linspace(0.0, 1.0, 50, True, "float64"),
    "zeros": lambda x: gnd.zeros((5, 5), "int32"),
}


def usable(work, x):
    """The eager result; the call also makes what a library needs, such as a handle or a plan."""
    return gnd.to_numpy(work(x))


@pytest.mark.parametrize("name", WORK)
def test_what_calls_give(name):
    x = numbers(40, 30)
    want = usable(WORK[name], x)
    out = gnd.zeros(want.shape, str(want.dtype))

    def work():
        result = WORK[name](x)
        gnd.copyto(out, result)

    graph, _ = recorded(work)
    assert not gnd.to_numpy(out).any()
    for _ in range(2):
        launch(graph)
        same(out, want, 1e-6)
    # Other values in the same memory: nothing of the recording was computed with the old ones.
    gnd.multiply_into(x, x, -2.0)
    want = usable(WORK[name], x)
    launch(graph)
    same(out, want, 1e-5)
    gnd.graph_release(graph)


def test_filters_keep_their_coefficients():
    """The plan points to coefficients that the front frees when it returns."""
    sos, x = gnd.from_numpy(np.array(SOS)), numbers(4, 5000, dtype="float64")
    stream = gnd.filter_stream_sosfilt(sos, (4,), "float64")
    reference = gnd.filter_stream_sosfilt(sos, (4,), "float64")
    y = gnd.zeros((4, 5000), "float64")
    gnd.copyto(y, gnd.filter_stream_feed(stream, x)), gnd.filter_stream_feed(reference, x)
    graph, _ = recorded(lambda: gnd.copyto(y, gnd.filter_stream_feed(stream, x)))
    junk = [numbers(97) for _ in range(50)]
    for _ in range(3):
        launch(graph)
        same(y, gnd.to_numpy(gnd.filter_stream_feed(reference, x)), 1e-12)
    del junk
    gnd.graph_release(graph)
    gnd.filter_stream_release(stream), gnd.filter_stream_release(reference)


def test_generators_go_on():
    gens = [gnd.random_new(gnd.PHILOX, 5) for _ in range(2)]
    out = gnd.zeros((1001,), "float64")
    want = [gnd.to_numpy(gnd.random_normal(gens[1], 0.0, 1.0, (1001,), "float64")) for _ in range(6)]
    for i in range(2):  # the host knows of these
        same(gnd.random_normal(gens[0], 0.0, 1.0, (1001,), "float64"), want[i], 1e-12)
    graph, _ = recorded(lambda: gnd.copyto(out, gnd.random_normal(gens[0], 0.0, 1.0, (1001,), "float64")))
    for i in range(2, 5):
        launch(graph)
        same(out, want[i], 1e-12)
    same(gnd.random_normal(gens[0], 0.0, 1.0, (1001,), "float64"), want[5], 1e-12)
    gnd.graph_release(graph)
    for gen in gens:
        gnd.random_release(gen)


def test_permutations_go_on():
    gens = [gnd.random_new(gnd.PHILOX, 9) for _ in range(2)]
    want = [gnd.to_numpy(gnd.random_permutation(gens[1], 3000, 0)) for _ in range(4)]
    same(gnd.random_permutation(gens[0], 3000, 0), want[0])
    out = gnd.zeros((3000,), "int64")
    graph, _ = recorded(lambda: gnd.copyto(out, gnd.random_permutation(gens[0], 3000, 0)))
    for i in range(1, 4):
        launch(graph)
        same(out, want[i])
    gnd.graph_release(graph)
    for gen in gens:
        gnd.random_release(gen)


def test_fused_blocks_are_recorded():
    x, y = numbers(500), gnd.zeros((500,), "float32")

    def work():
        gnd.add_into(y, gnd.multiply(x, x), 1.0)

    before = gnd.fuse_always(True)
    try:
        graph, _ = recorded(work)
    finally:
        gnd.fuse_always(before)
    launch(graph)
    same(y, gnd.to_numpy(x) ** 2 + 1, 1e-6)
    gnd.graph_release(graph)


# ---- memory ------------------------------------------------------------------------------------------


def test_temporaries_belong_to_the_graph():
    """Memory that was released inside the block is written by each launch, so no other array may get it."""
    x, y = numbers(2000), gnd.zeros((2000,), "float32")

    def work():
        t = x
        for _ in range(20):
            t = gnd.add(t, 1.0)
        gnd.copyto(y, t)

    graph, _ = recorded(work)
    gc.collect()
    others = [gnd.full((2000,), 7.0, "float32") for _ in range(40)]
    launch(graph, 2)
    same(y, gnd.to_numpy(x) + 20, 1e-5)
    for other in others:
        same(other, np.full(2000, 7, "float32"))
    # Twenty temporaries of 8000 bytes took turns.
    assert 8000 <= info(graph).bytes <= 3 * 16384
    gnd.graph_release(graph)


def test_arrays_made_inside_live_on():
    x = numbers(300)
    graph, y = recorded(lambda: gnd.add(x, 1.0))
    launch(graph)
    same(y, gnd.to_numpy(x) + 1)
    gnd.multiply_into(x, x, 3.0)
    launch(graph)
    same(y, gnd.to_numpy(x) + 1)
    gnd.graph_release(graph)
    same(y, gnd.to_numpy(x) + 1)
    others = [gnd.zeros((300,), "float32") for _ in range(10)]
    same(y, gnd.to_numpy(x) + 1)
    del others


def test_inputs_live_as_long_as_the_graph():
    y = gnd.zeros((700,), "float32")
    values = RNG.standard_normal(700).astype("float32")
    x = gnd.from_numpy(values)
    graph, _ = recorded(lambda: gnd.add_into(y, x, 0.0))
    x.release()
    others = [gnd.zeros((700,), "float32") for _ in range(10)]
    launch(graph)
    same(y, values)
    del others
    gnd.graph_release(graph)


def test_released_memory_comes_back():
    def used():
        stats = gnd.STRUCTS["gnd_memory_stats"]()
        gnd.memory_stats_of(gnd.current_device(), ctypes.addressof(stats))
        return stats.in_use

    gc.collect()
    x = numbers(5000)
    before = used()
    for _ in range(3):
        graph, y = recorded(lambda: gnd.add(gnd.add(x, 1.0), 1.0))
        launch(graph)
        assert used() > before
        y.release()
        gnd.graph_release(graph)
        assert used() == before


# ---- recording again ---------------------------------------------------------------------------------


def test_other_numbers_and_arrays():
    graph = gnd.graph_new()
    x, y = [numbers(100) for _ in range(3)], [gnd.zeros((100,), "float32") for _ in range(3)]
    for i in range(3):
        with recording(graph):
            gnd.multiply_into(y[i], gnd.add(x[i], float(i)), 2.0)
        assert info(graph).updated == (i > 0)
        launch(graph)
        same(y[i], (gnd.to_numpy(x[i]) + np.float32(i)) * 2, 1e-6)
    with recording(graph):  # other calls
        gnd.negative_into(y[0], x[1])
    assert not info(graph).updated
    launch(graph)
    same(y[0], -gnd.to_numpy(x[1]))
    gnd.graph_release(graph)


# ---- what is refused ---------------------------------------------------------------------------------


def test_refusals_leave_the_program_as_it_was():
    x, y = numbers(50), gnd.zeros((50,), "float32")
    graph, _ = recorded(lambda: gnd.add_into(y, y, 1.0))
    stream = gnd.current_stream()
    host = np.zeros(50, "float32")
    cases = {
        "gnd_to_host": lambda: gnd.to_host(x, host.ctypes.data, host.nbytes),
        "gnd_from_host": lambda: gnd.from_host(host.ctypes.data, (50,), "float32"),
        "gnd_sync": gnd.sync,
        "gnd_stream_sync": lambda: gnd.stream_sync(None),
        "gnd_nonzero": lambda: gnd.nonzero(x, gnd.outputs(1)),
        "gnd_unique": lambda: gnd.unique(x, None, None),
        "gnd_event_record": lambda: gnd.event_record(event, None),
        "gnd_graph_launch": lambda: gnd.graph_launch(graph),
    }
    event = gnd.event_new(False)
    for name, work in cases.items():
        other = gnd.graph_new()
        with recording(other):
            gnd.multiply_into(y, y, 5.0)
            with pytest.raises(gnd.Error) as raised:
                work()
            assert raised.value.code == gnd.ERROR_INVALID and "GND_GRAPH" in raised.value.message, name
            assert raised.value.function == name
        gnd.graph_release(other)
        assert gnd.current_stream() == stream
    same(y, np.zeros(50, "float32"))
    launch(graph)  # the first one is as it was
    same(y, np.ones(50, "float32"))
    gnd.event_release(event)
    gnd.graph_release(graph)


def test_misuse():
    graph, other = gnd.graph_new(), gnd.graph_new()
    refused(lambda: gnd.graph_launch(graph), gnd.ERROR_INVALID, "nothing was recorded")
    refused(lambda: gnd.graph_end(graph), gnd.ERROR_INVALID, "does not record")
    with recording(graph):
        refused(lambda: gnd.graph_begin(graph), gnd.ERROR_INVALID, "already")
        refused(lambda: gnd.graph_begin(other), gnd.ERROR_INVALID, "another graph")
        refused(lambda: gnd.graph_release(graph), gnd.ERROR_INVALID, "being recorded")
        made = gnd.zeros((10,), "float32")
        problems = []

        def elsewhere():
            try:
                gnd.add(made, 1.0)
            except gnd.Error as error:
                problems.append(error)
            try:
                gnd.graph_begin(graph)
            except gnd.Error as error:
                problems.append(error)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert ["GND_GRAPH" in problems[0].message, "another thread" in problems[1].message] == [True, True]
    gnd.graph_release(graph), gnd.graph_release(other)
    gnd.graph_release(None)
    refused(lambda: gnd.graph_launch(None), gnd.ERROR_INVALID, "graph")


def test_faults_name_the_call():
    x, at = numbers(10), gnd.from_numpy(np.array([1, 99, 3]))
    y = gnd.zeros((3,), "float32")
    graph, _ = recorded(lambda: gnd.copyto(y, gnd.function("gnd_take")(x, at, (0,), gnd.RAISE)))
    launch(graph)
    refused(lambda: gnd.sync(), gnd.ERROR_INDEX, "gnd_take")
    gnd.graph_release(graph)


# ---- streams -----------------------------------------------------------------------------------------


def test_streams_are_ordered():
    """Inputs are written on one stream, the graph runs on another, results are read on a third."""
    streams = [gnd.stream_new() for _ in range(3)]
    x, y = gnd.zeros((1 << 20,), "float32"), gnd.zeros((1 << 20,), "float32")
    graph, _ = recorded(lambda: gnd.add_into(y, gnd.multiply(x, 2.0), 1.0))
    for i in range(20):
        gnd.use_stream(streams[0])
        gnd.fill(x, float(i))
        gnd.use_stream(streams[1 + i % 2])
        launch(graph)
        gnd.use_stream(streams[2 - i % 2])
        z = gnd.add(y, 0.0)
        assert float(gnd.to_numpy(z)[-1]) == 2 * i + 1
    gnd.use_stream(None)
    gnd.sync()
    gnd.graph_release(graph)
    for stream in streams:
        gnd.stream_release(stream)
