"""The benchmark's rows (bench/rows, and over many ranks bench/rows_mesh*.c), their peers' (bench/peers, peers_mesh.py)
and the bars of bench/run.py: they name the same workloads, and the peers' operands are those that the rows state."""

import ast
import inspect
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
BENCH_SOURCES = headers.ROOT / "bench"
sys.path[:0] = [str(BENCH_SOURCES), str(BENCH_SOURCES / "peers")]

import cpu_behind  # noqa: E402
import peer_runs  # noqa: E402
import peers  # noqa: E402
import peers_mesh  # noqa: E402
import run  # noqa: E402
from peers_rows import Rows  # noqa: E402

LISTED = json.loads(subprocess.run([BENCH, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout)

BENCH_MESH = BENCH.with_name("bench_mesh")
over_ranks = pytest.mark.skipif(not BENCH_MESH.exists(), reason="a build without gnd_dist")

# Constants that are no sizes: the mel scale; the range of 16 bits; calls of a batch, and microseconds.
FORMULAS = {"peers_radar.py": {2595}, "peers_samples.py": {32767, 32768}, "peers_mesh.py": {2000, 1e6}}


def make(*shape, dtype=np.float32):
    return np.full(shape, 0.75, np.float32).astype(dtype)


@pytest.fixture
def rows(monkeypatch):
    made = Rows(BENCH, np, make)
    monkeypatch.setattr(made, "listed", {
        "array": [{"dtype": "float64", "shape": [2, 3]}, {"dtype": "bool", "shape": [4]}],
        "others": [{"dtype": "int32", "shape": [5], "below": 8}, {"dtype": "float16", "shape": [], "value": 2}, 7],
        "filled": [{"dtype": "bool", "shape": [4], "below": 0.4},
                   {"dtype": "complex64", "shape": [2, 3], "centred": True},
                   {"dtype": "float64", "shape": [5], "from": -1, "to": 1}, 0.5]})
    return made


def test_operands_as_they_are_stated(rows):
    rows("array", lambda x, mask: x[0, 0] + mask.sum())
    rows("others", lambda x, two, seven: x.sum() + two + seven, lambda x, two, seven: (-x, two, seven))
    rows("filled", lambda mask, x, t, half: None)
    (x, mask), run_it = rows["array"][0](), rows["array"][1]
    assert x.dtype == np.float64 and x.shape == (2, 3) and mask.dtype == bool and mask.shape == (4,)
    assert run_it(x, mask) == 4.75
    (x, two, seven), run_it = rows["others"][0](), rows["others"][1]
    assert x.dtype == np.int32 and two.dtype == np.float16 and run_it(x, two, seven) == -6 * 5 + 2 + 7
    mask, x, t, half = rows["filled"][0]()
    assert not mask.any() and x.dtype == np.complex64 and x.shape == (2, 3) and (x == 0.25 + 0.25j).all()
    assert t.dtype == np.float64 and t.tolist() == [-1, -0.5, 0, 0.5, 1] and half == 0.5


def test_rows_that_there_are_not_are_refused(rows):
    with pytest.raises(ValueError, match="no row of gnd's"):
        rows("nothing", lambda: None)


def test_every_row_states_its_operands():
    assert all(isinstance(stated, list) for stated in LISTED.values())


def take_what_is_stated(rows):
    """Refuses rows of peers whose functions do not take as many operands as the row states."""
    for name, (prepare, run) in rows.items():
        change = inspect.getclosurevars(prepare).nonlocals["change"]
        try:
            inspect.signature(change or run).bind(*rows.listed[name])
        except TypeError as error:
            pytest.fail(f"{name}: {error}")
        except ValueError:
            pass  # of a function in C, whose signature is not known


def test_operands_that_a_peer_does_not_take_are_noticed(rows):
    rows("others", lambda x, two: None)
    with pytest.raises(pytest.fail.Exception, match="others: too many"):
        take_what_is_stated(rows)


def test_peers_have_no_sizes_of_their_own():
    """Arrays are made by peers_rows.py alone, of what rows state; over many ranks by Rows of peers_mesh.py."""
    for path in [*sorted((BENCH_SOURCES / "peers").glob("peers_*.py")), BENCH_SOURCES / "peers_mesh.py"]:
        tree = ast.parse(path.read_text())
        if path.name not in ("peers_rows.py", "peers_mesh.py"):
            assert "make" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}, path.name
        large = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)
                 and type(node.value) in (int, float) and abs(node.value) >= 1000]
        assert not set(large) - FORMULAS.get(path.name, set()), (path.name, large)


