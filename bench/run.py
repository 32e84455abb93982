"""Runs the benchmark: gnd, and beside it in the same run whichever peers are installed.

    run.py --build build --output out [--cpu] [--small] [--budget-s 60] [PATTERN ...]

On a machine with a GPU the rows run there, beside CuPy, PyTorch and JAX; with --cpu, or without a GPU, on
the CPU backend with one thread, beside NumPy on one thread, and again both on all cores. Writes
bench-gpu.json or bench-cpu.json and a Markdown table of the same name; prints the table, and which
rows miss their bar. On the GPU fresh processes are timed too (START_BARS), and what the first fused call
of one costs (FIRST_FUSE_BARS): both without a pattern or with the pattern `first`, the latter also with
`first_fuse` alone; and without one there is the sweep of sums (reduce_sweep.c): sweep.json, and
sweep.png where there is matplotlib (else plot_sweep.py draws it elsewhere). --small is a test that rows
run: they are small, and nothing is timed for long.

A peer's row may take --budget-s seconds, its operands and warm-up included; one that takes longer is given up and named
as skipped (peer_runs.py). The JSON is written as rows come, so that a run that is cut off leaves what it had.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from peer_runs import peer_column

BANDWIDTH = 4.3e12  # bytes a second that a plain add or copy reaches on an H200: the floors' ruler
HERE = pathlib.Path(__file__).parent
STARTS = 11
PATIENCE = 120  # seconds for a peer's first calls

# What a row may take: the best peer's time (or a part of it, or of PyTorch's), its floor times a
# factor, another row's time times a factor, or microseconds.
FLOOR_BARS = {
    **{f"red.{name}_": 1.15
       for name in ("sum", "mean", "max", "argmax", "any", "count_nonzero", "norm", "dot", "var")},
    "scan.cumsum_": 1.45,
    "rng.uniform_f32_1e8": 1.3, "rng.normal_f32_1e8": 1.9,
    "fuse.sqdiff_1e8_fused": 1.08, "fuse.hidden_1e8_fused": 1.08, "fuse.gaussian_1e8_fused": 1.35,
    **{f"fuse.{name}_1e8_compiled": 1.05 for name in ("sqdiff", "hidden", "gaussian")},
    "fuse.sqdiff_sum_1e8": 1.15,
}
PEER_PARTS = {"red.median_1e7": 0.5, "ix.mask_1e8": 0.5, "ix.nonzero_1e8": 0.7,
              "fuse.gaussian_1e8_fused": 1.2}  # interpreted: its bar is the floor's; the peers' are compiled
TORCH_PARTS = {"sort.f32_axis1_4096x4096": 0.8}
ROW_PARTS = {"sort.f32_4096sq": ("bare.cub_sort_f32_4096sq", 1.05),  # of another row of the same run
             "fft.axes01_512x512x16": ("fft.axes12_16x512x512", 1.2),
             **{f"fft.inverse_{name}": (f"fft.c2c_{name}", 1.05)
                for name in ("1d_2p24", "batch_4096x4096", "2d_4096", "3d_256")}}
MICROSECONDS = {"small.sum_1k": 5.0, "ix.histogram_1e7_100": 35.0, "ix.bincount_1e7_1000": 100.0,
                "sort.unique_axis0_1e6x10": 50000.0, "la.inv_2x6000_two_streams": 58000.0,
                "rng.integers_1e8": 260.0, "fft.small_1024": 6.0, "fuse.sqdiff_10k_fused": 5.0,
                "ndi.label_4096_p40": 150.0, "ndi.label_4096_p60": 150.0, "ndi.sum_labels_4096_200": 60.0,
                "ndi.center_of_mass_4096_200": 120.0, "ndi.distance_transform_edt_4096": 300.0,
                "ndi.distance_transform_edt_4096_disc": 300.0}
# Of the library's own call for the same work, which is the row `bare.` and the name: a factor for rows
# that start so, or microseconds on top.
BARE_PARTS = {"la.matmul": 1.02, "la.bmm": 1.02, "fft.c2c_axis0": 1.02, "graph.small_20": 1.2}
BARE_MORE = {"small.matmul_64": 1.5}
# Of a fresh process: milliseconds on top of another one.
START_BARS = {"first det ms": ("bare context, cuBLAS and cuSOLVER ms", 60.0),
              "first fft ms": ("bare context and cuFFT ms", 60.0)}
# The device's time for the first fused call of a fresh process: a factor of the bytes' floor.
FIRST_FUSE_BARS = {"sqdiff": (12e8, 1.08), "gaussian": (8e8, 1.35), "hidden": (12e8, 1.08)}
NOISE = 1.02  # two runs of the same kernel differ by this much
ONE_THREAD = {"GND_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMEXPR_NUM_THREADS": "1"}


def have_gpu():
    smi = shutil.which("nvidia-smi")
    return smi is not None and subprocess.run([smi, "-L"], stdout=subprocess.DEVNULL).returncode == 0


def run_json(command, **environment):
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{command[0]} {' '.join(map(str, command[1:]))}: exit {done.returncode}", file=sys.stderr)
    try:
        return json.loads(done.stdout)  # of a run in which a row failed: the others
    except ValueError:
        return None


class Peers:
    """The columns of a run, by name, which note(columns) is told of after each row of a peer."""

    def __init__(self, gnd, budget, note):
        self.columns, self.budget, self.note = {"gnd": gnd}, budget, note

    def add(self, name, library, patterns, **environment):
        def note(column):
            self.columns[name] = column
            self.note(self.columns)

        installed = importlib.util.find_spec(library)
        self.columns[name] = peer_column(library, patterns, self.budget, environment, note) if installed else None


def skipped_of(columns):
    """Sentences on the rows that peers did not end in time."""
    return [f"skipped: {name}: {row}: {why}" for name, column in columns.items()
            for row, why in getattr(column, "skipped", {}).items()]


def start_times(command):
    """Milliseconds from start to end of a process: the median over fresh processes."""
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def columns_gpu(build, patterns, budget, note):
    peers = Peers(run_json([build / "bench/bench", *patterns], GND_DEVICE="gpu"), budget, note)
    peers.add("cupy", "cupy", patterns)
    peers.add("torch", "torch", patterns)
    peers.add("jax", "jax", patterns)
    anchors = [pattern for pattern in patterns if pattern.startswith("anchor")]
    if anchors:  # SciPy's time stands beside what was published of it
        peers.add("scipy", "numpy", anchors, **ONE_THREAD)
    starts = {}
    if (not patterns or "first" in patterns) and (build / "bench/bare_context").exists():
        starts = {
            "bare context ms": start_times([build / "bench/bare_context"]),
            "first add ms": start_times([build / "bench/first_add"]),
            "bare context, cuBLAS and cuSOLVER ms": start_times([build / "bench/bare_libraries"]),
            "first det ms": start_times([build / "bench/first_det"]),
            "bare context and cuFFT ms": start_times([build / "bench/bare_first_fft"]),
            "first fft ms": start_times([build / "bench/first_fft"]),
        }
    return peers.columns, starts


def first_fuse(build):
    """What the first fused call of a fresh process costs, by workload and library: milliseconds of the wall, and of
    gnd's device time, of that call and of later ones. Given out as far as it is known, again and again: what was
    found stays, if the run is cut off. The peers come with empty caches of compiled code, where they compile for
    seconds (the workloads beside each other), and with full ones (one workload at a time)."""
    found = {}
    for workload in FIRST_FUSE_BARS:
        ours = [run_json([build / "bench/first_fuse", workload, kind], GND_FUSE="interpret", GND_DEVICE="gpu")
                for kind in ("wall", "device")]
        found[workload] = {"gnd": merged(*ours)}
    yield found
    for library in ("cupy", "torch"):
        if not importlib.util.find_spec(library):
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            for state, together in (("empty", True), ("full", False)):
                for workload, measured in peers_first(library, list(found), cache, together).items():
                    found[workload][f"{library}, {state} cache"] = merged(measured, None)
                yield found


def peers_first(library, workloads, cache, together):
    """By workload what first_fuse.py says of it. The processes are made ready beside each other, which takes a while,
    and are then told to begin: all at once, or one after the other."""
    running = {}
    for workload in workloads:
        places = {name: f"{cache}/{workload}/{name}" for name in ("CUPY_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR",
                                                                 "TRITON_CACHE_DIR")}
        running[workload] = subprocess.Popen([sys.executable, str(HERE / "first_fuse.py"), library, workload],
                                             text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             env={**os.environ, **places})
    found = {}
    for process in running.values():
        process.stdout.readline()  # it is ready, or dead
    begun = list(running.values()) if together else []
    for process in begun:
        tell(process)
    for workload, process in running.items():
        if not together:
            tell(process)
        try:
            said = process.communicate(timeout=PATIENCE)[0]
            found[workload] = json.loads(said.splitlines()[-1])
        except (ValueError, IndexError, subprocess.TimeoutExpired):
            print(f"first_fuse.py {library} {workload}: no result", file=sys.stderr)
            found[workload] = None
            process.kill()
    return found


def tell(process):
    try:
        process.stdin.write("begin\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it has ended; that it said nothing is seen


def merged(wall, device):
    return {f"{kind} {key}": measured[key] for kind, measured in (("wall", wall), ("device", device)) if measured
            for key in ("first_ms", "again_ms", "compiled_ms") if key in measured}


def first_fuse_table(found):
    if not found:
        return ""
    names = list(next(iter(found.values())))
    lines = ["\n| first fused call of a process, ms | " + " | ".join(names) + " |",
             "|---" + "|---:" * len(names) + "|"]
    for workload, columns in found.items():
        for key in [f"{kind} {key}_ms" for kind in ("wall", "device") for key in ("first", "again", "compiled")]:
            cells = [f"{columns[n][key]:,.3f}" if key in columns.get(n, {}) else "" for n in names]
            lines.append(f"| {workload}, {key.removesuffix('_ms')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def first_fuse_misses(found):
    sentences = []
    for workload, columns in found.items():
        most, factor = FIRST_FUSE_BARS[workload]
        floor, took = 1e3 * most / BANDWIDTH, columns["gnd"].get("device first_ms", float("inf"))
        if took > factor * floor:
            sentences.append(f"first call, {workload}: {took / floor:.2f} of its floor, bar {factor}")
    return sentences


def groups(build):
    """The beginnings of rows' names, but for those of transfers, of CUDA alone, and of cuSignal's notebooks, of which
    SciPy takes minutes."""
    names = run_json([build / "bench/bench", "--list"])
    return [group for group in dict.fromkeys(name.split(".")[0] + "." for name in names)
            if group not in ("xfer.", "bare.", "anchor.")]


def columns_cpu(build, patterns, budget, note):
    patterns = patterns or groups(build)
    linear = [pattern for pattern in patterns if pattern.startswith("la.")]  # NumPy's only rows with threads
    fused = [pattern for pattern in patterns if pattern.startswith("fuse.")]  # numexpr's only rows
    bench = [build / "bench/bench", *patterns]
    peers = Peers(run_json(bench, GND_DEVICE="cpu", **ONE_THREAD), budget, note)
    peers.add("numpy", "numpy", patterns, **ONE_THREAD)
    if fused:
        peers.add("numexpr", "numexpr", fused, **ONE_THREAD)
    peers.columns["gnd, all cores"] = run_json(bench, GND_DEVICE="cpu")
    if linear:
        peers.add("numpy, all cores", "numpy", linear)
    if fused:
        peers.add("numexpr, all cores", "numexpr", fused)
    return peers.columns, {}


def rivals_of(columns):
    """The peers that the column "gnd" is held against: on one thread, if it is on the CPU."""
    return [name for name, column in columns.items() if column and not name.startswith("gnd") and "," not in name]


def table(columns, starts, with_floor):
    names = [name for name, column in columns.items() if column]
    rivals = rivals_of(columns)
    rows = [r for r in columns["gnd"] if r != "device"]
    head = ["workload", *(["floor us"] if with_floor else []), *[f"{n} us" for n in names], "to best peer"]
    head += ["to floor"] if with_floor else []
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for row in rows:
        ours = columns["gnd"][row]
        floor = 1e6 * ours.get("bytes", 0) / BANDWIDTH
        peers = [columns[n][row]["us"] for n in rivals if row in columns[n]]
        cells = [row] + ([f"{floor:.1f}" if floor else ""] if with_floor else [])
        cells += [f"{columns[n][row]['us']:,.2f}" if row in columns[n] else "" for n in names]
        cells.append(f"{ours['us'] / min(peers):.2f}" if peers else "")
        cells += [f"{ours['us'] / floor:.2f}" if floor else ""] if with_floor else []
        lines.append("| " + " | ".join(cells) + " |")
    lines += [f"\n{name}: {value:.1f} (median of {STARTS} fresh processes)" for name, value in starts.items()]
    return "\n".join(lines)


def published_table(columns):
    """The rows that cuSignal's notebooks and slides have, in this run and as they were published: milliseconds."""
    rows = json.loads((HERE / "published.json").read_text())["rows"]
    names = [name for name, column in columns.items() if column]
    lines = []
    for row in [r for r in columns["gnd"] if r in rows]:
        cells = [f"{columns[n][row]['us'] / 1e3:,.3f}" if row in columns[n] else "" for n in names]
        said = [", ".join(f"{who} {ms:,g}" for who, ms in entry.items() if who != "source") + f" ({entry['source']})"
                for entry in rows[row]]
        lines.append("| " + " | ".join([row, *cells, "; ".join(said)]) + " |")
    if not lines:
        return ""
    head = ["| " + " | ".join(["milliseconds", *names, "published"]) + " |", "|---" + "|---:" * len(names) + "|---|"]
    return "\n" + "\n".join(head + lines) + "\n"


