"""The wheel's build hook: makes the tables of the headers, and builds the library that the wheel carries.

GND_LIBRARY       a libgnd.so that is there already, instead of building one
GND_MESON         more options for meson, such as "-Dcuda=disabled"; CUDA is built where nvcc is found
JOBS              parallel jobs of ninja
GND_WHEEL_TAG     the platform of the wheel's name, such as manylinux_2_31_x86_64 for a library that was built against
                  an older C library (./dev package --old-base); else this machine's
"""

import os
import re
import runpy
import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Library(BuildHookInterface):
    def initialize(self, version, build_data):
        runpy.run_path(str(ROOT / "tools" / "bindings" / "python.py"))["write"](HERE / "gnd")
        library = os.environ.get("GND_LIBRARY") or build()
        build_data["force_include"][str(Path(library).resolve())] = "gnd/lib/libgnd.so.0"
        build_data["force_include"][str(ROOT / "LICENSE")] = "gnd/lib/LICENSE"
        build_data["pure_python"] = False
        platform = os.environ.get("GND_WHEEL_TAG") or re.sub(r"\W", "_", sysconfig.get_platform())
        build_data["tag"] = f"py3-none-{platform}"


class Version(MetadataHookInterface):
    """The version of the headers."""

    PLUGIN_NAME = "custom"

    def update(self, metadata):
        text = (ROOT / "include" / "gnd" / "base.h").read_text()
        parts = [re.search(rf"#define GND_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
        metadata["version"] = ".".join(parts)


def build():
    """Builds the library in build-python, and says where it is."""
    directory = ROOT / "build-python"
    options = ["-Dbuildtype=release", *os.environ.get("GND_MESON", "").split()]
    if (directory / "build.ninja").exists():  # which names the meson that made it: pip's, of a folder that is gone
        options.append("--reconfigure")
    subprocess.run(["meson", "setup", str(directory), *options], cwd=ROOT, check=True)
    listed = subprocess.run(["ninja", "-C", str(directory), "-t", "targets", "all"], check=True, text=True,
                            capture_output=True).stdout
    target = re.search(r"^(src/libgnd\.so[.\d]*): .*LINKER", listed, flags=re.M).group(1)
    jobs = ["-j", os.environ["JOBS"]] if "JOBS" in os.environ else []
    subprocess.run(["ninja", "-C", str(directory), *jobs, target], check=True)
    return directory / target
