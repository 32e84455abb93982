"""The tests of the Python package: `gnd` is the package of this folder, its library GND_LIBRARY or the newest build."""

import gc
import os
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
sys.path.insert(0, str(PACKAGE))
sys.path += [str(ROOT / "tools" / "bindings"), str(ROOT / "tests" / "oracle")]  # whose gnd.py is not meant here

import python as tables  # noqa: E402

tables.write(PACKAGE / "gnd")
if "GND_LIBRARY" not in os.environ:
    built = sorted(ROOT.glob("build*/src/libgnd.so"), key=lambda p: p.stat().st_mtime)
    if built:
        os.environ["GND_LIBRARY"] = str(built[-1])

import gnd  # noqa: E402


def pytest_report_header():
    return f"gnd {gnd.__version__} on {gnd.current_device()}: {gnd.__file__}"


@pytest.fixture(autouse=True)
def no_leak(request):
    """Every test releases what it made."""
    before = gnd.live_arrays()
    yield
    if gnd.live_arrays() > before:
        gc.collect()
    if not request.session.testsfailed:
        assert gnd.live_arrays() <= before, "arrays were never released"