def misses(columns, gpu):
    """The rows that miss a bar, as sentences."""
    names = rivals_of(columns)
    found = []
    for row, ours in columns["gnd"].items():
        if row == "device":
            continue
        peers = [columns[n][row]["us"] for n in names if row in columns[n]]
        part = PEER_PARTS.get(row, 1) if gpu else 1
        if peers and ours["us"] > part * min(peers) * NOISE:
            bar = "the best peer" if part == 1 else f"{part} of the best peer"
            found.append(f"{row}: {ours['us'] / min(peers):.2f} of the best peer's time, bar {bar}")
        if not gpu:
            found += all_cores_miss(columns, row)
            continue
        floor = 1e6 * ours.get("bytes", 0) / BANDWIDTH
        factor = next((f for start, f in FLOOR_BARS.items() if row.startswith(start)), None)
        if factor and floor and ours["us"] > factor * floor:
            found.append(f"{row}: {ours['us'] / floor:.2f} of its floor, bar {factor}")
        if row in TORCH_PARTS and row in (columns["torch"] or {}):
            part = ours["us"] / columns["torch"][row]["us"]
            if part > TORCH_PARTS[row]:
                found.append(f"{row}: {part:.2f} of PyTorch's time, bar {TORCH_PARTS[row]}")
        other, factor = ROW_PARTS.get(row, (None, 0))
        if other in columns["gnd"] and ours["us"] > factor * columns["gnd"][other]["us"]:
            found.append(f"{row}: {ours['us'] / columns['gnd'][other]['us']:.2f} of {other}, bar {factor}")
        if ours["us"] > MICROSECONDS.get(row, float("inf")):
            found.append(f"{row}: {ours['us']:.2f} us, bar {MICROSECONDS[row]}")
        found += bare_miss(columns["gnd"], row)
    return found


