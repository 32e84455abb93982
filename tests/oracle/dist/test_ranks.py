"""Split arrays against NumPy, with processes as ranks: ranks.py under mpirun, and what happens if a rank dies; and what
starts a process for each GPU."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gnd
import headers
import launch_ranks
from conftest import on_gpu

HERE = Path(__file__).parent
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_plm_rsh_agent": "/bin/false",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "GND_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
               "GND_MESH_CHECK": "1", "GND_MESH_TIMEOUT": "60"}


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    """mpi.c, compiled."""
    folder = Path(gnd.LIBRARY).resolve().parent
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        pytest.skip("there is no MPI (Debian: libopenmpi-dev openmpi-bin)")
    if not (folder / "libgnd_dist.so").exists():
        pytest.skip("libgnd_dist.so is not built beside libgnd.so")
    if "LD_PRELOAD" in os.environ:
        pytest.skip("MPI does not run with a sanitizer in Python")
    made = tmp_path_factory.mktemp("mpi") / "libmpi_oracle.so"
    libraries = [str(folder / "libgnd_dist.so"), os.path.realpath(gnd.LIBRARY), f"-Wl,-rpath,{folder}"]
    subprocess.run(["mpicc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    f"-I{headers.ROOT / 'include'}", str(HERE / "mpi.c"), "-o", str(made), *libraries], check=True)
    return made


def run(shim, ranks, folder, *words, options=(), program="ranks.py"):
    environment = os.environ | ENVIRONMENT | {"GND_ORACLE_MPI": str(shim), "NCCL_NVLS_ENABLE": "0"}
    if on_gpu() and launch_ranks.nccl():
        environment["GND_NCCL"] = launch_ranks.nccl()
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", *options, sys.executable, HERE / program, folder]
    return subprocess.run([*command, *words], env=environment, capture_output=True, text=True,
                          timeout=280, check=False)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("program", ["ranks.py", "ranks_library.py"])
def test_split_arrays_against_numpy(shim, program, ranks, tmp_path):
    done = run(shim, ranks, tmp_path, program=program)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    checks = re.findall(r"^def check_\w+\(mesh, case\)", (HERE / program).read_text(), flags=re.M)
    for rank in range(ranks):
        found = json.loads((tmp_path / f"{rank}.json").read_text())
        assert len(found) == len(checks)
        assert all(result["cases"] for result in found.values()), found
        wrong = [f"{name}: {text}" for name, result in found.items() for text in result["wrong"]]
        assert not wrong, f"rank {rank}: {len(wrong)} cases\n" + "\n".join(wrong[:5])


def test_a_rank_that_dies_ends_the_job(shim, tmp_path):
    """mpirun ends the others."""
    if on_gpu():
        pytest.skip("of the CPU")
    since = time.monotonic()
    done = run(shim, 2, tmp_path, "die")
    assert done.returncode != 0 and time.monotonic() - since < 60
    assert not (tmp_path / "0.txt").exists() or "has waited" in (tmp_path / "0.txt").read_text()


def test_a_rank_that_dies_is_an_error_of_the_others(shim, tmp_path):
    """Where the launcher lets them live, the limit of time tells them."""
    if on_gpu():
        pytest.skip("of the CPU")
    if "(Open MPI) 4" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
        pytest.skip("this mpirun ends every job in which a rank dies")
    since = time.monotonic()
    run(shim, 3, tmp_path, "die", options=["--enable-recovery"])
    assert time.monotonic() - since < 60
    for rank in (0, 2):
        said = (tmp_path / f"{rank}.txt").read_text()
        assert said.startswith(f"gnd_mesh_barrier: rank {rank} has waited 2.") and "in call 2 on this mesh" in said


LAUNCHER = headers.ROOT / "tools" / "launch_ranks.py"


def test_the_launcher_tells_each_process_its_rank():
    tell = 'echo "$RANK $LOCAL_RANK $WORLD_SIZE $MASTER_ADDR $NCCL_NVLS_ENABLE"'
    done = subprocess.run([sys.executable, LAUNCHER, "-n", "3", "sh", "-c", tell], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "0 0 3 127.0.0.1 0\n"
    assert sorted(done.stderr.split("\n")) == ["", "1 1 3 127.0.0.1 0", "2 2 3 127.0.0.1 0"]


def test_the_launcher_ends_all_if_one_fails():
    since = time.monotonic()
    done = subprocess.run([sys.executable, LAUNCHER, "-n", "2", "sh", "-c", "[ $RANK = 0 ] && sleep 60 || exit 7"])
    assert done.returncode == 7 and time.monotonic() - since < 30
