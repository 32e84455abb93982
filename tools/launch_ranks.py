#!/usr/bin/env python3
"""Starts a program once for each GPU of this machine, as ranks that find each other by gnd_mesh_init, as torchrun does.

    launch_ranks.py [-n RANKS] [--tap] PROGRAM [ARGUMENTS]

RANKS: 0 or nothing: as many as there are GPUs (--tap: 4 at most). The first rank's standard output is this program's;
that of the others goes to standard error. If one fails the others are ended, and the exit status is its own. NCCL is
looked for in the system and in Python's packages (GND_NCCL); NVLS is off (NCCL_NVLS_ENABLE=0), unless the environment
says otherwise.
--tap: where there are fewer GPUs than two, or no NCCL, one line that says so, as a test that is skipped.
"""

import argparse
import ctypes
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def gpus():
    smi = shutil.which("nvidia-smi")
    listing = subprocess.run([smi, "-L"], capture_output=True, text=True).stdout if smi else ""
    return sum(line.startswith("GPU ") for line in listing.splitlines())


def in_packages():
    """NCCL's library in a Python's packages: this one's, or that of python3."""
    spec = importlib.util.find_spec("nvidia") if "nvidia" not in sys.modules else None
    folders = list(spec.submodule_search_locations or []) if spec else []
    try:
        ask = "import nvidia; print(*nvidia.__path__, sep='\\n')"
        told = subprocess.run(["python3", "-c", ask], capture_output=True, text=True, timeout=60)
        folders += told.stdout.split("\n")
    except (OSError, subprocess.TimeoutExpired):
        pass
    found = [path for folder in folders if folder for path in Path(folder).glob("nccl/lib/libnccl.so.2")]
    return str(found[0]) if found else None


def nccl():
    """What GND_NCCL should be: a path, "" if the system finds NCCL itself, None if there is none."""
    if os.environ.get("GND_NCCL"):
        return os.environ["GND_NCCL"]
    try:
        ctypes.CDLL("libnccl.so.2")
        return ""
    except OSError:
        return in_packages()


def free_port():
    """A port that is free, and the next one, where NCCL listens."""
    for _ in range(100):
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                continue
    raise OSError("no two free ports beside each other")


def start(command, ranks, **more):
    """The processes, in the order of ranks; `more` goes to the environment of all."""
    shared = {"NCCL_NVLS_ENABLE": "0", "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1",
              "MASTER_PORT": str(free_port())} | ({"GND_NCCL": nccl()} if nccl() else {})
    environment = {**shared, **os.environ, **{k: v for k, v in shared.items() if k != "NCCL_NVLS_ENABLE"}, **more}
    return [subprocess.Popen(command, env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                             stdout=None if rank == 0 else sys.stderr) for rank in range(ranks)]


def wait(processes):
    """The first failure's status, or 0. Ends all if one fails."""
    left = list(processes)
    try:
        while left:
            for process in left:
                status = process.poll()
                if status:
                    return status if status > 0 else 128 - status
            left = [process for process in left if process.poll() is None]
            time.sleep(0.02)
        return 0
    finally:
        for process in left:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in left:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-n", type=int, default=0)
    parser.add_argument("--tap", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    ranks = given.n or (min(gpus(), 4) if given.tap else gpus())
    on_cpu = os.environ.get("GND_DEVICE", "").startswith("cpu")
    if given.tap and (on_cpu or ranks < 2 or gpus() < ranks or nccl() is None):
        why = "the device is the CPU" if on_cpu else "there is no NCCL" if gpus() >= max(ranks, 2) else \
            f"there are {gpus()} GPUs"
        print(f"1..0 # SKIP {why}")
        return 0
    if not given.command or ranks < 1:
        parser.error("there is no program, or no GPU")
    return wait(start(given.command, ranks))


if __name__ == "__main__":
    sys.exit(main())
