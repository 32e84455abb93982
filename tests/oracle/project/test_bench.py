"""The benchmark's rows (bench/rows*.c), their peers' (bench/peers*.py) and the bars of bench/run.py: they name the same
workloads, and the peers' operands are those that the rows state."""

import json
import os
import pathlib
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest

import gnd
import headers

BENCH = pathlib.Path(gnd.LIBRARY).resolve().parents[1] / "bench" / "bench"
if not BENCH.exists():
    pytest.skip("the library is not in a build folder with the benchmark", allow_module_level=True)
sys.path.insert(0, str(headers.ROOT / "bench"))

import peers  # noqa: E402
import run  # noqa: E402
from peers_rows import Rows  # noqa: E402

LISTED = json.loads(subprocess.run([BENCH, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout)


def make(*shape, dtype=np.float32):
    return np.full(shape, 0.75, np.float32).astype(dtype)


@pytest.fixture
def rows(monkeypatch):
    made = Rows(BENCH, np, make)
    monkeypatch.setattr(made, "listed", {
        "array": [{"dtype": "float64", "shape": [2, 3]}, {"dtype": "bool", "shape": [4]}],
        "others": [{"dtype": "int32", "shape": [5], "below": 8}, {"dtype": "float16", "shape": [], "value": 2}, 7],
        "own": None})
    return made


def test_operands_as_they_are_stated(rows):
    rows.same("array", lambda x, mask: x[0, 0] + mask.sum())
    rows.same("others", lambda x, two, seven: x.sum() + two + seven, lambda x, two, seven: (-x, two, seven))
    (x, mask), run_it = rows["array"][0](), rows["array"][1]
    assert x.dtype == np.float64 and x.shape == (2, 3) and mask.dtype == bool and mask.shape == (4,)
    assert run_it(x, mask) == 4.75
    (x, two, seven), run_it = rows["others"][0](), rows["others"][1]
    assert x.dtype == np.int32 and two.dtype == np.float16 and run_it(x, two, seven) == -6 * 5 + 2 + 7


def test_rows_that_there_are_not_are_refused(rows):
    with pytest.raises(ValueError, match="state no operands"):
        rows.same("own", lambda: None)
    with pytest.raises(KeyError):
        rows.same("nothing", lambda: None)
    with pytest.raises(ValueError, match="no row of gnd's"):
        rows("nothing", lambda: (), lambda: None)
    rows("own", lambda: (1,), lambda x: x)
    assert rows["own"][0]() == (1,)


def test_numpys_rows_are_gnds():
    found, _ = peers.numpy_rows(BENCH)
    assert len(found) > 300 and not set(found) - set(LISTED)


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_the_other_peers_rows_are_gnds(library, monkeypatch):
    """Made by modules that only have every name, and never run."""
    for name in (library, "cupyx", "cupyx.scipy", "cupyx.scipy.signal", "cupyx.scipy.fft", "cupyx.signal",
                 "cupyx.scipy.linalg", "cupyx.scipy.ndimage", "torchaudio", "torchaudio.functional"):
        module = mock.MagicMock()
        module.__name__ = name
        monkeypatch.setitem(sys.modules, name, module)
    found, _ = getattr(peers, f"{library}_rows")(BENCH)
    assert len(found) > 200 and not set(found) - set(LISTED), sorted(set(found) - set(LISTED))


@pytest.mark.parametrize("bars", ["PEER_PARTS", "TORCH_PARTS", "ROW_PARTS", "MICROSECONDS", "BARE_MORE"])
def test_bars_are_of_rows(bars):
    assert not set(getattr(run, bars)) - set(LISTED)


def test_bars_of_groups_are_of_rows():
    groups = [*run.FLOOR_BARS, *run.BARE_PARTS]
    assert not [group for group in groups if not any(name.startswith(group) for name in LISTED)]


def test_what_is_stated_shrinks_for_tests():
    small = subprocess.run([BENCH, "--list"], check=True, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "GND_BENCH_SMALL": "1"}).stdout
    assert json.loads(small)["red.sum_axis1_1e7x10"] == [{"dtype": "float32", "shape": [312500, 10]}]
    assert LISTED["red.sum_axis1_1e7x10"] == [{"dtype": "float32", "shape": [10000000, 10]}]
    assert LISTED["sort.i32_4096sq"] == [{"dtype": "int32", "shape": [1 << 24], "below": 1 << 31}]
    assert LISTED["join.tile_1e4_x1e4"] == [{"dtype": "float32", "shape": [10000]}, 10000]


def test_rows_run():
    """The ones whose operands are stated in every way, small."""
    patterns = ["red.any_", "red.sum_where", "ix.put", "join.tile", "sort.interp", "ew.strided"]
    done = subprocess.run([BENCH, *patterns], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "GND_BENCH_SMALL": "1"})
    found = json.loads(done.stdout)
    assert len(found) > len(patterns) and all(found[name]["us"] > 0 for name in found if name != "device")