def test_numpys_rows_are_gnds():
    found, _ = peers.numpy_rows(BENCH)
    assert len(found) > 300 and not set(found) - set(LISTED)
    take_what_is_stated(found)


@pytest.mark.parametrize("library, least", [("torch", 200), ("cupy", 200), ("jax", 40)])
def test_the_other_peers_rows_are_gnds(library, least, monkeypatch):
    """Made by modules that only have every name, and never run."""
    for name in (library, "cupyx", "cupyx.scipy", "cupyx.scipy.signal", "cupyx.scipy.fft", "cupyx.signal",
                 "cupyx.scipy.linalg", "cupyx.scipy.ndimage", "torchaudio", "torchaudio.functional",
                 "jax.scipy.fft", "jax.scipy.ndimage", "jax.scipy.signal"):
        module = mock.MagicMock()
        module.__name__ = name
        monkeypatch.setitem(sys.modules, name, module)
    found, _ = getattr(peers, f"{library}_rows")(BENCH)
    assert len(found) > least and not set(found) - set(LISTED), sorted(set(found) - set(LISTED))
    take_what_is_stated(found)


@pytest.mark.parametrize("bars", ["PEER_PARTS", "TORCH_PARTS", "ROW_PARTS", "MICROSECONDS", "BARE_MORE"])
def test_bars_are_of_rows(bars):
    assert not set(getattr(run, bars)) - set(LISTED)


def test_bars_of_groups_are_of_rows():
    groups = [*run.FLOOR_BARS, *run.BARE_PARTS]
    assert not [group for group in groups if not any(name.startswith(group) for name in LISTED)]


def test_what_is_stated_shrinks_for_tests():
    small = subprocess.run([BENCH, "--list"], check=True, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "GND_BENCH_SMALL": "1"}).stdout
    assert json.loads(small)["red.sum_axis1_1e7x10"] == [{"dtype": "float32", "shape": [100000, 10]}]
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


