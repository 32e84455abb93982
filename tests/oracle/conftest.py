"""Settings shared by the oracle tests: the device, hypothesis profiles, and a check for leaks."""

import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Every test finds the binding and the tables here, and the tests of other topics.
FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), *(str(topic) for topic in sorted(FOLDER.iterdir()) if topic.is_dir())]

import gnd  # noqa: E402

_common = dict(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
settings.register_profile("ci", max_examples=32, derandomize=True, database=None, **_common)
settings.register_profile("more", max_examples=400, **_common)
settings.register_profile("deep", max_examples=3000, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


failed = pytest.StashKey[bool]()


def on_gpu():
    return gnd.current_device().kind == gnd.GPU


def report_crashes():
    """A signal that ends this process writes its native stack to stderr (crash_stack.c)."""
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "crash_stack.so")
        done = subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, FOLDER / "crash_stack.c"])
        if done.returncode == 0:
            ctypes.CDLL(library).crash_stack_install()


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu_only: needs a GPU (much memory, or several streams)")


def pytest_sessionstart(session):
    """Later than pytest's own faulthandler, which then runs second."""
    if hasattr(session.config, "workerinput"):
        report_crashes()


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("gpu_only") and not on_gpu():
            item.add_marker(pytest.mark.skip(reason="only on a GPU"))


def pytest_collection_finish():
    """The 20,000 tests themselves stay: those that collect garbage need not look through them."""
    gc.collect()
    gc.freeze()


def pytest_report_header():
    device = gnd.device_name(gnd.current_device())
    return f"gnd {gnd.version()} on {device}: {gnd.LIBRARY}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        item.stash[failed] = report.failed
    return report


@pytest.fixture(autouse=True)
def numbers_of_its_own(request):
    """What a test draws from its module's generator `g` does not depend on the tests before it."""
    if hasattr(request.module, "g"):
        request.module.g = np.random.default_rng(zlib.crc32(request.node.name.encode()))


def pytest_runtest_logstart(nodeid):
    """With GND_TESTS_LOG=FOLDER each process lists its tests there, in their order: what a process of many ran before
    a failure is not known otherwise."""
    folder, worker = os.environ.get("GND_TESTS_LOG"), os.environ.get("PYTEST_XDIST_WORKER", "main")
    if folder:
        with open(Path(folder) / worker, "a") as log:
            print(nodeid, file=log)


def gpu_failure():
    """CUDA's status once all work of the process is done, on all streams: 0 if that went well."""
    not_there = (3, 201)  # nothing of CUDA's was used yet, or not by this thread
    status = ctypes.CDLL("libcuda.so.1").cuCtxSynchronize() if on_gpu() else 0
    return 0 if status in not_there else status


@pytest.fixture(autouse=True)
def no_leak_and_no_error_left(request):
    """Every test releases what it made (the arrays die with their Python objects), and leaves a GPU that works."""
    before = gnd.live_arrays()
    yield
    status = 0 if request.node.stash.get(failed, False) else gpu_failure()
    assert status == 0, f"the GPU failed in this test's work: CUresult {status}"
    error = gnd.pending_error()
    if request.node.stash.get(failed, False):
        return  # its traceback keeps arrays alive
    assert error is None, f"the test left an error: {error}"
    if gnd.live_arrays() > before:
        gc.collect()
        assert gnd.live_arrays() <= before, "arrays were never released"
