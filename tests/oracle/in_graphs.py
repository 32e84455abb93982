"""Runs any test of the oracle through graphs: each public call is recorded and launched once, instead of run.

    PYTHONPATH=tests/oracle pytest -p in_graphs -p no:xdist -k "not memory and not allocation and not fused" \
        tests/oracle/TOPIC

What a call leaves on the stack or frees when it returns is gone by the launch, so a plan that still points there gives
wrong results. Calls that a graph refuses are run as they are. The summary says how many were recorded, and which were
refused. Tests that count allocations or launches are left out: a call is made twice where it is refused.
"""

import ctypes
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import gnd  # noqa: E402

# Calls with a state on the host, or about streams and memory: run as they are.
PLAIN = ("graph", "stream_", "use", "event", "release", "keep", "scope", "error", "sync", "current", "random", "fuse",
         "memory", "to_host", "from_host", "item", "device", "kernel", "module", "native", "ipc")
library, numbers, refusals = gnd.lib, Counter(), Counter()
library.gnd_graph_new.restype = ctypes.c_void_p
for part in ("begin", "end", "launch", "release"):
    getattr(library, f"gnd_graph_{part}").argtypes = [ctypes.c_void_p]
library.gnd_error.restype = ctypes.c_void_p


class Recorded:
    """A function of the library that is recorded and launched."""

    inside = False

    def __init__(self, raw, name):
        self.__dict__.update(raw=raw, name=name)

    def __setattr__(self, name, value):
        setattr(self.raw, name, value)

    def __call__(self, *arguments):
        if Recorded.inside or library.gnd_error():  # called by a callback, or about to be refused
            return self.raw(*arguments)
        graph = library.gnd_graph_new()
        library.gnd_graph_begin(graph)
        Recorded.inside = True
        result = self.raw(*arguments)
        Recorded.inside = False
        failed = library.gnd_graph_end(graph)
        if not failed:
            library.gnd_graph_launch(graph)
        error = gnd.pending_error() if failed else None
        library.gnd_graph_release(graph)
        if not failed:
            numbers["recorded"] += 1
            return result
        if "GND_GRAPH" in error.message:
            refusals[self.name] += 1
        numbers["refused" if "GND_GRAPH" in error.message else "failed"] += 1
        return self.raw(*arguments)


class Library:
    def __getattr__(self, name):
        raw = getattr(library, name)
        return Recorded(raw, name) if name.startswith("gnd_") and not any(w in name for w in PLAIN) else raw


gnd.lib = Library()


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"calls: {dict(numbers)}; refused: {dict(refusals.most_common(40))}")
