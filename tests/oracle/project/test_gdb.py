"""The printers of tools/gdb/gnd_gdb.py: gdb runs a small program and shows its arrays."""

import pathlib
import shutil
import subprocess

import pytest

import gnd
import headers

ROOT = headers.ROOT
PROGRAM = """
#include "core/core.h"
#include "runtime/runtime.h"
#include <gnd.h>

gnd_array *arrays[6];
void show(void) {
    __asm__ volatile("");
}
int main(void) {
    gnd_use(gnd_cpu());
    arrays[0] = gnd_reshape(gnd_arange(0, 6, 1, GND_FLOAT32), GND_SHAPE(2, 3));
    arrays[1] = gnd_transpose(arrays[0]);
    arrays[2] = gnd_arange(0, 100, 1, GND_INT64);
    arrays[3] = gnd_full(GND_SHAPE(2), -0.5, GND_BFLOAT16);
    arrays[4] = gnd_full(GND_SHAPE(), 2.5, GND_COMPLEX64);
    arrays[5] = gnd_zeros(GND_SHAPE(0, 4), GND_BOOL);
    show();
    return gnd_error() != NULL;
}
"""
SHOWN = ["gnd_array (2, 3) float32 strides (12, 4) on cpu:0: [0, 1, 2, 3, 4, 5]",
         "gnd_array (3, 2) float32 strides (4, 12) on cpu:0: [0, 3, 1, 4, 2, 5]",
         "gnd_array (100,) int64 strides (8,) on cpu:0: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...]",
         "gnd_array (2,) bfloat16 strides (2,) on cpu:0: [-0.5, -0.5]",
         "gnd_array () complex64 strides () on cpu:0: [(2.5+0j)]",
         "gnd_array (0, 4) bool strides "]


@pytest.mark.skipif(not shutil.which("gdb") or not shutil.which("cc"), reason="gdb or a compiler is not installed")
def test_gdb_shows_arrays(tmp_path):
    source, program = tmp_path / "arrays.c", tmp_path / "arrays"
    source.write_text(PROGRAM)
    library = pathlib.Path(gnd.LIBRARY).resolve()
    sanitized = "libasan" in subprocess.run(["ldd", library], capture_output=True, text=True).stdout
    if sanitized:
        pytest.skip("gdb and the address sanitizer do not go together")
    subprocess.run(["cc", "-g", "-std=gnu11", f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", source, library,
                    f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
    commands = [f"source {ROOT / 'tools' / 'gdb' / 'gnd_gdb.py'}", "set debuginfod enabled off", "break show", "run",
                *[f"print *arrays[{k}]" for k in range(6)], "gnd arrays[0]"]
    gdb = subprocess.run(["gdb", "--batch", "-nx", *[f"--eval-command={c}" for c in commands], program],
                         capture_output=True, text=True, timeout=120)
    if "ptrace" in gdb.stderr and "not permitted" in gdb.stderr:
        pytest.skip("gdb may not run programs here")
    lines = [line for line in gdb.stdout.split("\n") if "gnd_array (" in line]
    assert len(lines) == 7, gdb.stdout + gdb.stderr
    for line, text in zip(lines, [*SHOWN, SHOWN[0]]):
        assert text in line, line
