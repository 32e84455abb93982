"""Graphs of what gnd submits to a stream: gnd's own, on both devices, and CUDA's, made by the driver's own calls
(libcuda)."""

import contextlib
import ctypes
import gc

import gnd


def driver(name, *arguments):
    cuda = ctypes.CDLL("libcuda.so.1")
    status = getattr(cuda, name)(*arguments)
    assert status == 0, f"{name}: CUresult {status}"


@contextlib.contextmanager
def recording(graph):
    """GND_GRAPH; an error inside is raised after the end of the recording."""
    gc.disable()  # other graphs must not end in the midst of it
    try:
        gnd.graph_begin(graph)
        try:
            yield
        finally:
            gnd.graph_end(graph)
    finally:
        gc.enable()


def recorded(work):
    """A graph of gnd's of what `work` submits, and what that returned."""
    graph = gnd.graph_new()
    with recording(graph):
        results = work()
    return graph, results


@contextlib.contextmanager
def own_stream():
    """A stream of one's own, current inside, with all work on it done at the end."""
    stream = gnd.stream_new()
    gnd.use_stream(stream)
    try:
        yield ctypes.c_void_p(gnd.stream_native(stream))
    finally:
        gnd.sync()
        gnd.use_stream(None)
        gnd.stream_release(stream)


class Graph:
    """What `work` submits to the stream, to be launched again and again."""

    def __init__(self, native, work):
        self.native, self.run, graph = native, ctypes.c_void_p(), ctypes.c_void_p()
        gc.disable()  # other graphs, and what generators hold, must not end in the midst of a capture
        driver("cuStreamBeginCapture_v2", native, 1)  # of this thread
        try:
            work()
        finally:
            driver("cuStreamEndCapture", native, ctypes.byref(graph))
            gc.enable()
        driver("cuGraphInstantiateWithFlags", ctypes.byref(self.run), graph, ctypes.c_ulonglong(0))
        driver("cuGraphDestroy", graph)

    def launch(self):
        driver("cuGraphLaunch", self.run, self.native)

    def __del__(self):
        if self.run:
            driver("cuGraphExecDestroy", self.run)
