"""Every variable of the environment that the library reads: what it may be is taken, anything else is an error of
the first call, with the variable, its value and what it may be."""

import os
import re
import subprocess
import sys

import pytest

import gnd
import headers

VARIABLES = headers.read_variables()
NAMES = [v.name for v in VARIABLES]
CALL = """import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.gnd_event_release.argtypes = [ctypes.c_void_p]
lib.gnd_event_new.restype = ctypes.c_void_p
event = lib.gnd_event_new(False)
lib.gnd_check_at(b"file.c", 7)
lib.gnd_event_release(event)
"""


def run(name, value):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GND_")}
    environment.update({"GND_DEVICE": "cpu", name: value})
    return subprocess.run([sys.executable, "-S", "-c", CALL, gnd.LIBRARY], env=environment, capture_output=True,
                          text=True)


def most_of(v):
    return 2**63 - 1 if v.most == "INT64_MAX" else int(v.most)


def choices(v):
    return re.split(r", | or ", v.words)


def good_values(v):
    if v.kind in ("SWITCH", "NUMBER"):
        return [v.least, str(most_of(v)), "0" + v.least]
    return {"CHOICE": choices(v), "DEVICE": ["cpu", "cpu:0"],
            "LIBRARIES": ["FFTW", "cuBLAS,OpenBLAS", "CUDA driver"]}[v.kind]


def bad_values(v):
    if v.kind in ("SWITCH", "NUMBER"):
        beyond = [str(most_of(v) + 1), str(int(v.least) - 1)]
        return ["yes", "1.5", "0x1", " 1", "1 ", "1e1", "-1", "99999999999999999999999", *beyond]
    return {"CHOICE": [choices(v)[0].upper(), choices(v)[0] + "x", choices(v)[0][:-1], "1", "or", v.words],
            "DEVICE": ["tpu", "gpu:", "gpu:-1", "gpu:x", "gpu:1x", "gpux", "cpu:1", "CPU", "gpu:99999999999"],
            "LIBRARIES": ["cublas", "cuBLAS, FFTW", "cuBLAS,nonsense", ",", "cuBLAS;FFTW"]}[v.kind]


@pytest.mark.parametrize("v", VARIABLES, ids=NAMES)
def test_what_it_may_be_is_taken(v):
    for value in ["", *good_values(v)]:
        done = run(v.name, value)
        assert done.returncode == 0 and "means nothing" not in done.stderr, (value, done.stderr)


@pytest.mark.parametrize("v", VARIABLES, ids=NAMES)
def test_what_means_nothing_is_refused(v):
    for value in bad_values(v):
        done = run(v.name, value)
        sentence = f"gnd_event_new: {v.name}={value} in the environment means nothing; it may be {v.words}"
        assert done.returncode == 1 and sentence in done.stderr, (value, done.stderr)


def test_all_are_in_the_table_and_documented():
    """Nobody reads a variable of gnd's past the table, and the guide's list is the table's."""
    page = (headers.ROOT / "docs" / "guide" / "environment.md").read_text()
    for path in (headers.ROOT / "src").rglob("*.[ch]*"):
        read = re.findall(r'getenv\("(GND_\w+)', path.read_text())
        if path.is_relative_to(headers.ROOT / "src" / "dist"):  # another library, with variables of its own
            assert all(f"- `{name}`" in page for name in read), path
        else:
            assert not read, path
    assert sorted(re.findall(r"^\| `(GND_\w+)`", page, flags=re.M)) == sorted(NAMES)
    assert len(VARIABLES) >= 11