def mesh_list(ranks, **environment):
    done = subprocess.run([BENCH_MESH, "--list", str(ranks)], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    return json.loads(done.stdout)


@over_ranks
def test_rows_over_many_ranks_state_their_operands():
    one, two = mesh_list(1), mesh_list(2)
    assert set(one) == {name for name in two if not name.endswith("@weak")} and len(two) > len(one) > 60
    name = "red.softmax_4096x1e5_across"
    assert one[name] == two[name] == [{"dtype": "float32", "shape": [4096, 100000], "split": 1}]
    assert two[name + "@weak"] == [{"dtype": "float32", "shape": [4096, 200000], "split": 1}]
    assert mesh_list(1, GND_BENCH_SMALL="1")[name] == [{"dtype": "float32", "shape": [64, 1562], "split": 1}]
    assert two["ix.gather_1e7_of_4e8@weak"][1] == {"dtype": "int64", "shape": [20000000], "split": 0, "below": 8e8}
    assert two["mm.bf16_S0xR@weak"][1] == {"dtype": "bfloat16", "shape": [16384, 16384]}
    assert two["comm.all_reduce_1GiB"] == [1 << 30] and two["comm.barrier"] == []


@over_ranks
@pytest.mark.parametrize("ranks", [1, 2])
def test_peers_over_many_ranks_take_what_is_stated(ranks, monkeypatch):
    """Made by modules that only have every name, and never run."""
    monkeypatch.setenv("GND_BENCH_MESH", str(BENCH_MESH))
    for name in ("torch", "torch.distributed", "torch.distributed.device_mesh", "torch.distributed.tensor", "jax",
                 "jax.sharding"):
        monkeypatch.setitem(sys.modules, name, mock.MagicMock())
    library = mock.MagicMock()
    found = peers_mesh.Rows(ranks, [])
    peers_mesh.torch_rows(found, library, library, library, ranks, 0)
    peers_mesh.dtensor_rows(found, library, library, ranks)
    by_torch = len(found.rows)
    peers_mesh.jax_rows(found, library, library, library)
    assert by_torch > 30 and len(found.rows) > by_torch + 20
    for name, make, array, stated in found.rows:
        inspect.signature(make).bind(*stated)
        for said in stated:
            if isinstance(said, dict):
                inspect.signature(array).bind(**said)
    with pytest.raises(ValueError, match="no row of gnd's"):
        found("nothing", None, None)


def test_a_peers_rank_makes_its_block():
    torch = mock.MagicMock()
    torch.float32.is_complex = False
    array = peers_mesh.torch_array(torch, "device", 2)
    array("float32", [6, 8], split=1)
    array("complex64", [6, 8])
    array("int64", [6], split=0, below=5)
    torch.rand.assert_called_once_with([6, 4], dtype=torch.float32, device="device")
    torch.randn.assert_called_once_with([6, 8], dtype=torch.complex64, device="device")
    torch.randint.assert_called_once_with(5, [3], dtype=torch.int64, device="device")


FAKE = """
import json, os, sys, time
after = sys.argv[2] if sys.argv[1] == "--after" else None
rows = ["fast", "endless", "deadly", "last"]
print(json.dumps({"name": "fake", "version": "1"}), flush=True)
for row in rows[rows.index(after) + 1 if after else 0:]:
    print(json.dumps({"begins": row}), flush=True)
    if row == "endless": time.sleep(1000)
    if row == "deadly": os._exit(7)
    print(json.dumps({"row": row, "took": {"us": 1}}), flush=True)
"""


def test_a_peers_row_has_a_budget(tmp_path, monkeypatch, capfd):
    (tmp_path / "peers.py").write_text(FAKE)
    monkeypatch.setattr(peer_runs, "PEERS", tmp_path / "peers.py")
    noted = []
    column = peer_runs.peer_column("fake", [], 0.5, note=lambda column: noted.append(list(column)))
    assert list(column) == ["device", "fast", "last"] and column.skipped == {"endless": "more than 0.5 s",
                                                                             "deadly": "exit 7"}
    assert noted == [["device", "fast"], ["device", "fast", "last"]]
    assert run.skipped_of({"gnd": {}, "fake": column, "none": None}) == [
        "skipped: fake: endless: more than 0.5 s", "skipped: fake: deadly: exit 7"]
    assert "fake: endless: skipped, more than 0.5 s" in capfd.readouterr().err
    (tmp_path / "peers.py").write_text("raise SystemExit(3)")
    assert peer_runs.peer_column("fake", [], 5) is None


def test_rows_by_turns():
    assert list(cpu_behind.by_turns([iter("ab"), iter(""), iter("cde")])) == list("acbde")


def cpu_behind_run(tmp_path, *arguments):
    target = tmp_path / "rows.json"
    done = subprocess.run([sys.executable, BENCH_SOURCES / "cpu_behind.py", "--library", gnd.LIBRARY, "--sizes", "100",
                           "--cores", str(min(os.sched_getaffinity(0))), "--confirm", "1", "--json", target,
                           *arguments], check=True, capture_output=True, text=True)
    return done.stdout, json.loads(target.read_text())


def test_the_rows_behind_before_come_first(tmp_path):
    (tmp_path / "first.json").write_text(json.dumps(
        [{"row": "operators.arctanh.float64", "size": 100, "ratio": 1.2},
         {"row": "operators.arctan2.float64", "size": 100, "ratio": 0.9},
         {"row": "operators.arctan.float64", "size": 7, "ratio": 2}]))
    said, rows = cpu_behind_run(tmp_path, "--first", tmp_path / "first.json", "--only", "operators.arctan",
                                "--behind", "0")
    names = [row["row"] for row in rows]
    assert names[0] == "operators.arctanh.float64" and len(set(names)) == len(names) > 20
    assert all(row["runs"] == 2 for row in rows) and "budget" not in said


def test_a_run_ends_with_its_budget(tmp_path):
    said, rows = cpu_behind_run(tmp_path, "--budget-s", "8", "--first", tmp_path / "none.json")
    assert isinstance(rows, list) and "the budget of 8 s ended before all rows were measured in the first look" in said
