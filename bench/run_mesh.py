"""Runs the benchmark over many ranks: gnd on 1, 2, 4 ... GPUs of this machine, and beside it in the same run the peers.

    ./dev bench --mesh [--ranks N] [--each] [--small] [--cpu] [PATTERN ...]

gnd runs on each number of GPUs that is a power of two, up to N (all of them); PyTorch (calls of NCCL by hand, and
DTensor) and JAX, where they are installed, on N, or with --each on every number too. Processes start by
tools/launch_ranks.py, which finds NCCL and keeps its NVLS off (NCCL_NVLS_ENABLE=0). --cpu: gnd over MPI, on the CPU.
Writes bench-mesh.json and a table, bench-mesh.md, of strong scaling (gain: of N ranks over one), weak scaling ("@weak":
one rank's time over that of N ranks with as much each), and communication beside bare loops of NCCL.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

import launch_ranks  # noqa: E402

# Bars on two H200s: a speed-up over one GPU, microseconds, a factor of the best peer's time, or of NCCL's own loop.
SPEED_UPS = {"ew.add": 1.97, "rng.normal": 1.97, "red.meanvar": 1.85, "mm.f32": 1.95, "mm.bf16": 1.95, "stencil": 1.95}
MICROSECONDS = {"red.sum_f32_2e8": 108, "red.sum_axis0": 110, "red.sum_axis1": 110, "stencil": 150_000,
                "fft.c64_2d_16384_back": 5200, "fft.c64_2d_16384": 3000, "fft.c64_3d": 1800, "resh.S0toS1": 4300,
                "sort.f32_4e8": 9500, "scan.cumsum": 750, "hist.histogram256": 450, "ix.gather": 350,
                "red.softmax": 750}
BARE = {"comm.all_reduce_1KiB": 1.3, **{f"comm.{name}_{size}": 1 / 0.95 for name in ("all_gather", "all_to_all")
                                        for size in ("64MiB", "128MiB", "1GiB")}}


def run(command, **environment):
    """The JSON object that the command prints; what it says else goes on to standard error."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        print(f"{' '.join(map(str, command))}: exit {done.returncode}", file=sys.stderr)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {}


def visible(ranks):
    """So many GPUs: for a library that takes all it sees."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return ",".join((given.split(",") if given else [str(k) for k in range(ranks)])[:ranks])


def gnd(build, ranks, patterns, cpu):
    if cpu:
        program, launcher = "bench_mesh_mpi", ["mpirun", "-n", ranks, "--oversubscribe"]
        return run([*launcher, build / "bench" / program, *patterns], GND_DEVICE="cpu", GND_NUM_THREADS="1",
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    launcher = [sys.executable, launch_ranks.__file__, "-n", ranks]
    return run([*launcher, build / "bench" / "bench_mesh", *patterns], GND_DEVICE="gpu")


def peers(build, ranks, patterns):
    columns, program = {}, str(build / "bench" / "bench_mesh")
    if importlib.util.find_spec("torch"):
        launcher = [sys.executable, launch_ranks.__file__, "-n", ranks]
        columns["torch"] = run([*launcher, sys.executable, HERE / "peers_mesh.py", "torch", *patterns],
                               GND_BENCH_MESH=program)
        marked = {name: row for name, row in columns["torch"].items() if name.startswith("dtensor:")}
        columns["dtensor"] = {name.removeprefix("dtensor:"): row for name, row in marked.items()}
        columns["torch"] = {name: row for name, row in columns["torch"].items() if name not in marked}
    if importlib.util.find_spec("jax"):
        columns["jax"] = run([sys.executable, HERE / "peers_mesh.py", "jax", *patterns], GND_BENCH_MESH=program,
                             NCCL_NVLS_ENABLE="0", CUDA_VISIBLE_DEVICES=visible(ranks),
                             XLA_PYTHON_CLIENT_PREALLOCATE="false")
    return columns


def us(column, name):
    return column.get(name, {}).get("us")


def first_of(table, name):
    return next((value for start, value in table.items() if name.startswith(start)), None)


def missed(name, ranks, time, gain, best, bare):
    """The bars that a row on two GPUs misses, in words."""
    if ranks != 2 or "@" in name:
        return ""
    found = []
    if gain and first_of(SPEED_UPS, name) and gain < first_of(SPEED_UPS, name):
        found.append(f"{first_of(SPEED_UPS, name)} times one GPU")
    if first_of(MICROSECONDS, name) and time > first_of(MICROSECONDS, name):
        found.append(f"{first_of(MICROSECONDS, name)} us")
    if bare and BARE.get(name) and time > bare * BARE[name]:
        found.append(f"{BARE[name]:.2f} of NCCL's loop")
    if best and name.startswith("mm.") and time > best:
        found.append("the best peer")
    return "misses " + ", ".join(found) if found else ""


def table(results, ranks, cpu):
    """Rows of Markdown: strong and weak scaling on `ranks` GPUs."""
    ours, alone, others = results["gnd"][str(ranks)], results["gnd"].get("1", {}), results["peers"].get(str(ranks), {})
    head = ["row", "gnd 1", f"gnd {ranks}", "gain", *others, "to best peer", "to bare NCCL", ""]
    shown = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (5 + len(others)) + "---|"]
    cell = lambda value, digits=1: f"{value:,.{digits}f}" if value is not None else ""  # noqa: E731
    for name in ours:
        if name == "mesh" or name.startswith("bare."):
            continue
        time, one = us(ours, name), us(alone, name.removesuffix("@weak"))
        theirs = [us(column, name) for column in others.values()]
        best = min((t for t in theirs if t), default=None)
        bare = us(ours, name.replace("comm.", "bare.")) if name.startswith("comm.") else None
        gain = one / time if one else None
        ratios = [cell(time / best, 2) if best else "", cell(time / bare, 2) if bare else ""]
        shown.append("| " + " | ".join([name, cell(one), cell(time), cell(gain, 2), *map(cell, theirs), *ratios,
                                        missed(name, 0 if cpu else ranks, time, gain, best, bare)]) + " |")
    return shown


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"))
    parser.add_argument("--ranks", type=int)
    for flag in ("--each", "--small", "--cpu"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("patterns", nargs="*")
    given = parser.parse_args()
    if given.small:
        os.environ["GND_BENCH_SMALL"] = "1"
    most = given.ranks or (2 if given.cpu else launch_ranks.gpus())
    counts = [n for n in (1, 2, 4, 8, 16) if n <= most]
    if not counts:
        sys.exit("run_mesh.py: there is no GPU; --cpu runs over MPI")
    results = {"date": datetime.date.today().isoformat(), "gnd": {}, "peers": {}}
    given.output.mkdir(parents=True, exist_ok=True)
    lines = []
    for n in counts:
        results["gnd"][str(n)] = gnd(given.build, n, given.patterns, given.cpu)
        if not given.cpu and n > 1 and (given.each or n == counts[-1]):
            results["peers"][str(n)] = peers(given.build, n, given.patterns)
        # After each number of ranks: what was found stays, if the run is cut off.
        (given.output / "bench-mesh.json").write_text(json.dumps(results, indent=1))
        if n > 1 or n == counts[-1]:
            about = [column["mesh"] for column in [results["gnd"][str(n)], *results["peers"].get(str(n), {}).values()]
                     if "mesh" in column]
            lines += [f"{n} ranks, {about[0]['device'] if about else '?'}; versions: "
                      f"{', '.join(entry['version'] for entry in about)}. Microseconds.", ""]
            lines += [*table(results, n, given.cpu), ""]
            (given.output / "bench-mesh.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