def all_cores_miss(columns, row):
    """Whether the row on all cores loses to a peer on all cores."""
    ours = (columns.get("gnd, all cores") or {}).get(row)
    found = []
    for name in ("numpy", "numexpr"):
        theirs = (columns.get(f"{name}, all cores") or {}).get(row)
        if ours and theirs and ours["us"] > NOISE * theirs["us"]:
            found.append(f"{row}: {ours['us'] / theirs['us']:.2f} of {name}'s time, both on all cores")
    return found


def bare_miss(gnd, row):
    """Whether the row costs more than it may beside the library's own call."""
    if f"bare.{row}" not in gnd:
        return []
    ours, bare = gnd[row]["us"], gnd[f"bare.{row}"]["us"]
    factor = next((f for start, f in BARE_PARTS.items() if row.startswith(start)), None)
    if factor and ours > factor * bare:
        return [f"{row}: {ours / bare:.3f} of the library's own call, bar {factor}"]
    if ours > bare + BARE_MORE.get(row, float("inf")):
        return [f"{row}: {ours - bare:.2f} us more than the library's own call, bar {BARE_MORE[row]}"]
    return []


def start_misses(starts):
    return [f"{name}: {starts[name] - starts[other]:.1f} ms more than {other}, bar {most}"
            for name, (other, most) in START_BARS.items()
            if name in starts and starts[name] > starts[other] + most]


