"""examples/interop/halo.c with MPI: any number of processes gives what the formula does."""

import math
import os
import shutil
import subprocess

import pytest

import gnd
import headers

CELLS, STEPS = 240, 300


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        pytest.skip("there is no MPI (Debian: libopenmpi-dev openmpi-bin)")
    folder = tmp_path_factory.mktemp("mpi")
    library = os.path.dirname(os.path.realpath(gnd.LIBRARY))
    # libgnd.so may be where no libgnd.so.0 is beside it: the program finds it by its path.
    subprocess.run(["mpicc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror",
                    f"-I{headers.ROOT / 'include'}", str(headers.ROOT / "examples" / "interop" / "halo.c"),
                    "-o", str(folder / "halo"), os.path.realpath(gnd.LIBRARY), f"-Wl,-rpath,{library}", "-lm"],
                   check=True)
    return folder / "halo"


def heat(steps):
    """Each step multiplies sin(pi x) by 1 - 2 r (1 - cos(pi h)), r = 1/4."""
    h = 1 / (CELLS + 1)
    factor = 1 - 0.5 * (1 - math.cos(math.pi * h))
    return factor**steps * sum(math.sin(math.pi * h * k) for k in range(1, CELLS + 1)) * h


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_halo_exchange(program, processes):
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_plm_rsh_agent": "/bin/false",
                                "OPENBLAS_NUM_THREADS": "1", "GND_THREADS": "1"}
    run = subprocess.run(["mpirun", "-n", str(processes), str(program), str(CELLS), str(STEPS)], env=environment,
                         capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    said = run.stdout.split(f"heat after {STEPS} steps: ")[1]
    assert abs(float(said) - heat(STEPS)) < 1e-9, run.stdout
