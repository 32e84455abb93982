"""architectures.py NVCC FLAG...: a kernel compiled with the flags of a release has an image for each GPU of the list.

Speaks TAP. The images are read from the object, so a flag that nvcc takes for something else is seen.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import size  # noqa: E402

KERNEL = """
__global__ void scale(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] = x[i] * 2 + 1; }
}
"""


def main(nvcc, *flags):
    asked = sorted(re.search(r",code=(\w+)", flag)[1] for flag in flags)
    with tempfile.TemporaryDirectory() as folder:
        source, result = pathlib.Path(folder) / "scale.cu", pathlib.Path(folder) / "scale.o"
        source.write_text(KERNEL)
        subprocess.run([nvcc, "-std=c++17", *flags, "-c", source, "-o", result], check=True)
        found = sorted(f"{'sm' if kind == size.MACHINE_CODE else 'compute'}_{architecture}"
                       for kind, _, _, architecture in size.entries(result))
    print(f"{'ok' if found == asked else 'not ok'} 1 - the images of a release")
    print(f"# asked for {' '.join(asked)}; in the object: {' '.join(found)}")
    # Cards from Turing to Blackwell, and those to come: CUDA 12.4's nvcc ends with Hopper.
    newest = max(int(name.split("_")[1]) for name in asked)
    complete = {"sm_75", "sm_80", "sm_86", "sm_90", f"compute_{newest}"} <= set(found)
    print(f"{'ok' if complete else 'not ok'} 2 - from Turing on, and PTX of the newest")
    print("1..2")


if __name__ == "__main__":
    main(*sys.argv[1:])