def sweep(build, output):
    """The sweep of sums, as JSON, and as a picture where there is matplotlib."""
    target = output / "sweep.json"
    done = subprocess.run([build / "bench/reduce_sweep", "--json", target, "sweep"],
                          env={**os.environ, "GND_DEVICE": "gpu"}, stdout=subprocess.PIPE, text=True)
    (output / "sweep.txt").write_text(done.stdout)
    print("".join(line + "\n" for line in done.stdout.splitlines() if "worst" in line or "WRONG" in line))
    if subprocess.run([sys.executable, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0:
        subprocess.run([sys.executable, HERE / "plot_sweep.py", target, output / "sweep.png"])


def write(path, record, text):
    path.with_suffix(".json").write_text(json.dumps(record, indent=1))
    path.with_suffix(".md").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"))
    parser.add_argument("--cpu", action="store_true", help="the CPU backend, also where there is a GPU")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="rows whose name contains one of these")
    parser.add_argument("--small", action="store_true", help="a test that rows run, hardly timed")
    parser.add_argument("--budget-s", type=float, default=60, help="seconds that a peer's row may take")
    options = parser.parse_args()
    if options.small:
        os.environ["GND_BENCH_SMALL"] = "1"
    build = options.build.resolve()
    os.environ["GND_BENCH"] = str(build / "bench/bench")  # for peers.py

    gpu = not options.cpu and have_gpu()
    kind = "gpu" if gpu else "cpu"
    date = datetime.date.today().isoformat()
    options.output.mkdir(parents=True, exist_ok=True)
    target = (options.output / f"bench-{kind}").with_suffix(".json")

    def note(columns):
        target.write_text(json.dumps({"date": date, "columns": columns}, indent=1))

    columns, starts = (columns_gpu if gpu else columns_cpu)(build, options.patterns, options.budget_s, note)
    if not columns["gnd"]:
        sys.exit("run.py: gnd's own benchmark failed")
    title = f"{date}, {columns['gnd']['device']['name']}"
    versions = ", ".join(
        f"{c['device']['name'] if n != 'gnd' else 'gnd'} {c['device']['version']}"
        for n, c in columns.items()
        if c and "," not in n
    )
    skipped = "".join(f"\n{sentence}" for sentence in skipped_of(columns))
    found = f"{title}; {versions}\n\n{table(columns, starts, gpu)}{skipped}\n{published_table(columns)}"
    record = {"date": date, "columns": columns, "starts": starts,
              "skipped": {name: getattr(column, "skipped", {}) for name, column in columns.items()}}
    print(found, flush=True)
    write(options.output / f"bench-{kind}", record, found)
    asked = not options.patterns or bool({"first", "first_fuse"} & set(options.patterns))
    firsts = {}
    if gpu and asked and not options.small and (build / "bench/first_fuse").exists():
        for firsts in first_fuse(build):
            write(options.output / f"bench-{kind}", {**record, "first_fuse": firsts}, found + first_fuse_table(firsts))
        print(first_fuse_table(firsts), flush=True)
    for sentence in misses(columns, gpu) + start_misses(starts) + first_fuse_misses(firsts):
        print(f"misses: {sentence}")
    if gpu and not options.patterns and (build / "bench/reduce_sweep").exists():
        sweep(build, options.output)


if __name__ == "__main__":
    sys.exit(main())
