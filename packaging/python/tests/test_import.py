"""What `import gnd` costs, and that it needs nothing beside Python."""

import os
import re
import subprocess
import sys

from conftest import PACKAGE, ROOT

CACHE = ROOT / "out" / "python-cache"


def run(*arguments):
    environment = os.environ | {"PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": str(CACHE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    return subprocess.run([sys.executable, *arguments], env=environment, text=True, capture_output=True, check=True)


def test_import_is_quick():
    times = [int(run("-X", "importtime", "-c", "import gnd").stderr.splitlines()[-1].split("|")[1]) for _ in range(7)]
    assert min(times) < 50_000, f"import gnd took {times} us"


def test_no_numpy():
    code = "import gnd, sys; gnd.add(gnd.arange(3), [1, 2, 3]).tolist(); print('numpy' in sys.modules)"
    assert run("-c", code).stdout == "False\n"


def test_everything_is_there():
    """Each function of the headers can be made; gnd_slice, which takes a format, is indexing."""
    code = "import gnd; print([n for n in gnd._FUNCTIONS if not callable(getattr(gnd, n, None))])"
    assert run("-c", code).stdout == "['fft', 'slice']\n"  # gnd.fft is the module


def test_guide():
    """The programs of docs/guide/python.md print what it says."""
    text = (ROOT / "docs" / "guide" / "python.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", text, flags=re.S | re.M)
    assert len(programs) >= 2
    for code, prints in programs:
        assert run("-c", code).stdout == prints
