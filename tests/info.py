"""Checks what gnd-info tells, in both of its forms, on this machine:  info.py PROGRAM

Whether something is there is asked of the system beside it: threads, the compiler, and libraries that are
taken away by GND_WITHOUT.
"""

import json
import os
import shutil
import subprocess
import sys

PROGRAM = sys.argv[1]


def run(*arguments, **environment):
    """Exit status, stdout and stderr, with these variables set (None: not set)."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GND_")}
    variables.update({k: v for k, v in environment.items() if v is not None})
    for name in [k for k, v in environment.items() if v is None]:
        variables.pop(name, None)
    done = subprocess.run([PROGRAM, *arguments], env=variables, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def facts(**environment):
    status, out, err = run("--json", **environment)
    assert status == 0 and not err, (status, err)
    return json.loads(out)


def check_text():
    status, out, err = run(GND_NUM_THREADS="1", GND_WITHOUT="FFTW,OpenBLAS")
    assert status == 0 and not err, (status, err)
    assert out.startswith("gnd ") and "Devices (programs start on " in out, out
    for words in ("built with", "CPU kernels", "1 thread in use", "Libraries, opened",
                  "GND_WITHOUT in the environment forbids it; it comes with FFTW",
                  "(Debian: libfftw3-double3)", "Environment", "GND_NUM_THREADS=1"):
        assert words in out, f"{words!r} is not in\n{out}"


def check_options():
    status, out, _ = run("--version")
    assert status == 0 and out.startswith("gnd-info (gnd) "), out
    status, out, _ = run("--help")
    assert status == 0 and "--json" in out, out
    status, out, err = run("--nonsense")
    assert status == 2 and not out and "nonsense" in err, (status, err)
    status, out, err = run("cuBLAS")
    assert status == 2 and not out and '"cuBLAS"' in err, (status, err)
    # A text that cannot be written is no success.
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            assert subprocess.run([PROGRAM], stdout=full).returncode == 1


def check_json():
    known = facts(CXX=None)
    assert known["version"] and known["library"].endswith(tuple("0123456789so")), known["library"]
    assert known["build"]["compiler"] and "baseline" in known["build"]["cpu_sets"]
    assert (known["build"]["cuda"] is None) == (known["build"]["gpu_architectures"] == [])
    cpu = known["devices"][0]
    assert cpu["kind"] == "cpu" and 1 <= cpu["cores"] <= os.cpu_count() and cpu["memory_bytes"] > 1 << 28
    assert cpu["instruction_set"] in known["build"]["cpu_sets"]
    gpus = known["devices"][1:]
    assert (known["no_gpu"] is None) == bool(gpus)
    for gpu in gpus:
        assert gpu["compute_capability"] and gpu["driver_cuda"] >= 12000 and gpu["bandwidth"] > 1e11

    libraries = {library["name"]: library for library in known["libraries"]}
    for library in libraries.values():
        assert library["purpose"] and library["package"], library
        if library["found"]:
            assert library["problem"] is None and os.path.exists(library["path"]), library
        else:
            assert library["problem"] and library["path"] is None, library
    compiler = next((p for p in map(shutil.which, ("c++", "g++", "clang++")) if p), None)
    assert libraries["C++ compiler"]["path"] == compiler

    without = facts(GND_WITHOUT=",".join(libraries), GND_NUM_THREADS="3", GND_DEVICE="cpu", CXX="none-such -O3")
    assert not any(library["found"] for library in without["libraries"])
    assert without["libraries"][-1]["problem"] == "CXX is none-such -O3, which is no program here"
    assert without["devices"][0]["threads"] == 3 and without["first_device"] == "cpu"
    assert "GND_DEVICE=cpu" in without["environment"]


check_text()
check_options()
if os.environ.get("CI") or "needs cJSON" not in run("--json")[2]:
    check_json()
